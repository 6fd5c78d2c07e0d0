//! `headwater classify`: the classes of commits, each with its rule and lines.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use headwater_queries::derive::labels::{derive, require_given};
use headwater_queries::window::{self, WindowSpec};
use headwater_store::model::Label;
use headwater_store::{CommitId, Oid, Store, StoredCommit, UpstreamId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// What commits are about: their classes, with the rule and the lines that say so
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The upstream: ollama, llama.cpp, or one that a file of yours declares
    pub upstream: String,
    /// A file with one commit a line, or - for standard input
    #[arg(long, value_name = "FILE|-", required_unless_present_any = ["window", "class"])]
    pub commits: Option<PathBuf>,
    /// The commits of a window
    #[arg(long, value_name = "BASE..HEAD", conflicts_with = "commits")]
    pub window: Option<String>,
    /// Only commits of this class; with nothing else given, of all that are stored
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
}

/// What commits are about, by which rule.
#[derive(Serialize, JsonSchema)]
pub struct Answer {
    /// `headwater/classify/1`
    schema: &'static str,
    /// The hash of the rule set that gave these classes.
    rules: String,
    /// The commits.
    commits: Vec<Classified>,
}

/// A commit with its classes.
#[derive(Serialize, JsonSchema)]
struct Classified {
    /// The upstream.
    upstream: String,
    /// The commit.
    sha: Oid,
    /// Its message's first line: a stranger's text.
    subject: String,
    /// The classes.
    classes: Vec<Label>,
}

/// Prints the classes of the commits asked for.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let declared = context.upstreams.get(&args.upstream)?;
    let upstream = &declared.name;
    let labelling = context.labelling()?;
    let sources = labelling.sources();
    if let Some(class) = &args.class {
        require_given(sources.rules, class)?;
    }
    let mut store = context.open()?;
    let id = store.upstream(upstream)?;
    let commits: Vec<StoredCommit> = match (&args.window, &args.commits) {
        (Some(window), _) => window::commits(&store, declared, &WindowSpec::parse(window)?)?,
        (None, Some(file)) => read(file)?
            .split_whitespace()
            .map(|name| find(&store, id, upstream, name))
            .collect::<anyhow::Result<_>>()?,
        (None, None) => {
            let mut ids = store.commit_ids_after(id, CommitId::NONE)?;
            ids.reverse();
            store.commits(id, &ids)?
        }
    };
    derive(&mut store, declared, &sources, context.question_jobs())?;
    let mut classified = Vec::with_capacity(commits.len());
    for commit in &commits {
        classified.push(Classified {
            upstream: upstream.clone(),
            sha: commit.commit().oid,
            subject: commit.commit().subject().to_owned(),
            classes: store.labels(commit.id())?,
        });
    }
    if let Some(class) = &args.class {
        classified.retain(|commit| commit.classes.iter().any(|label| label.class == *class));
    }
    if format == Format::Json {
        let rules = sources.rules.hash_hex();
        render::json(&Answer { schema: "headwater/classify/1", rules, commits: classified })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = render::table::Table::new(&["commit", "class", "rule", "subject"]);
    for commit in &classified {
        let mut first = true;
        for label in &commit.classes {
            let (sha, subject) = match first {
                true => (commit.sha.short(), commit.subject.clone()),
                false => (String::new(), String::new()),
            };
            first = false;
            table.row(vec![sha, label.class.clone(), label.rule.clone(), subject]);
        }
        if first {
            table.row(vec![
                commit.sha.short(),
                "none".into(),
                String::new(),
                commit.subject.clone(),
            ]);
        }
    }
    let mut stdout = anstream::stdout();
    write!(stdout, "{}", table.print(format))?;
    if format == Format::Table {
        writeln!(stdout, "{} of {} commits", classified.len(), commits.len())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The text of a file, or of standard input for `-`.
fn read(file: &Path) -> anyhow::Result<String> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The commit that a full or abbreviated id means.
pub fn find(
    store: &Store,
    id: UpstreamId,
    upstream: &str,
    name: &str,
) -> anyhow::Result<StoredCommit> {
    let mut found = store.commits_with_prefix(id, name, 5)?;
    match (found.pop(), found.len()) {
        (Some(commit), 0) => Ok(commit),
        (None, _) => bail!("{upstream} has no commit {name:?} in the store; give a commit id"),
        (Some(last), _) => {
            let mut all: Vec<String> =
                found.iter().map(|commit| commit.commit().oid.to_string()).collect();
            all.push(last.commit().oid.to_string());
            bail!("{name:?} could be any of {}; give more digits", all.join(", "))
        }
    }
}
