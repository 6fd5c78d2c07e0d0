//! What a window means for those who build it themselves, for a screen and as Markdown.

use headwater_queries::defaults::{Change, EventRow, Packagers};

use super::table::Table;
use super::text;
use crate::args::Format;

/// The nested windows' build options, carried patches, and public headers.
pub fn screen(packagers: &Packagers, table: fn(&[EventRow]) -> Table, format: Format) -> String {
    let md = format == Format::Md;
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(&if md { text::markdown(text) } else { text::one_line(text) });
        out.push_str(if md { "\n\n" } else { "\n" });
    };
    let mut tables = Vec::new();
    for nested in &packagers.nested {
        let ends = format!(
            "{} {} → {}",
            nested.upstream,
            nested.base.as_deref().unwrap_or("none"),
            nested.head.as_deref().unwrap_or("none")
        );
        match &nested.gap {
            Some(gap) => line(&format!("{ends}: its build options are not known: {gap}")),
            None if nested.events.is_empty() => {
                line(&format!("{ends}: no extractor found a build option that moved"));
            }
            None => tables.push((ends, &nested.events)),
        }
    }
    for file in &packagers.carried {
        let what = match file.change {
            Change::Added => "is new",
            Change::Removed => "has gone",
            Change::Changed => "is another",
        };
        line(&format!("laid over what is pinned: {} {what}", file.path));
    }
    if packagers.carried.is_empty() {
        line("nothing that is laid over what is pinned changed");
    }
    for commit in &packagers.abi {
        line(&format!(
            "abi: {} {} {}: {} (grade {})",
            commit.upstream,
            commit.sha.short(),
            commit.date.format("%Y-%m-%d"),
            commit.says,
            commit.grade
        ));
    }
    if packagers.abi.is_empty() {
        line("no commit changes a public header");
    }
    for (ends, events) in tables {
        out.push_str(&if md { text::markdown(&ends) } else { text::one_line(&ends) });
        out.push_str(if md { "\n\n" } else { "\n" });
        out.push_str(&table(events).print(format));
    }
    out
}
