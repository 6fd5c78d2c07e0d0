//! What can go wrong with a question.

use headwater_store::StoreError;
use headwater_store::upstream::UpstreamError;

/// An error of a question.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// A name that is no tag, branch, commit or build number of the upstream.
    #[error("{upstream} has no {name:?}{nearest}")]
    UnknownRevision {
        /// The upstream.
        upstream: String,
        /// What was asked for.
        name: String,
        /// `; nearest: …`, or nothing.
        nearest: String,
    },
    /// No week, or no day that has been.
    #[error(
        "{0:?} is no time to look at; write a week like 2026-W33, or a day that has been like 2026-08-10"
    )]
    Period(String),
    /// A window of one upstream that was asked of several.
    #[error("{upstream} has no {name:?}; {window} is a window of another upstream: add {having}")]
    WindowOfAnother {
        /// The window.
        window: String,
        /// An upstream that lacks an end of it.
        upstream: String,
        /// That end.
        name: String,
        /// The option that names those that have both.
        having: String,
    },
    /// The start of an object id that no stored commit has.
    #[error("no stored commit starts with {start}{hint}")]
    NoCommit {
        /// What was asked for.
        start: String,
        /// What else it may mean, or nothing.
        hint: String,
    },
    /// An abbreviated object id that several commits share.
    #[error("{name:?} could be any of {candidates} in {upstream}; give more digits")]
    Ambiguous {
        /// The upstream.
        upstream: String,
        /// What was asked for.
        name: String,
        /// The first of them.
        candidates: String,
    },
    /// A window whose ends stand the wrong way round.
    #[error(
        "{base} is newer than {head}; swap them? {head}..{base} tells what changed between them"
    )]
    Reversed {
        /// The older end as given.
        base: String,
        /// The newer end as given.
        head: String,
    },
    /// A text that is no window.
    #[error("{0:?} is no window; write BASE..HEAD, like v0.32.9..v0.32.13")]
    NoWindow(String),
    /// A text that names no change.
    #[error(
        "{0:?} names no change; write llama.cpp#26802, #17679, or seven or more digits of a commit's id"
    )]
    NoChange(String),
    /// A change that no stored commit is.
    #[error(
        "no stored commit is {what}{notes}; a pull request is known by its commit's subject, or where it was looked up (`headwater crawl UPSTREAM WINDOW --notes`)"
    )]
    UnknownChange {
        /// The change.
        what: String,
        /// What else kept it from being found; each starts with a separator.
        notes: String,
    },
    /// A commit that the store lacks.
    #[error(
        "{upstream} {what} is not in the store; get it with `headwater crawl {upstream} {scope}`, or all of history with `headwater clone {upstream}`"
    )]
    NotStored {
        /// The upstream.
        upstream: String,
        /// What is missing.
        what: String,
        /// What to crawl.
        scope: String,
    },
    /// A file of rules that is not right.
    #[error("the rules in {file} are not valid: {why}")]
    Rules {
        /// The file.
        file: String,
        /// Where and why.
        why: String,
    },
    /// A map of the ranking that is not right.
    #[error(transparent)]
    Ranking(#[from] crate::rank::RulesError),
    /// A model of which nothing is stored.
    #[error(
        "nothing is stored of the model {name}; get it with `headwater crawl models {name}`{nearest}"
    )]
    NoModel {
        /// The name.
        name: String,
        /// `; the nearest …`, or nothing.
        nearest: String,
    },
    /// An upstream that serves no models.
    #[error("{0} serves no models, so no model runs at a version of it; try --upstream ollama")]
    NoServer(String),
    /// A pattern that does not compile.
    #[error("invalid pattern: {0}")]
    Pattern(String),
    /// The clone that an object store borrows from has gone.
    #[error(
        "the files of {upstream} were read from {dir}, which is gone; name a clone again with `headwater crawl {upstream} --from-git DIR`"
    )]
    LostClone {
        /// The upstream.
        upstream: String,
        /// The directory of objects that it was.
        dir: String,
    },
    /// The class rules are not right.
    #[error(transparent)]
    Classes(#[from] crate::classify::RulesError),
    /// The extractors of defaults are not right.
    #[error(transparent)]
    Extractor(#[from] crate::ledger::ExtractorError),
    /// A pattern that is no regular expression, or cannot be used.
    #[error(transparent)]
    BadPattern(#[from] headwater_store::exact::PatternError),
    /// A path that is no glob.
    #[error("{0:?} is no path or glob: {1}")]
    Glob(String, String),
    /// A file that a tree lacks.
    #[error(
        "{upstream} {revision} has no file {path}; `headwater grep --at {upstream}@{revision} -l WORD` lists those that hold a word"
    )]
    NoFile {
        /// The upstream.
        upstream: String,
        /// The revision.
        revision: String,
        /// The path.
        path: String,
    },
    /// Commits that are not labelled, or by other rules than those that are in force.
    #[error(
        "the commits of {upstream} are not labelled by the rules in force; `headwater rebuild labels` labels them"
    )]
    NotLabelled {
        /// The upstream.
        upstream: String,
    },
    /// A class that no commit has.
    #[error("no stored commit has the class {class:?}; there are: {known}")]
    NoClass {
        /// What was asked for.
        class: String,
        /// The classes that commits have.
        known: String,
    },
    /// A class that no rule gives.
    #[error("no rule gives the class {class:?}; the nearest are {nearest}")]
    NoRuleGives {
        /// What was asked for.
        class: String,
        /// Classes that rules give.
        nearest: String,
    },
    /// A knob that no extractor ever found.
    #[error("no default of {upstream} was ever called {knob:?}{nearest}")]
    NoKnob {
        /// The upstream.
        upstream: String,
        /// What was asked for.
        knob: String,
        /// `; the nearest …`, or nothing.
        nearest: String,
    },
    /// A search without a word.
    #[error(
        "{0:?} holds no word to look for; give words, or look for signs with `headwater grep -F`"
    )]
    NoWords(String),
    /// Names of upstreams of which nothing is stored, or that other options leave out.
    #[error(
        "nothing is stored of {0}, or --upstream leaves it out; `headwater status` tells what is"
    )]
    NoUpstream(String),
    /// A thread ended where it should not.
    #[error("a search thread failed; please report this")]
    ThreadDied,
    /// A measurement's input that is none.
    #[error(transparent)]
    Measure(#[from] crate::measure::MeasureError),
    /// A kept report that cannot be read.
    #[error("this kept report cannot be asked again: {0}")]
    Report(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An upstream file is not right.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
}
