//! How a search went, for `--explain`.

use schemars::JsonSchema;
use serde::Serialize;

/// How one upstream was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explanation {
    /// The upstream.
    pub upstream: String,
    /// What a matching text must hold, in terms of runs.
    pub needs: String,
    /// Runs did not narrow it down: all distinct lines were searched.
    pub scans: bool,
    /// Conditions on runs that were not looked up, or did not narrow anything down.
    pub given_up: Vec<Condition>,
    /// The index alone told the answer: no text had to be read to know the commits.
    pub exact: bool,
    /// Texts in scope that may match.
    pub candidates: u64,
    /// Commits that they belong to.
    pub commits: u64,
}

/// A condition on the runs of a text that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Condition {
    /// What a text must hold.
    pub needs: String,
    /// Why it was given up.
    pub why: String,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: needs {}; ", self.upstream, self.needs)?;
        for condition in &self.given_up {
            write!(f, "gave up on {}: {}; ", condition.needs, condition.why)?;
        }
        if self.scans {
            write!(
                f,
                "runs do not narrow it down, so all distinct lines are searched: {} texts of {} commits match",
                self.candidates, self.commits
            )
        } else if self.exact {
            write!(
                f,
                "the index alone tells the {} texts of {} commits",
                self.candidates, self.commits
            )
        } else {
            write!(
                f,
                "{} texts of {} commits may match and are read",
                self.candidates, self.commits
            )
        }
    }
}
