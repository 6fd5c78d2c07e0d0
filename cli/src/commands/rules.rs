//! `headwater rules`: the rules that give classes, held to their examples, and why a
//! commit has its classes.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use headwater_queries::classify::{ExampleFailure, RuleInfo, check_examples};
use headwater_queries::derive::labels;
use headwater_store::model::{Label, LineRef, Side};
use headwater_store::{Oid, StoredCommit};
use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// The rules that give commits their classes
///
/// Yours are read after the built-in ones, from `rules/classes` in the configuration
/// directory; a rule with the id of a built-in one takes its place.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    pub action: Action,
}

/// What to do with the rules.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// List the rules with what each recognises
    List,
    /// Run every rule over its examples; exit status 1 where one is wrong or missing
    Test,
    /// Show which rules fire on a commit, and on which lines
    Explain {
        /// The commit, in any upstream of the store
        sha: String,
    },
}

#[derive(Serialize)]
struct List {
    schema: &'static str,
    hash: String,
    rules: Vec<RuleInfo>,
}

#[derive(Serialize)]
struct Test {
    schema: &'static str,
    rules: usize,
    failures: Vec<ExampleFailure>,
}

#[derive(Serialize)]
struct Explained {
    schema: &'static str,
    upstream: String,
    sha: Oid,
    subject: String,
    rules: String,
    classes: Vec<Label>,
    /// What keeps the commit from the classes that need every change to be covered.
    uncovered: Vec<Uncovered>,
}

#[derive(Serialize)]
struct Uncovered {
    class: String,
    /// A line of each hunk that no rule of the class covers.
    lines: Vec<LineRef>,
}

/// Lists, tests or explains.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    match args.action {
        Action::List => list(context, format),
        Action::Test => test(context, format),
        Action::Explain { sha } => explain(context, format, &sha),
    }
}

fn list(context: &Context, format: Format) -> anyhow::Result<ExitCode> {
    let rules = context.rules()?;
    let list = rules.list();
    if format == Format::Json {
        render::json(&List { schema: "headwater/rules/1", hash: rules.hash_hex(), rules: list })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = render::table::Table::new(&["rule", "upstreams", "what it recognises"]);
    for rule in list {
        let upstreams =
            if rule.upstreams.is_empty() { "all".into() } else { rule.upstreams.join(", ") };
        table.row(vec![rule.id, upstreams, rule.description]);
    }
    write!(anstream::stdout(), "{}", table.print(format))?;
    Ok(ExitCode::SUCCESS)
}

fn test(context: &Context, format: Format) -> anyhow::Result<ExitCode> {
    let rules = context.rules()?;
    let failures = check_examples(&rules);
    let code = if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) };
    let count = rules.list().len();
    if format == Format::Json {
        render::json(&Test { schema: "headwater/rules-test/1", rules: count, failures })?;
        return Ok(code);
    }
    let mut stdout = anstream::stdout();
    for failure in &failures {
        let line = format!("{}: {}: {}", failure.file, failure.rule, failure.what);
        writeln!(stdout, "{}", render::text::one_line(&line))?;
    }
    writeln!(stdout, "{count} rules, {} failures", failures.len())?;
    Ok(code)
}

fn explain(context: &Context, format: Format, sha: &str) -> anyhow::Result<ExitCode> {
    let rules = context.rules()?;
    let store = context.open()?;
    let mut found: Vec<(String, StoredCommit)> = Vec::new();
    for (id, name) in store.upstream_names()? {
        let commits = store.commits_with_prefix(id, sha, 5)?;
        found.extend(commits.into_iter().map(|commit| (name.clone(), commit)));
    }
    let Some((upstream, commit)) = found.pop() else {
        bail!("no upstream in the store has a commit {sha:?}");
    };
    if !found.is_empty() {
        found.push((upstream, commit));
        let all: Vec<String> =
            found.iter().map(|(name, c)| format!("{name} {}", c.commit().oid)).collect();
        bail!("{sha:?} could be any of {}; give more digits", all.join(", "));
    }
    let labels = labels::label_one(&store, &upstream, &rules, &commit)?;
    let left = labels::uncovered(&store, &upstream, &rules, &commit)?;
    let uncovered: Vec<Uncovered> =
        left.into_iter().map(|(class, lines)| Uncovered { class, lines }).collect();
    let commit = commit.commit();
    if format == Format::Json {
        render::json(&Explained {
            schema: "headwater/rules-explain/1",
            upstream,
            sha: commit.oid,
            subject: commit.subject().to_owned(),
            rules: rules.hash_hex(),
            classes: labels,
            uncovered,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = render::table::Table::new(&["class", "rule", "file", "line", "text"]);
    for label in &labels {
        for line in &label.evidence {
            table.row([vec![label.class.clone(), label.rule.clone()], place(line)].concat());
        }
    }
    let mut stdout = anstream::stdout();
    let head = format!("{upstream} {} {}", commit.oid.short(), commit.subject());
    let head = if format == Format::Md {
        render::text::markdown(&head)
    } else {
        render::text::one_line(&head)
    };
    writeln!(stdout, "{head}\n")?;
    if table.is_empty() {
        writeln!(stdout, "No rule fires: it matters, but for none of the known classes.")?;
    } else {
        write!(stdout, "{}", table.print(format))?;
    }
    for Uncovered { class, lines } in &uncovered {
        let count = lines.len();
        let hunks = if count == 1 { "hunk is" } else { "hunks are" };
        writeln!(stdout, "\nNot {class}: {count} {hunks} covered by no rule of the class.\n")?;
        let mut table = render::table::Table::new(&["file", "line", "text"]);
        for line in lines.iter().take(MOST_UNCOVERED) {
            table.row(place(line));
        }
        write!(stdout, "{}", table.print(format))?;
        if count > MOST_UNCOVERED {
            writeln!(stdout, "… and {} more", count - MOST_UNCOVERED)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// How many uncovered hunks are shown on a screen.
const MOST_UNCOVERED: usize = 8;

/// The file, line and text of a line, for a table.
fn place(line: &LineRef) -> Vec<String> {
    let sign = match line.side {
        Side::Removed => '-',
        Side::Added => '+',
        Side::Context => ' ',
    };
    vec![line.path.clone(), line.line.to_string(), format!("{sign}{}", line.text)]
}
