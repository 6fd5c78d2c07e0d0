//! The numbers at which the hosts stop: the documented ones, until a test lowers them.

/// How much GitHub gives at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caps {
    /// Commits of a comparison that was not asked for in pages.
    pub compare_commits: usize,
    /// Files of a comparison, all pages together; there is no mark where they end.
    pub compare_files: usize,
    /// Files on one page of a commit.
    pub commit_files: usize,
    /// Files of a commit on all pages together.
    pub commit_files_all: usize,
    /// Lines of a file's patch above which it is left out.
    pub patch_lines: usize,
    /// Bytes of a file's patch above which it is left out.
    pub patch_bytes: usize,
    /// Lines of a whole diff above which the diff media type is refused with 406.
    pub diff_lines: usize,
    /// Entries on a page, at most.
    pub per_page: usize,
    /// Releases that can be listed at all; pages beyond are refused with 422.
    pub releases: usize,
    /// Results of a search, at most.
    pub search: usize,
    /// References in one list, which has no pages and no mark where it ends.
    pub refs: usize,
    /// Entries of a tree that is asked for with all that is below it.
    pub tree_entries: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Caps {
            compare_commits: 250,
            compare_files: 300,
            commit_files: 300,
            commit_files_all: 3000,
            patch_lines: 20_000,
            patch_bytes: 500 * 1024,
            diff_lines: 20_000,
            per_page: 100,
            releases: 1000,
            search: 1000,
            refs: 1000,
            tree_entries: 100_000,
        }
    }
}

/// How many requests an hour GitHub answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Without a token.
    pub anonymous: u64,
    /// With one.
    pub authorized: u64,
    /// Seconds from the first request to the reset.
    pub window: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { anonymous: 60, authorized: 5000, window: 3600 }
    }
}
