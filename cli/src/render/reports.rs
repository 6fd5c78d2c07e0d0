//! What became of kept reports.

use headwater_queries::reports::{Became, Recheck};
use headwater_store::SavedReport;
use serde_json::Value;

use super::page::Page;

/// So many claims that are new are named.
const NEW: usize = 10;

/// A report's claims, derived anew: what changed in full, and how many hold.
pub fn recheck(page: &mut Page<'_>, report: &SavedReport, found: &Recheck) {
    let count = |became: Became| format!("{} {}", became.as_str(), found.count(became));
    page.heading(&report.name, &format!("saved {}", report.saved.format("%Y-%m-%d %H:%M UTC")));
    page.say(
        0,
        &format!(
            "{} claims: {}, {}, {}, {}",
            found.claims.len(),
            count(Became::Holds),
            count(Became::Stronger),
            count(Became::Weaker),
            count(Became::Overturned)
        ),
    );
    if !found.rules_changed.is_empty() {
        page.say(0, &format!("other rules than then: {}", found.rules_changed.join(", ")));
    }
    for one in found.claims.iter().filter(|one| one.became != Became::Holds) {
        if let Ok(value) = serde_json::to_value(one) {
            correction(page, &value);
        }
    }
    if !found.new.is_empty() {
        page.say(0, &format!("{} claims are new:", found.new.len()));
        for claim in found.new.iter().take(NEW) {
            page.say(1, &format!("{}: {}", claim.key, claim.says));
        }
        if found.new.len() > NEW {
            page.say(1, "… (--format json has all)");
        }
    }
}

/// A claim as it was told, and its correction beside it.
pub fn correction(page: &mut Page<'_>, one: &Value) {
    let text = |name: &str| one[name].as_str().unwrap_or_default();
    let grade = one["grade"].as_str().map_or_else(String::new, |grade| format!(", grade {grade}"));
    let became = page.safe(text("became"));
    let became = page.bold(&became);
    let was = page.safe(&format!("{}: {}{grade}", text("key"), text("says")));
    page.item(0, &format!("{became} {was}"));
    page.say(1, &format!("now: {}", text("now")));
}
