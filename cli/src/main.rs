//! The headwater command line: arguments in, answers out. What is asked and how it is
//! answered lives in the libraries.

mod answers;
mod args;
mod commands;
mod context;
mod live;
mod machine;
mod mcp;
mod progress;
mod render;
mod schemas;
mod serve;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Cli;

fn main() -> ExitCode {
    match commands::run(Cli::parse()) {
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

/// Whether whoever reads our output has had enough, as `head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
