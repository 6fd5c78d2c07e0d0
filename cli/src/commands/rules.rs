//! `headwater rules`: the rules that give classes, held to their examples, and why a
//! commit has its classes.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use headwater_queries::classify::{ExampleFailure, RuleInfo, RuleTold, Rules, check_examples};
use headwater_queries::derive::labels;
use headwater_queries::ledger;
use headwater_store::model::{Commit, Label, LineRef, Side};
use headwater_store::{Oid, StoredCommit};
use schemars::JsonSchema;
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
        /// Show for this rule which of its conditions fails
        #[arg(long, value_name = "ID")]
        rule: Option<String>,
    },
}

/// Every rule.
#[derive(Serialize, JsonSchema)]
pub struct List {
    /// `headwater/rules/1`
    schema: &'static str,
    /// The hash of the rule set.
    hash: String,
    /// The rules.
    rules: Vec<RuleInfo>,
}

/// What the rules make of their examples.
#[derive(Serialize, JsonSchema)]
pub struct Test {
    /// `headwater/rules-test/1`
    schema: &'static str,
    /// How many rules there are.
    rules: usize,
    /// How many of them are the user's own.
    own: usize,
    /// How many extractors of defaults there are.
    extractors: usize,
    /// How many of them are the user's own.
    own_extractors: usize,
    /// What is wrong.
    failures: Vec<ExampleFailure>,
}

/// Which rules fire on a commit.
#[derive(Serialize, JsonSchema)]
pub struct Explained {
    /// `headwater/rules-explain/1`
    schema: &'static str,
    /// The upstream.
    upstream: String,
    /// The commit.
    sha: Oid,
    /// Its message's first line: a stranger's text.
    subject: String,
    /// The hash of the rule set.
    rules: String,
    /// The classes, each with the lines that gave it.
    classes: Vec<Label>,
    /// What keeps the commit from the classes that need every change to be covered.
    uncovered: Vec<Uncovered>,
}

/// What one rule makes of a commit.
#[derive(Serialize, JsonSchema)]
pub struct RuleExplained {
    /// `headwater/rules-explain-rule/1`
    schema: &'static str,
    /// The upstream.
    upstream: String,
    /// The commit.
    sha: Oid,
    /// Its message's first line: a stranger's text.
    subject: String,
    /// What the rule makes of it.
    #[serde(flatten)]
    told: RuleTold,
}

/// What keeps a commit from a class that needs every change to be covered.
#[derive(Serialize, JsonSchema)]
struct Uncovered {
    /// The class.
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
        Action::Explain { sha, rule } => explain(context, format, &sha, rule.as_deref()),
    }
}

fn list(context: &Context, format: Format) -> anyhow::Result<ExitCode> {
    let rules = context.rules()?;
    warn_of_strangers(context, &rules)?;
    let list = rules.list();
    if format == Format::Json {
        render::json(&List { schema: "headwater/rules/1", hash: rules.hash_hex(), rules: list })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = render::table::Table::new(&["rule", "upstreams", "what it recognises"]);
    for rule in list {
        let upstreams =
            if rule.upstreams.is_empty() { "all".into() } else { rule.upstreams.join(", ") };
        let mark = match (rule.own, rule.replaces) {
            (true, true) => " (yours, for the built-in one)",
            (true, false) => " (yours)",
            _ => "",
        };
        table.row(vec![rule.id, upstreams, format!("{}{mark}", rule.description)]);
    }
    write!(anstream::stdout(), "{}", table.print(format))?;
    Ok(ExitCode::SUCCESS)
}

/// Upstreams that rules of the user's own name and nobody declares: such a rule never fires.
fn strangers(context: &Context, rules: &Rules) -> Vec<ExampleFailure> {
    let own = rules.list().into_iter().filter(|rule| rule.own);
    own.flat_map(|rule| unknown_upstreams(context, &rule.id, &rule.file, &rule.upstreams)).collect()
}

/// What is wrong with the upstreams that a rule or an extractor names.
fn unknown_upstreams(
    context: &Context,
    id: &str,
    file: &str,
    names: &[String],
) -> Vec<ExampleFailure> {
    let mut found = Vec::new();
    for name in names {
        let what = match context.upstreams.get(name) {
            Ok(upstream) if upstream.name == *name => continue,
            Ok(upstream) => format!("write {:?} for the upstream {name:?}", upstream.name),
            Err(error) => error.to_string(),
        };
        found.push(ExampleFailure { rule: id.to_owned(), file: file.to_owned(), what });
    }
    found
}

fn warn_of_strangers(context: &Context, rules: &Rules) -> anyhow::Result<()> {
    for ExampleFailure { rule, file, what } in strangers(context, rules) {
        let line = render::text::one_line(&format!("headwater: {file}: {rule}: {what}"));
        writeln!(anstream::stderr(), "{line}")?;
    }
    Ok(())
}

fn test(context: &Context, format: Format) -> anyhow::Result<ExitCode> {
    let rules = context.rules()?;
    let mut failures = check_examples(&rules);
    failures.extend(strangers(context, &rules));
    let extractors = context.extractors()?;
    failures.extend(ledger::check_examples(&extractors));
    let own_extractors: Vec<_> = extractors.own().collect();
    for (id, file, upstreams) in &own_extractors {
        failures.extend(unknown_upstreams(context, id, file, upstreams));
    }
    let code = if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) };
    let list = rules.list();
    let own: Vec<&RuleInfo> = list.iter().filter(|rule| rule.own).collect();
    let (count, own_count) = (list.len(), own.len());
    if format == Format::Json {
        let schema = "headwater/rules-test/1";
        let extractors = extractors.count();
        let own_extractors = own_extractors.len();
        let (rules, own) = (count, own_count);
        render::json(&Test { schema, rules, own, extractors, own_extractors, failures })?;
        return Ok(code);
    }
    let mut stdout = anstream::stdout();
    for failure in &failures {
        let line = format!("{}: {}: {}", failure.file, failure.rule, failure.what);
        writeln!(stdout, "{}", render::text::one_line(&line))?;
    }
    let mut files: Vec<(&str, usize)> = Vec::new();
    for rule in own.iter().filter(|rule| rule.replaces) {
        let line = format!("{}: {} takes the place of the built-in rule", rule.file, rule.id);
        writeln!(stdout, "{}", render::text::one_line(&line))?;
    }
    let of_extractors = own_extractors.iter().map(|(_, file, _)| *file);
    for of in own.iter().map(|rule| rule.file.as_str()).chain(of_extractors) {
        match files.iter_mut().find(|(file, _)| *file == of) {
            Some((_, count)) => *count += 1,
            None => files.push((of, 1)),
        }
    }
    for (file, count) in files {
        writeln!(stdout, "{}", render::text::one_line(&format!("{count} from {file}")))?;
    }
    writeln!(
        stdout,
        "{} extractors of defaults, {} of them yours",
        extractors.count(),
        own_extractors.len()
    )?;
    writeln!(stdout, "{count} rules, {own_count} of them yours, {} failures", failures.len())?;
    Ok(code)
}

