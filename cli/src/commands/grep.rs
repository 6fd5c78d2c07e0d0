//! `headwater grep`: exact search over history, or over a tree.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use headwater_queries::grep::{self, Detail, GrepRequest, Within};
use headwater_queries::window::WindowSpec;
use headwater_store::exact::PatternOptions;

use super::filter::FilterArgs;
use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Search the changed lines of all history, exactly
///
/// PATTERN is a regular expression in the syntax of Rust's regex crate, which has the POSIX
/// classes too (`[[:upper:]]`); it is matched line by line, as git does. The last line tells
/// what was searched: without gaps, no match is a proof (grade `grep`); with gaps, each is
/// named (grade `absent-partial`). Exit status: 0 found, 1 nothing found, 2 error.
///
/// Examples:
///   headwater grep 'RepeatPenalty:\s+1\.\d'
///   headwater grep -F -e '--flash-attn' v0.32.9..v0.32.13 --upstream ollama
///   headwater grep --commits --class cuda --path ggml/src graph
///   headwater grep --at llama.cpp@b10380 '\?penalties'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The pattern (unless -e gives it), then a window: BASE..HEAD, or BASE HEAD
    #[arg(value_name = "PATTERN [WINDOW]", num_args = 0..=3)]
    pub words: Vec<String>,
    /// A pattern; may be given several times, a line that any of them matches is found
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", allow_hyphen_values = true)]
    pub patterns: Vec<String>,
    /// Letters match in either case
    #[arg(short = 'i', long)]
    pub ignore_case: bool,
    /// The pattern is a plain text
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,
    /// Only whole words
    #[arg(short = 'w', long)]
    pub word_regexp: bool,
    /// Print how many lines of each commit match
    #[arg(short = 'c', long, conflicts_with = "files_with_matches")]
    pub count: bool,
    /// Print the files that match, not the lines
    #[arg(short = 'l', long)]
    pub files_with_matches: bool,
    /// At most so many matching lines of each file in a commit
    #[arg(short = 'm', long, value_name = "N")]
    pub max_count: Option<usize>,
    /// So many lines of the patch around each match (a patch has at most three)
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    pub context: usize,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What to search
    #[arg(long = "in", value_enum, value_name = "WHAT")]
    pub within: Option<Place>,
    /// Find files in which the number of matches changes, as `git log -S` does, rather
    /// than changed lines that match
    #[arg(long)]
    pub occurrences: bool,
    /// Also merges, against their first parent: git is asked for their texts, which takes
    /// seconds
    #[arg(long)]
    pub merges: bool,
    /// Print bare commit ids, one a line; what was searched is told on standard error
    #[arg(long)]
    pub commits: bool,
    /// Print nothing; the exit status tells
    #[arg(short = 'q', long, conflicts_with_all = ["commits", "count", "files_with_matches"])]
    pub quiet: bool,
    /// Tell on standard error how the answer was found
    #[arg(long)]
    pub explain: bool,
    /// Search the whole tree at this revision instead of history
    #[arg(long, value_name = "UPSTREAM@REVISION")]
    pub at: Option<String>,
}

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// Added lines
    Added,
    /// Removed lines
    Removed,
    /// Commit messages
    Message,
    /// Release notes
    Notes,
}

/// Searches and prints.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Ndjson])?;
    refuse(&args)?;
    let (patterns, window) = words(&args)?;
    let options = PatternOptions {
        ignore_case: args.ignore_case,
        fixed: args.fixed_strings,
        word: args.word_regexp,
    };
    let store = context.open()?;
    let mut request = GrepRequest {
        patterns,
        options,
        upstreams: Vec::new(),
        filter: args.filter.filter(window, args.merges)?,
        within: match args.within {
            Some(Place::Added) => Within::Added,
            Some(Place::Removed) => Within::Removed,
            Some(Place::Message) => Within::Message,
            Some(Place::Notes) | None => Within::Changes,
        },
        occurrences: args.occurrences,
        context: args.context,
        most: args.max_count,
        detail: if args.count {
            Detail::Count
        } else if args.files_with_matches {
            Detail::Files
        } else {
            Detail::Lines
        },
        jobs: context.question_jobs(),
    };
    if let Some(at) = &args.at {
        let answer = answers::grep::tree(context, &store, &request, at)?;
        if !args.quiet {
            render::grep::tree(&answer, &request.patterns, format, request.detail)?;
        }
        return Ok(found(!answer.counts.is_empty()));
    }
    request.upstreams = args.filter.upstreams(context, &store)?;
    args.filter.require_class(context, &store, &request.upstreams)?;
    if args.within == Some(Place::Notes) {
        return super::grep_notes::run(&store, &request, &args, format);
    }
    if args.commits || args.quiet {
        let matching = grep::commits(&store, &request)?;
        explain(&args, &matching.explanation)?;
        if args.commits {
            render::grep::commits(&matching)?;
        }
        return Ok(found(!matching.commits.is_empty()));
    }
    let answer = render::grep::history(&store, &request, format)?;
    explain(&args, &answer.explanation)?;
    Ok(found(answer.coverage.iter().any(|(found, _)| *found > 0)))
}

/// What needs records that no crawl brings yet, and what a tree does not have.
fn refuse(args: &Args) -> anyhow::Result<()> {
    let of_commits = [
        (args.filter.class.is_some(), "--class"),
        (args.merges, "--merges"),
        (!args.filter.path.is_empty(), "--path"),
        (args.occurrences, "--occurrences"),
        (args.filter.author.is_some(), "--author"),
    ];
    if args.within == Some(Place::Notes)
        && let Some((_, flag)) = of_commits.iter().find(|(given, _)| *given)
    {
        bail!(
            "release notes are not of single commits, so {flag} says nothing there; leave it out"
        );
    }
    let of_history = [
        (args.filter.class.is_some(), "--class"),
        (args.merges, "--merges"),
        (args.within.is_some(), "--in"),
        (args.commits, "--commits"),
        (args.occurrences, "--occurrences"),
        (args.filter.author.is_some(), "--author"),
        (args.filter.since.is_some() || args.filter.until.is_some(), "--since and --until"),
    ];
    if args.at.is_some()
        && let Some((_, flag)) = of_history.iter().find(|(given, _)| *given)
    {
        bail!(
            "--at searches the files of one revision, so {flag} says nothing there; leave it out"
        );
    }
    Ok(())
}

fn words(args: &Args) -> anyhow::Result<(Vec<String>, Option<WindowSpec>)> {
    let mut words = args.words.iter();
    let patterns = if args.patterns.is_empty() {
        let pattern =
            words.next().context("give a pattern, like: headwater grep repeat_penalty")?;
        vec![pattern.clone()]
    } else {
        args.patterns.clone()
    };
    let window = match (words.next(), words.next(), words.next()) {
        (None, ..) => None,
        (Some(first), second, None) => {
            Some(WindowSpec::from_args(first, second.map(String::as_str))?)
        }
        (.., Some(extra)) => bail!(
            "{extra:?} is one argument too many: a window is BASE..HEAD, and a pattern with spaces stands in quotes"
        ),
    };
    Ok((patterns, window))
}

fn explain(args: &Args, explanations: &[grep::Explanation]) -> anyhow::Result<()> {
    if args.explain {
        let mut stderr = anstream::stderr();
        for explanation in explanations {
            writeln!(stderr, "{}", render::text::safe(&explanation.to_string()))?;
        }
    }
    Ok(())
}

pub(super) fn found(found: bool) -> ExitCode {
    ExitCode::from(u8::from(!found))
}
