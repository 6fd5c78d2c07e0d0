//! `headwater doctor`: is the store sound?

use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::derive::labels::Sources;
use headwater_queries::doctor::{Diagnosis, Examination, Health, examine};

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Is the store sound? Looks at records, indexes, derived tables and object stores
///
/// SQLite's integrity, what rows name, each index against the records and its own digests,
/// derived tables, receipts, the clone that objects are read from, and a sample of stored
/// patches against what git says now. Each finding says what to run. Exit status: 0 all is
/// fine, 1 something is wrong, 2 something could not be looked at.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Compare so many commits of each upstream with git (0: none)
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub sample: usize,
    /// Which commits these are: the same number takes the same ones [default: others each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// Examines, and prints the findings.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let (rules, extractors) = (context.rule_texts()?, context.extractors()?);
    let clock = chrono::Utc::now().timestamp().unsigned_abs();
    let diagnosis = examine(
        &store,
        &Examination {
            upstreams: &context.upstreams,
            sources: Sources { rules: &rules, extractors: &extractors },
            sample: args.sample,
            seed: args.seed.unwrap_or(clock),
        },
    );
    print(&diagnosis, format)?;
    Ok(ExitCode::from(match (diagnosis.count(Health::Problem), diagnosis.count(Health::Unseen)) {
        (0, 0) => 0,
        (0, _) => 2,
        _ => 1,
    }))
}

fn print(diagnosis: &Diagnosis, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        return render::json(diagnosis);
    }
    let mut table = render::table::Table::new(&["health", "check", "upstream", "found", "run"]);
    for finding in &diagnosis.findings {
        let health = match finding.health {
            Health::Fine => "fine",
            Health::Problem => "PROBLEM",
            Health::Unseen => "unseen",
        };
        table.row(vec![
            health.to_owned(),
            finding.check.to_owned(),
            finding.upstream.clone().unwrap_or_default(),
            finding.detail.clone(),
            finding.fix.clone().unwrap_or_default(),
        ]);
    }
    let mut stdout = anstream::stdout();
    write!(stdout, "{}", table.print(format))?;
    let (problems, unseen) = (diagnosis.count(Health::Problem), diagnosis.count(Health::Unseen));
    let checks = diagnosis.findings.len();
    writeln!(stdout, "{checks} checks: {problems} problems, {unseen} could not be looked at")?;
    Ok(())
}
