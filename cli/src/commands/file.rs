//! `headwater file`: one file at a revision.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Print one file as it was at a revision
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file: UPSTREAM@REVISION:PATH
    #[arg(value_name = "UPSTREAM@REVISION:PATH")]
    pub file: String,
}

/// Prints the file on standard output, and its receipt on standard error.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json])?;
    let store = context.open()?;
    let found = answers::file::ask(context, &store, &args.file)?;
    if format == Format::Json {
        render::json(&found.document())?;
        return Ok(ExitCode::SUCCESS);
    }
    let (file, path) = (&found.file, found.path);
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        stdout.write_all(render::text::safe(&String::from_utf8_lossy(&file.bytes)).as_bytes())?;
    } else {
        stdout.write_all(&file.bytes)?;
    }
    stdout.flush()?;
    let mut stderr = anstream::stderr();
    writeln!(
        stderr,
        "{} {} ({}) {}: blob {}, {} bytes, by {} at {}; grade record",
        found.upstream,
        render::text::one_line(&file.revision),
        file.sha.short(),
        render::text::one_line(path),
        file.blob,
        file.bytes.len(),
        file.receipt.transport(),
        file.receipt.obtained().format("%Y-%m-%dT%H:%M:%SZ"),
    )?;
    Ok(ExitCode::SUCCESS)
}
