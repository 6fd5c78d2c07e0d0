//! The commits that are ruled out: by verdict, then by reason, the sparse reasons with
//! their commits' subjects.

use headwater_queries::why::{Candidate, Verdict, WhyReport};

use crate::render::page::Page;
use crate::render::text;

/// Reasons that rule out more commits than this name them by their ids only.
const WITH_SUBJECTS: usize = 2;

/// All of them, since a wrong exclusion is worse than a long list.
pub(super) fn all(page: &mut Page<'_>, report: &WhyReport) {
    let verdicts = report.verdicts.iter().filter(|(verdict, _)| !verdict.is_open());
    for (verdict, count) in verdicts {
        let means = match verdict {
            Verdict::Excluded => "wrong model, phase or scope, in BASE already, or undone by HEAD",
            Verdict::OffPath => "not on the engine or backend in question",
            _ => "changes nothing that a model on the server meets",
        };
        page.heading(&format!("Ruled out as {}: {count}", verdict.as_str()), means);
        for (reason, commits) in by_reason(report, *verdict) {
            let one: Vec<String> = commits
                .iter()
                .map(|c| {
                    let id = format!("{} {}", c.upstream, c.sha.short());
                    match commits.len() <= WITH_SUBJECTS {
                        true => format!("{id} {}", text::cut(&c.subject, 60)),
                        false => id,
                    }
                })
                .collect();
            // What the heading says already is not said again.
            let reason = reason.strip_prefix(means).unwrap_or(reason).trim();
            let reason =
                reason.strip_prefix('(').and_then(|r| r.strip_suffix(')')).unwrap_or(reason);
            let (reason, names) = (page.safe(reason), page.safe(&one.join(", ")));
            page.list(0, &reason, commits.len(), &names);
        }
    }
}

/// The commits with a verdict, those with one reason together, in the order of their rank.
fn by_reason(report: &WhyReport, verdict: Verdict) -> Vec<(&str, Vec<&Candidate>)> {
    let mut groups: Vec<(&str, Vec<&Candidate>)> = Vec::new();
    for candidate in report.candidates.iter().filter(|c| c.verdict == verdict) {
        let reason = candidate.verdict_reason.as_deref().unwrap_or("no reason was kept");
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, group)) => group.push(candidate),
            None => groups.push((reason, vec![candidate])),
        }
    }
    groups
}
