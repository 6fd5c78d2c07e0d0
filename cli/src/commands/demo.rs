//! `headwater demo`: the main job on built-in miniature upstreams.

use std::io::Write as _;
use std::process::ExitCode;

use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};
use headwater_crawler::progress::Silent;
use headwater_queries::why::{self, AsOf, WhyQuestion};
use headwater_queries::window::WindowSpec;
use headwater_store::Store;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// The main job on built-in data: no network, no files of yours, seconds
///
/// Makes a miniature "ollama" and "llama.cpp" in a temporary directory, crawls them as
/// the real ones are crawled, and asks why a window changed. Their history is made up;
/// everything that reads it is real.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Keep the repositories and the store in this directory, to try other commands on
    #[arg(long, value_name = "DIR")]
    pub keep: Option<std::path::PathBuf>,
}

/// Builds, crawls and asks.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let temporary = tempfile::tempdir()?;
    // Git runs in directories of its own, so that a relative path would be another there.
    let kept = args.keep.as_deref().map(std::path::absolute).transpose()?;
    let dir = kept.as_deref().unwrap_or(temporary.path());
    let demo = headwater_demo::build(&dir.join("upstreams"))?;
    let store_dir = dir.join("store");
    let mut store = Store::open_or_create(&store_dir)?;
    for (name, repository) in [("ollama", &demo.ollama), ("llama.cpp", &demo.llama_cpp)] {
        let crawl = GitCrawl {
            upstream: context.upstreams.get(name)?,
            dir: repository.path(),
            scope: CrawlScope::Whole,
            jobs: context.jobs(),
        };
        crawl_clone(&mut store, &crawl, &Silent)?;
        super::crawl::derive_all(context, &mut store, context.upstreams.get(name)?, &Silent)?;
    }
    let question = WhyQuestion {
        upstream: "ollama".to_owned(),
        window: WindowSpec {
            base: headwater_demo::BASE.to_owned(),
            head: headwater_demo::HEAD.to_owned(),
        },
        symptom: None,
        backend: Some(headwater_demo::BACKEND.to_owned()),
        model: Some(headwater_demo::MODEL.to_owned()),
        phase: None,
        kind: None,
        installed: None,
        as_of: AsOf::Now,
        jobs: context.question_jobs(),
    };
    let report =
        why::why(&store, &context.upstreams, &crate::answers::why::rules(context)?, &question)?;
    if format == Format::Json {
        render::json(&report)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut stdout = anstream::stdout();
    if format == Format::Table {
        writeln!(
            stdout,
            "A made-up pair of upstreams, small enough to read. The question:\n  {}\n",
            report.question
        )?;
    }
    stdout.write_all(render::why::screen(&report, 5, format, None).as_bytes())?;
    if args.keep.is_some() && format == Format::Table {
        writeln!(stdout, "\nKept: headwater --store {} status", store_dir.display())?;
    }
    Ok(ExitCode::SUCCESS)
}
