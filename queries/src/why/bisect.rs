//! The `git bisect` that looks through the candidates that are left.

use std::collections::{BTreeSet, HashSet};

use headwater_store::Oid;

use super::collect::Collected;
use super::known::Known;
use super::report::Bisect;
use crate::grep::quote;

/// At most so many paths stand in a command.
const PATHS: usize = 12;

/// The command for a window, of whose commits `left` are not ruled out; `None` where these
/// are at most one.
pub(super) fn of(
    window: &Collected<'_>,
    known: &[Known<'_>],
    left: &HashSet<Oid>,
) -> Option<Bisect> {
    let commits: Vec<(bool, BTreeSet<&str>)> = known
        .iter()
        .filter(|k| !k.patch.stored().commit().is_merge())
        .map(|k| {
            let files = &k.patch.patch().files;
            let old = files.iter().filter_map(|file| file.old_path.as_deref());
            let paths = files.iter().map(|file| file.path.as_str()).chain(old).collect();
            (left.contains(&k.patch.stored().commit().oid), paths)
        })
        .collect();
    let count = commits.iter().filter(|(open, _)| *open).count();
    if count < 2 {
        return None;
    }
    let open = commits.iter().filter(|(open, _)| *open);
    let paths = rolled_up(open.flat_map(|(_, paths)| paths.iter().copied()));
    let tested = commits
        .iter()
        .filter(|(_, touched)| touched.iter().any(|path| covers(&paths, path)))
        .count();
    // Paths that leave nothing out only make the command longer.
    let paths = if tested == commits.len() { BTreeSet::new() } else { paths };
    let among: String = paths.iter().map(|path| format!(" {}", quote(path))).collect();
    let among = if among.is_empty() { among } else { format!(" --{among}") };
    let (bad, good) = (window.report.head_sha, window.report.base_sha);
    Some(Bisect {
        upstream: window.upstream.name.clone(),
        command: format!("git bisect start {bad} {good}{among}"),
        left: count,
        tested,
        steps: tested.max(2).ilog2() + u32::from(!tested.is_power_of_two()),
        to_try: Vec::new(),
    })
}

/// The paths, the deepest ones replaced by their directories until they are few.
fn rolled_up<'p>(paths: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
    let mut kept: BTreeSet<&str> = paths.collect();
    while kept.len() > PATHS {
        let depth = |path: &str| path.matches('/').count();
        let deepest = kept.iter().map(|path| depth(path)).max().unwrap_or(0);
        if deepest == 0 {
            break;
        }
        kept = kept
            .iter()
            .map(|path| match path.rsplit_once('/') {
                Some((above, _)) if depth(path) == deepest => above,
                _ => path,
            })
            .collect();
    }
    kept
}

/// Whether one of the paths is this file, or a directory that it is in.
fn covers(paths: &BTreeSet<&str>, file: &str) -> bool {
    paths.iter().any(|path| {
        file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_become_directories_that_still_cover_them() {
        let files: Vec<String> = (0..30).map(|n| format!("a/b/f{n}.c")).collect();
        let all = files.iter().map(String::as_str).chain(["d.c"]);
        let few = rolled_up(all);
        assert_eq!(few, BTreeSet::from(["a/b", "d.c"]));
        assert!(files.iter().all(|file| covers(&few, file)));
        assert!(!covers(&few, "a/bc.c") && !covers(&few, "a/x.c"));
        assert_eq!(rolled_up(["x/y.c"].into_iter()), BTreeSet::from(["x/y.c"]));
    }
}
