//! One module a command: its arguments, and what it does with the libraries.

pub mod backend;
pub mod brief;
pub mod classify;
pub mod clone;
pub mod contains;
pub mod crawl;
pub mod crawl_models;
pub mod defaults;
pub mod demo;
pub mod digest;
pub mod doctor;
pub mod effects;
pub mod file;
pub mod filter;
pub mod grep;
pub mod grep_notes;
pub mod kept;
pub mod lag;
pub mod man;
pub mod mcp;
pub mod model;
pub mod observe;
pub mod pins;
pub mod plan;
pub mod rank_check;
pub mod rebuild;
pub mod receipts;
pub mod reports;
pub mod rig;
pub mod rules;
pub mod schema;
pub mod search;
pub mod serve;
pub mod show;
pub mod status;
pub mod why;

use std::process::ExitCode;

use crate::args::{Cli, Command};
use crate::context::Context;

/// Runs the command that the arguments name.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let context = Context::new(cli.global)?;
    let (made, lying) = (context.made.clone(), context.lying.clone());
    let done = answer(context, cli.command);
    lying.tell_changed()?;
    let tidied = made.tidy();
    let code = done?;
    tidied?;
    Ok(code)
}

fn answer(context: Context, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Brief(args) => brief::run(&context, &args),
        Command::Classify(args) => classify::run(&context, args),
        Command::Clone(args) => clone::run(&context, args),
        Command::Contains(args) => contains::run(&context, &args),
        Command::Lag(args) => lag::run(&context, &args),
        Command::Crawl(args) => crawl::run(&context, args),
        Command::Doctor(args) => doctor::run(&context, args),
        Command::Rebuild(args) => rebuild::run(&context, args),
        Command::Search(args) => search::run(&context, args),
        Command::Demo(args) => demo::run(&context, args),
        Command::Model(args) => model::run(&context, args),
        Command::Effects(args) => effects::run(&context, args),
        Command::Observe(args) => observe::run(&context, args),
        Command::Plan(args) => plan::run(&context, args),
        Command::Pins(args) => pins::run(&context, args),
        Command::Show(args) => show::run(&context, args),
        Command::Why(args) => why::run(&context, args),
        Command::Completions(args) => man::completions(args),
        Command::Serve(args) => serve::run(context, args),
        Command::Mcp(args) => mcp::run(context, &args),
        Command::Man(args) => man::pages(args),
        Command::Receipts(args) => receipts::run(&context, args),
        Command::Reports(args) => reports::run(&context, args),
        Command::Rig(args) => rig::run(&context, &args),
        Command::Rules(args) => rules::run(&context, args),
        Command::Schema(args) => schema::run(&context, args),
        Command::Defaults(args) => defaults::run(&context, args),
        Command::Digest(args) => digest::run(&context, &args),
        Command::File(args) => file::run(&context, args),
        Command::Grep(args) => grep::run(&context, args),
        Command::RankCheck(args) => rank_check::run(&context, args),
        Command::Status(args) => status::run(&context, args),
    }
}