fn explain(
    context: &Context,
    format: Format,
    sha: &str,
    rule: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let rules = context.rules()?;
    warn_of_strangers(context, &rules)?;
    let store = context.open()?;
    let mut found: Vec<(String, StoredCommit)> = Vec::new();
    for (id, name) in store.upstream_names()? {
        let commits = store.commits_with_prefix(id, sha, 5)?;
        found.extend(commits.into_iter().map(|commit| (name.clone(), commit)));
    }
    let Some((upstream, commit)) = found.pop() else {
        bail!("no stored commit starts with {sha:?}; give five or more digits of one's id");
    };
    if !found.is_empty() {
        found.push((upstream, commit));
        let all: Vec<String> =
            found.iter().map(|(name, c)| format!("{name} {}", c.commit().oid)).collect();
        bail!("{sha:?} could be any of {}; give more digits", all.join(", "));
    }
    if let Some(id) = rule {
        let Some(told) = labels::told(&store, &upstream, &rules, &commit, id)? else {
            bail!("no rule is called {id:?}; `headwater rules list` shows all");
        };
        return tell_rule(format, &upstream, commit.commit(), told);
    }
    let labels = labels::label_one(&store, &upstream, &rules, commit.id())?;
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

/// Tells what one rule makes of a commit.
fn tell_rule(
    format: Format,
    upstream: &str,
    commit: &Commit,
    told: RuleTold,
) -> anyhow::Result<ExitCode> {
    if format == Format::Json {
        render::json(&RuleExplained {
            schema: "headwater/rules-explain-rule/1",
            upstream: upstream.to_owned(),
            sha: commit.oid,
            subject: commit.subject().to_owned(),
            told,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut stdout = anstream::stdout();
    let mut say = |line: String| {
        let line = if format == Format::Md {
            render::text::markdown(&line)
        } else {
            render::text::one_line(&line)
        };
        writeln!(stdout, "{line}")
    };
    say(format!("{upstream} {} {}", commit.oid.short(), commit.subject()))?;
    let whether = match (told.for_upstream, told.covered, told.fires) {
        (false, ..) => format!("is not for {upstream}"),
        (true, Some((covered, all)), _) => format!("covers {covered} of {all} hunks"),
        (true, None, true) => "fires".to_owned(),
        (true, None, false) => "does not fire".to_owned(),
    };
    say(format!("{} {whether}", told.rule))?;
    for clause in &told.clauses {
        let name = format!("{} {}", clause.part, clause.number);
        let place = clause.lines.first().map(|line| place(line).join(" ")).unwrap_or_default();
        say(match &clause.failed {
            Some(failed) if place.is_empty() => format!("{name} fails at: {failed}"),
            Some(failed) => format!("{name} fails at: {failed} — for {place}"),
            None => format!("{name} holds: {place}"),
        })?;
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
