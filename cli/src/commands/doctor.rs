//! `headwater doctor`: is the store sound?

use std::io::Write as _;
use std::process::ExitCode;

use headwater_crawler::http;
use headwater_queries::doctor::{Diagnosis, Examination, Health, examine};

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Is the store sound? Looks at records, indexes, derived tables and object stores
///
/// SQLite's integrity, what rows name, each index against the records and its own digests,
/// derived tables, receipts, the clone that objects are read from, and a sample of stored
/// patches against what git says now. Each finding says what to run. With --live, one
/// small request to each host instead. Exit status: 0 all is fine, 1 something is wrong,
/// 2 something could not be looked at.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Compare so many commits of each upstream with git (0: none)
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub sample: usize,
    /// Which commits these are: the same number takes the same ones [default: others each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Ask each host for something small, and tell what answered
    #[arg(long)]
    pub live: bool,
}

/// A repository and a model that have been there for long.
const KNOWN: (&str, &str) = ("ollama/ollama", "all-minilm");

/// What each host answered.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Hosts {
    /// `headwater/doctor-live/1`
    schema: &'static str,
    /// The hosts.
    hosts: Vec<HostAnswer>,
}

/// What one host answered.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct HostAnswer {
    /// What the host is for.
    host: &'static str,
    /// What was asked.
    url: String,
    /// The HTTP status, where one came.
    status: Option<u16>,
    /// The length of the answer.
    bytes: Option<usize>,
    /// Whether the answer has the shape that headwater reads.
    as_expected: bool,
    /// Why no answer came.
    error: Option<String>,
}

/// Asks the hosts.
fn live(context: &Context, format: Format) -> anyhow::Result<ExitCode> {
    let client = context.client()?;
    let answers = http::probe(&client, &context.hosts()?, KNOWN.0, KNOWN.1);
    let hosts: Vec<HostAnswer> = answers
        .into_iter()
        .map(|probe| {
            let seen = probe.answer.as_ref().ok();
            HostAnswer {
                host: probe.host,
                url: probe.url,
                status: seen.map(|seen| seen.status),
                bytes: seen.map(|seen| seen.bytes),
                as_expected: seen.is_some_and(|seen| seen.as_expected),
                error: probe.answer.err().map(|error| error.to_string()),
            }
        })
        .collect();
    let wrong = hosts.iter().any(|one| one.status.is_some() && !one.as_expected);
    let unseen = hosts.iter().any(|one| one.status.is_none());
    let code = ExitCode::from(match (wrong, unseen) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    });
    if format == Format::Json {
        render::json(&Hosts { schema: "headwater/doctor-live/1", hosts })?;
        return Ok(code);
    }
    let mut table = render::table::Table::new(&["health", "host", "asked", "answer"]);
    for one in hosts {
        let answer = match (one.status, one.bytes) {
            (Some(status), Some(bytes)) => format!("{status}, {bytes} bytes"),
            _ => one.error.unwrap_or_default(),
        };
        let health = match (one.as_expected, one.status) {
            (true, _) => "fine",
            (false, Some(_)) => "NOT AS EXPECTED",
            (false, None) => "unseen",
        };
        table.row(vec![health.to_owned(), one.host.to_owned(), one.url, answer]);
    }
    write!(anstream::stdout(), "{}", table.print(format))?;
    Ok(code)
}

/// Examines, and prints the findings.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    if args.live {
        return live(context, format);
    }
    let store = context.open()?;
    let labelling = context.labelling()?;
    let clock = chrono::Utc::now().timestamp().unsigned_abs();
    let diagnosis = examine(
        &store,
        &Examination {
            upstreams: &context.upstreams,
            sources: labelling.sources(),
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
