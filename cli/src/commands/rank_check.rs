//! `headwater rank-check`: how good the ranking's weights are, for those who change them.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use headwater_queries::derive::ranking;
use headwater_queries::rank::words;
use headwater_queries::why::check::{
    self, Case, CaseLoader, CaseRanking, Checker, PointTexts, Scores,
};

use crate::context::Context;
use crate::render::text::one_line;

/// Check the ranking's weights on cases whose culprit is known
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cases, one JSON document a line
    #[arg(long, value_name = "FILE", required_unless_present = "write_words")]
    cases: Option<PathBuf>,
    /// Count the words of the stored histories, into the files that are shipped
    #[arg(long, value_name = "DIR")]
    write_words: Option<PathBuf>,
    /// Weights to check instead of the shipped ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Points of what is known besides words, instead of the shipped ones
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,
    /// Let what later commits say count
    #[arg(long)]
    hindsight: bool,
    /// Show the scores without each family of evidence
    #[arg(long)]
    ablations: bool,
    /// Fit the weights on other cases than those that are scored, in so many folds
    #[arg(long, value_name = "FOLDS")]
    cross_validate: Option<usize>,
    /// Show the first three and the answer of cases whose answer is beyond this rank
    #[arg(long, value_name = "RANK")]
    misses: Option<usize>,
}

/// Scores the cases and prints what was asked for.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let mut store = context.open()?;
    for (_, name) in store.upstream_names()? {
        ranking::derive(&mut store, &name, context.jobs())?;
    }
    if let Some(dir) = &args.write_words {
        for (id, name) in store.upstream_names()? {
            let path = dir.join(format!("{name}.bin"));
            std::fs::write(&path, words::file(&store, id)?)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    let Some(cases) = &args.cases else { return Ok(ExitCode::SUCCESS) };
    let read = |path: &PathBuf| {
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let mut texts = PointTexts::shipped();
    if let Some(path) = &args.weights {
        texts.weights = read(path)?;
    }
    if let Some(path) = &args.prior {
        texts.prior = read(path)?;
    }
    let rules = crate::answers::why::rules(context)?;
    let mut loader = CaseLoader::new(&store, &context.upstreams, &rules, context.question_jobs())?;
    let raw = check::parse_cases(&read(cases)?)?;
    let cases = raw.iter().map(|raw| loader.load(raw)).collect::<Result<Vec<_>, _>>()?;
    let mut out = anstream::stdout();
    let mut checker = Checker::new(&rules.facets)?;
    let found = checker.rankings(&cases, &texts, args.hindsight)?;
    if let Some(beyond) = args.misses {
        for (case, found) in cases.iter().zip(&found) {
            if found.rank.is_none_or(|rank| rank > beyond) {
                miss(&mut out, case, found)?;
            }
        }
    }
    let ranks: Vec<_> = found.iter().map(|found| found.rank).collect();
    let mut kinds: Vec<&str> = cases.iter().map(|case| case.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let all = cases.iter().zip(&ranks);
        let of: Vec<_> = all.filter(|(case, _)| case.kind == kind).map(|(_, rank)| *rank).collect();
        writeln!(out, "{kind:14} {}", Scores::of(&of))?;
    }
    writeln!(out, "{:14} {}", "all", Scores::of(&ranks))?;
    if args.ablations {
        for without in check::ablations(&cases, &mut checker, &texts, args.hindsight)? {
            writeln!(out, "without {:26} {}", without.name, without.scores)?;
        }
    }
    if let Some(folds) = args.cross_validate {
        let (scores, _) = check::cross_validate(cases, &mut checker, &texts, folds, |line| {
            let _ = writeln!(anstream::stderr(), "{line}");
        })?;
        writeln!(out, "cross-validated {scores}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The first three of a case and its answer, with their reasons.
fn miss(out: &mut impl Write, case: &Case, found: &CaseRanking) -> anyhow::Result<()> {
    let rank = found.rank.map_or("none".to_owned(), |rank| rank.to_string());
    let symptom = one_line(&case.symptom);
    writeln!(out, "{} rank {rank} of {}: {symptom}", case.id, found.commits.len())?;
    for (at, commit) in found.commits.iter().enumerate() {
        let answer = case.answers.contains(&commit.oid);
        if at >= 3 && !answer {
            continue;
        }
        let subject = case.subjects.get(&commit.oid).map_or("", String::as_str);
        writeln!(
            out,
            " {}{:>4} {:6.2} {} {} {}",
            if answer { '*' } else { ' ' },
            at + 1,
            commit.score,
            commit.oid.short(),
            commit.verdict,
            one_line(subject)
        )?;
        for (points, words) in &commit.reasons {
            writeln!(out, "        {points:+.2} {}", one_line(words))?;
        }
    }
    Ok(())
}
