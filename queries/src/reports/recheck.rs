//! What became of a kept report's claims: each is derived anew, and the old one stays
//! beside its correction.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Claim, claims};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Became {
    /// New evidence says otherwise, or it cannot be derived any more.
    Overturned,
    /// It is derived on weaker evidence.
    Weaker,
    /// It is derived on stronger evidence.
    Stronger,
    /// It is derived as it was.
    Holds,
}

impl Became {
    /// As printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Became::Overturned => "overturned",
            Became::Weaker => "weaker",
            Became::Stronger => "stronger",
            Became::Holds => "holds",
        }
    }
}

/// A claim with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Checked {
    /// The claim as it was told.
    #[serde(flatten)]
    pub claim: Claim,
    /// What became of it.
    pub became: Became,
    /// What is derived today, where that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// A report's claims, derived anew.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recheck {
    /// The claims, what changed first.
    pub claims: Vec<Checked>,
    /// Claims of today that the report did not make.
    pub new: Vec<Claim>,
    /// Rule sets that are others today, by name.
    pub rules_changed: Vec<String>,
}

impl Recheck {
    /// How many claims became this.
    pub fn count(&self, became: Became) -> usize {
        self.claims.iter().filter(|claim| claim.became == became).count()
    }
}

/// Compares a report as it was kept with the same question answered today.
pub fn recheck(then: &Value, now: &Value, rules: [&Value; 2]) -> Recheck {
    let today = claims(now);
    let mut left: HashMap<&str, Vec<&Claim>> = HashMap::new();
    for claim in &today {
        left.entry(claim.key.as_str()).or_default().push(claim);
    }
    let mut checked = Vec::new();
    for claim in claims(then) {
        let same = left.get_mut(claim.key.as_str());
        // One key can stand for several claims; the one that says the same is its own.
        let own = same.filter(|same| !same.is_empty()).map(|same| {
            let at = same.iter().position(|now| now.says == claim.says).unwrap_or(0);
            same.remove(at)
        });
        checked.push(compare(claim, own));
    }
    checked.sort_by_key(|one| one.became);
    let mut new: Vec<Claim> = left.into_values().flatten().cloned().collect();
    new.sort_by(|a, b| a.key.cmp(&b.key));
    let [before, after] = rules;
    let names = before.as_object().into_iter().flatten().map(|(name, _)| name);
    let rules_changed = names.filter(|name| before[*name] != after[*name]).cloned().collect();
    Recheck { claims: checked, new, rules_changed }
}

/// What became of one claim.
pub fn compare(claim: Claim, now: Option<&Claim>) -> Checked {
    let Some(now) = now else {
        let now = Some("it is not derived any more".to_owned());
        return Checked { claim, became: Became::Overturned, now };
    };
    let (before, after) = (strength(claim.grade.as_deref()), strength(now.grade.as_deref()));
    let confirmed = claim.says == "candidate" && now.says.starts_with("confirmed-by-toggle");
    let grade = now.grade.as_ref().map_or_else(String::new, |grade| format!(", grade {grade}"));
    let became = match () {
        () if confirmed => Became::Stronger,
        () if claim.says != now.says => Became::Overturned,
        () if after > before || (after == before && now.lacks < claim.lacks) => Became::Stronger,
        () if after < before || now.lacks > claim.lacks => Became::Weaker,
        () => Became::Holds,
    };
    let lacks = match now.lacks == claim.lacks {
        true => String::new(),
        false => format!(", {} missing where it was {}", now.lacks, claim.lacks),
    };
    let now = (became != Became::Holds).then(|| format!("{}{grade}{lacks}", now.says));
    Checked { claim, became, now }
}

