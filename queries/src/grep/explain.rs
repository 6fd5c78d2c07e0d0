//! How a search went, for `--explain`.

use serde::Serialize;

/// How one upstream was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The upstream.
    pub upstream: String,
    /// What a matching text must hold, in terms of runs.
    pub needs: String,
    /// The index could not narrow it down: every text in scope was read.
    pub scans: bool,
    /// The index alone told the answer: no text had to be read to know the commits.
    pub exact: bool,
    /// Texts in scope that may match.
    pub candidates: u64,
    /// Commits that they belong to.
    pub commits: u64,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: needs {}; ", self.upstream, self.needs)?;
        if self.scans {
            write!(f, "no run can be required, so all {} texts in scope are read", self.candidates)
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
