//! The headwater command line: arguments in, answers out. What is asked and how it is
//! answered lives in the libraries.

mod answers;
mod args;
mod commands;
mod context;
mod live;
mod lying;
mod machine;
mod made;
mod mcp;
mod progress;
mod render;
mod schemas;
mod serve;

use std::io::Write as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use crate::args::Cli;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if is_bare(&error) => {
            // Clap would list the hidden ones too.
            let help = Cli::command().color(clap::ColorChoice::Auto).render_long_help();
            let _ = write!(anstream::stderr(), "{}", help.ansi());
            return ExitCode::from(2);
        }
        Err(error) => error.exit(),
    };
    match commands::run(cli) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Errors can quote upstream text, which is hostile.
            let line = render::text::error_line(&error);
            let mut stderr = anstream::stderr();
            let _ = writeln!(stderr, "headwater: {line}");
            ExitCode::from(2)
        }
    }
}

/// Whether no command was named at all.
fn is_bare(error: &clap::Error) -> bool {
    let of = error.get(ContextKind::InvalidSubcommand);
    error.kind() == ErrorKind::MissingSubcommand
        && matches!(of, Some(ContextValue::String(name)) if name == "headwater")
}

/// Whether whoever reads our output has had enough, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
