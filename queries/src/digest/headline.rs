//! A digest in a line.

use chrono::TimeDelta;

use super::report::Digest;

/// What matters first.
pub(super) fn line(digest: &Digest) -> String {
    let name = &digest.period.name;
    let commits: u64 = digest.coverage.iter().map(|coverage| coverage.commits_stored()).sum();
    let until = until(digest);
    if commits == 0 {
        return format!("{name}: no commit of the time is stored{until}");
    }
    let gaps = match digest.coverage.iter().all(|coverage| coverage.is_complete()) {
        true => until,
        false => format!("; not all of it is stored, so more may have moved{until}"),
    };
    if digest.is_quiet() {
        return format!(
            "{name}: a quiet time: {commits} commits, none of which moves a default, a pin, or sampler, CUDA or MoE code{gaps}"
        );
    }
    let mut parts = Vec::new();
    let mut count = |n: usize, one: &str, many: &str| {
        if n > 0 {
            parts.push(if n == 1 { format!("1 {one}") } else { format!("{n} {many}") });
        }
    };
    count(digest.moved().count(), "default moved", "defaults moved");
    let undone = digest.defaults.len() - digest.moved().count();
    count(undone, "move that came to nothing", "moves that came to nothing");
    count(
        digest.work.len(),
        "commit of sampler, CUDA or MoE work",
        "commits of sampler, CUDA or MoE work",
    );
    count(digest.toolchain.len(), "of toolchains or the ABI", "of toolchains or the ABI");
    count(digest.pins.len(), "pin move", "pin moves");
    count(digest.models.len(), "model's parameters changed", "models' parameters changed");
    count(digest.advisories.len(), "advisory", "advisories");
    format!("{name}: {} in {commits} commits{gaps}", parts.join(", "))
}

/// The days of the newest stored commits, of upstreams whose stored history ends on a day
/// before the time's last.
fn until(digest: &Digest) -> String {
    let last = (digest.period.to - TimeDelta::seconds(1)).date_naive();
    let ends = digest.newest.iter().map(|(upstream, at)| (upstream, at.date_naive()));
    let ends = ends.filter(|(_, day)| *day < last);
    let ends: Vec<String> = ends.map(|(upstream, day)| format!("{upstream} {day}")).collect();
    match ends.is_empty() {
        true => String::new(),
        false => format!("; the newest stored commits: {}", ends.join(", ")),
    }
}
