//! `headwater rig`: what is in use on the user's own machine.

use std::io::{self, BufReader, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use headwater_queries::rig;

use crate::args::Format;
use crate::context::Context;
use crate::render::{self, page::Page};

/// What is in use on your own machine
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to look at
    #[command(subcommand)]
    pub what: What,
}

/// What to look at.
#[derive(Debug, clap::Subcommand)]
pub enum What {
    /// Read a log of Ollama or llama-server: versions, samplers, options and flags in use
    ///
    /// Answers who still pays for penalties: a chain with `penalties` does, one with
    /// `?penalties` does not. The log is read here and nowhere else; nothing is kept.
    ///
    /// Examples:
    ///   headwater rig log ~/.ollama/logs/server.log
    ///   journalctl -u ollama | headwater rig log -
    #[command(verbatim_doc_comment)]
    Log {
        /// The log; - for standard input
        file: PathBuf,
    },
}

/// Reads, and prints what it tells.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let What::Log { file } = args.what;
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let told = || format!("cannot read {}", file.display());
    let (name, log) = match file.as_os_str() == "-" {
        true => ("standard input".to_owned(), rig::read_log(io::stdin().lock())),
        false => {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let open = std::fs::File::open(&file).with_context(told)?;
            (name, rig::read_log(BufReader::new(open.take(4 << 30))))
        }
    };
    let log = log.with_context(told)?;
    if format == Format::Json {
        render::json(&log)?;
        return Ok(ExitCode::SUCCESS);
    }
    let scrub = context.scrub_if(format, None)?;
    let mut page = Page::new(format, scrub.as_ref());
    render::rig::log(&mut page, &name, &log);
    render::print(&page.finish("headwater rig log"))?;
    Ok(ExitCode::SUCCESS)
}