/// How strong a grade is: of presences and of absences, the larger the stronger.
fn strength(grade: Option<&str>) -> u8 {
    match grade {
        Some("absent-partial") => 1,
        Some("third-party" | "absent-rule") => 2,
        Some("rule") => 3,
        Some("measured" | "grep") => 4,
        Some("record") => 5,
        Some("record+") => 6,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(verdicts: [&str; 2], new: &str, gaps: usize) -> Value {
        let gaps: Vec<Value> = (0..gaps).map(|_| json!({"kind": "missing-blob"})).collect();
        json!({
            "window": {"upstream": "ollama", "base": "v1", "head": "v2", "base_sha": "aa", "head_sha": "bb",
                "status": "ahead", "commits": 2, "already_shipped": 0,
                "coverage": {"commits_stored": 2, "commits_reported": 2, "gaps": gaps}},
            "candidates": [
                {"upstream": "ollama", "sha": "1111", "verdict": verdicts[0], "grade": if verdicts[0] == "confirmed-by-toggle" { "measured" } else { "rule" }},
                {"upstream": "ollama", "sha": "2222", "verdict": verdicts[1], "grade": "rule"},
            ],
            "default_events": [
                {"upstream": "ollama", "sha": "1111", "knob": "k", "path": "a", "old": "1", "new": new, "grade": "rule"},
                {"upstream": "ollama", "sha": "1111", "knob": "k", "path": "a", "old": "3", "new": "4", "grade": "rule"},
            ],
            "absences": [{"claim": "nothing moved", "grade": if gaps.is_empty() { "grep" } else { "absent-partial" },
                "coverage": {"commits_stored": 2, "commits_reported": 2, "gaps": gaps}}],
        })
    }

    fn became(then: &Value, now: &Value) -> Vec<(Became, String)> {
        let rules = json!({"labels": "a"});
        let all = recheck(then, now, [&rules, &rules]).claims;
        all.into_iter().map(|one| (one.became, one.claim.key)).collect()
    }

    #[test]
    fn the_same_report_holds() {
        let then = report(["candidate", "inert"], "2", 0);
        assert!(became(&then, &then).iter().all(|(became, _)| *became == Became::Holds));
        assert_eq!(became(&then, &then).len(), 7);
    }

    #[test]
    fn a_toggle_makes_a_candidate_stronger_and_filled_gaps_an_absence() {
        let then = report(["candidate", "inert"], "2", 1);
        let now = report(["confirmed-by-toggle", "inert"], "2", 0);
        let all = became(&then, &now);
        let stronger: Vec<&str> = all
            .iter()
            .filter(|(became, _)| *became == Became::Stronger)
            .map(|(_, key)| key.as_str())
            .collect();
        assert_eq!(
            stronger,
            ["window ollama v1..v2", "first candidate", "verdict on ollama 1111", "nothing moved"]
        );
        assert!(!all.iter().any(|(became, _)| *became == Became::Overturned));
        let back: Vec<Became> = became(&now, &then).into_iter().map(|(became, _)| became).collect();
        assert!(back.contains(&Became::Overturned) && back.contains(&Became::Weaker));
    }

    #[test]
    fn what_says_otherwise_is_overturned_and_shown_beside() {
        let then = report(["candidate", "inert"], "2", 0);
        let now = report(["excluded", "inert"], "9", 0);
        let rules = [json!({"labels": "a", "rank": "b"}), json!({"labels": "c", "rank": "b"})];
        let checked = recheck(&then, &now, [&rules[0], &rules[1]]);
        assert_eq!(checked.rules_changed, ["labels"]);
        let default =
            checked.claims.iter().find(|one| one.claim.key.contains("default of k")).unwrap();
        assert_eq!(default.claim.says, "1 → 2", "the old claim stays");
        assert_eq!(default.now.as_deref(), Some("1 → 9, grade rule"));
        assert_eq!(checked.claims[0].became, Became::Overturned);
        // No candidate is left: the first one is not derived any more.
        let first = checked.claims.iter().find(|one| one.claim.key == "first candidate").unwrap();
        assert_eq!(first.became, Became::Overturned);
        assert_eq!(checked.count(Became::Overturned), 3);
        assert!(recheck(&json!({}), &json!(null), [&rules[0], &rules[0]]).claims.is_empty());
    }
}
