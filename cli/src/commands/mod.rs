//! One module a command: its arguments, and what it does with the libraries.

pub mod classify;
pub mod crawl;
pub mod defaults;
pub mod rank_check;
pub mod rules;
pub mod status;

use std::process::ExitCode;

use crate::args::{Cli, Command};
use crate::context::Context;

/// Runs the command that the arguments name.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let context = Context::new(cli.global)?;
    match cli.command {
        Command::Classify(args) => classify::run(&context, args),
        Command::Crawl(args) => crawl::run(&context, args),
        Command::Defaults(args) => defaults::run(&context, args),
        Command::RankCheck(args) => rank_check::run(&context, args),
        Command::Rules(args) => rules::run(&context, args),
        Command::Status(args) => status::run(&context, args),
    }
}
