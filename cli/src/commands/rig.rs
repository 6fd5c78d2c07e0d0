//! `headwater rig`: what is in use on the user's own machine.

use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use chrono::Utc;
use headwater_queries::rig;

use crate::args::Format;
use crate::context::Context;
use crate::machine::Machine;
use crate::render::{self, page::Page};

/// Exit status where something is not as it should be.
pub const ALERT: u8 = 3;

/// What is on your own machine, and whether it is what you think it is
///
/// Reads Ollama's version, installed models, the sha256 of each library of the backend
/// folders, what start scripts expect, and CUDA's versions; changes nothing on the machine.
/// Compares that with the rig file's known builds, with the readings before, and with
/// upstream. What is not there is told and is no error.
///
/// Exit status: 0 all as expected, 3 alert, 2 error.
///
/// Examples:
///   headwater rig init                 write a rig file from what is found
///   headwater rig                      read, compare, and keep the reading
///   headwater rig --format json
///   headwater rig log ~/.ollama/logs/server.log
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// What to look at instead
    #[command(subcommand)]
    pub what: Option<What>,
    #[command(flatten)]
    pub file: RigFileArg,
    /// Leave home paths, host names and private addresses out [default: for md and html]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub public: Option<bool>,
}

/// Where the rig file is.
#[derive(Debug, clap::Args)]
pub struct RigFileArg {
    /// The rig file [default: rig.toml in headwater's configuration directory]
    #[arg(long = "rig", global = true, env = "HEADWATER_RIG", value_name = "FILE")]
    pub rig: Option<PathBuf>,
}

/// What to look at.
#[derive(Debug, clap::Subcommand)]
pub enum What {
    /// Write a commented rig file from what is found on this machine
    ///
    /// What is installed now becomes the build that should be installed; edit the file and
    /// say what else you know. A file that is there already stays, unless --force is given.
    ///
    /// Examples:
    ///   headwater rig init
    ///   headwater rig init --output -      print it
    #[command(verbatim_doc_comment)]
    Init {
        /// Where to; - for standard output [default: the rig file]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Write over a file that is there
        #[arg(long)]
        force: bool,
    },
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
pub fn run(context: &Context, args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        Some(What::Log { file }) => log(context, file),
        Some(What::Init { output, force }) => init(context, args, output.as_deref(), *force),
        None => machine(context, args),
    }
}

/// Takes a reading and compares it.
fn machine(context: &Context, args: &Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let machine = Machine::new(context, &args.file)?;
    let mut store = context.open_or_create()?;
    let stored = machine.read(&mut store)?;
    let report = machine.compare(&mut store, &stored)?;
    let public = args.public.unwrap_or(matches!(format, Format::Md | Format::Html));
    let scrub = if public { Some(machine.scrub(&store, &report)?) } else { None };
    if format == Format::Json {
        render::json_without(&report, scrub.as_ref())?;
    } else {
        let mut page = Page::new(format, scrub.as_ref());
        render::machine::report(&mut page, &report);
        render::print(&page.finish("headwater rig"))?;
    }
    Ok(status(&report))
}

/// 0 where all is as expected, 3 where something is not.
pub fn status(report: &rig::RigReport) -> ExitCode {
    if report.is_alert() { ExitCode::from(ALERT) } else { ExitCode::SUCCESS }
}

/// Writes a rig file.
fn init(
    context: &Context,
    args: &Args,
    output: Option<&Path>,
    force: bool,
) -> anyhow::Result<ExitCode> {
    let path = match output {
        Some(path) => path.to_owned(),
        None => Machine::place(&args.file)?,
    };
    let to_stdout = path.as_os_str() == "-";
    if !to_stdout && !force && path.exists() {
        bail!(
            "{} is there already; --force writes over it, --output - prints what is found",
            path.display()
        );
    }
    let machine = Machine::unknown(context)?;
    let mut store = context.open_or_create()?;
    let reading = machine.take(&mut store)?;
    let pin = rig::installed_pin(&store, &context.upstreams, &reading)?;
    let text = render::rig_file::text(&reading, pin.as_deref(), Utc::now());
    if to_stdout {
        render::print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    render::write_whole(&path, &text)?;
    render::print(&format!(
        "wrote {}: what is installed now is what should be; edit it, then `headwater rig`\n",
        render::text::one_line(&path.display().to_string())
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a log, and prints what it tells.
fn log(context: &Context, file: &Path) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let told = || format!("cannot read {}", file.display());
    let (name, log) = match file.as_os_str() == "-" {
        true => ("standard input".to_owned(), rig::read_log(io::stdin().lock())),
        false => {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let open = std::fs::File::open(file).with_context(told)?;
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
