//! A digest in a line.

use super::report::Digest;

/// What matters first.
pub(super) fn line(digest: &Digest) -> String {
    let name = &digest.period.name;
    let commits: u64 = digest.coverage.iter().map(|coverage| coverage.commits_stored()).sum();
    if commits == 0 {
        return format!("{name}: no commit of the time is stored");
    }
    let gaps = match digest.coverage.iter().all(|coverage| coverage.is_complete()) {
        true => "",
        false => "; not all of it is stored, so more may have moved",
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
