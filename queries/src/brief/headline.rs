//! A brief in a line.

use super::report::{Brief, Due};
use crate::said::Affected;

/// What matters first.
pub(super) fn line(brief: &Brief) -> String {
    if brief.rig.is_alert() {
        return brief.rig.headline.clone();
    }
    let mut parts = vec![brief.rig.headline.clone()];
    if let (Some(installed), Some(to)) = (&brief.rig.upstream.installed, &brief.to) {
        let moves = brief.effective.len();
        let of = match (installed == to, moves, brief.models) {
            (true, _, _) => format!("{installed} is what is installed"),
            (false, _, 0) => format!("{installed} → {to}: no model of the rig was compared"),
            (false, 0, n) => format!("{installed} → {to} changes no default for {}", models(n)),
            (false, 1, n) => {
                format!("{installed} → {to} changes 1 default for {} of the rig", models(n))
            }
            (false, m, n) => {
                format!("{installed} → {to} changes {m} defaults for {} of the rig", models(n))
            }
        };
        parts.push(of);
    }
    let due = match brief.abi.rebuild.due {
        Due::Yes => "rebuild due: yes".to_owned(),
        due => format!("rebuild due: {}", due.as_str()),
    };
    parts.push(due);
    let affects = brief.advisories.iter().filter(|one| {
        one.versions.iter().any(|v| v.role == "installed" && v.affected == Affected::Yes)
    });
    match affects.count() {
        0 => {}
        1 => parts.push("1 advisory is about what is installed".to_owned()),
        n => parts.push(format!("{n} advisories are about what is installed")),
    }
    parts.join("; ")
}

fn models(n: usize) -> String {
    if n == 1 { "1 model".to_owned() } else { format!("{n} models") }
}
