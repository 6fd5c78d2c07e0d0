//! The toolkits that upstream builds with, by the ledger of build options.

use headwater_store::Store;
use headwater_store::evidence::Basis;
use headwater_store::upstream::Upstream;

use super::report::ToolkitBuilt;
use crate::QueryError;
use crate::defaults::{self, Question};
use crate::ledger::{Extractors, Scope};
use crate::rig::{RigReport, RigRules};

/// The toolkits of one upstream at a version.
pub(super) fn built(
    store: &mut Store,
    upstream: &Upstream,
    extractors: &Extractors,
    rules: &RigRules,
    at: &str,
    rig: &RigReport,
    jobs: usize,
) -> Result<Vec<ToolkitBuilt>, QueryError> {
    if !rules.toolkits.iter().any(|rule| rule.upstream == upstream.name) {
        return Ok(Vec::new());
    }
    let question = Question {
        at: Some(at.to_owned()),
        scope: Some(Scope::Build),
        jobs,
        ..Question::default()
    };
    let values = defaults::ask(store, upstream, extractors, &question)?.values;
    let release = rig.toolkit.nvcc.get().map(|nvcc| nvcc.release.as_str());
    let mut out = Vec::new();
    for value in values {
        let mut of = rules.toolkits.iter();
        let Some(rule) = of.find(|rule| rule.is_named_by(upstream, &value.knob, &value.path))
        else {
            continue;
        };
        let release = release.filter(|_| rule.name == "CUDA");
        out.push(ToolkitBuilt {
            toolkit: rule.name.clone(),
            upstream: upstream.name.clone(),
            at: at.to_owned(),
            has_release: release.and_then(|release| names_release(&value.value, release)),
            knob: value.knob,
            value: value.value,
            path: value.path,
            line: value.line,
            since: value.since,
            before: value.before,
            grade: Basis::Rule.grade(),
        });
    }
    Ok(out)
}

/// Whether a release is among the versions that a text names, by its first two numbers;
/// none where it names no version.
fn names_release(text: &str, release: &str) -> Option<bool> {
    let two = |version: &str| {
        let mut numbers = version.split('.').filter(|part| !part.is_empty());
        let [major, minor] = [numbers.next()?, numbers.next()?];
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        (digits(major) && digits(minor)).then(|| format!("{major}.{minor}"))
    };
    let release = two(release)?;
    let named: Vec<String> =
        text.split(|c: char| !(c.is_ascii_digit() || c == '.')).filter_map(two).collect();
    (!named.is_empty()).then(|| named.contains(&release))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_release_is_compared_by_its_first_two_numbers() {
        assert_eq!(names_release("12.8 | 13.0 | 13.4", "13.4"), Some(true));
        assert_eq!(names_release("13.0.0 | 13.4.0", "13.4"), Some(true));
        assert_eq!(names_release("12.8.1", "13.4"), Some(false));
        assert_eq!(names_release("nvidia/cuda:${CUDA_VERSION}-devel", "13.4"), None);
        assert_eq!(names_release("113.4", "13.4"), Some(false));
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,40}", release in "[0-9.]{0,12}") {
            let _ = names_release(&text, &release);
        }
    }
}
