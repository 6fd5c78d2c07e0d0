//! The arguments: one table behind parsing, help, completions and the man page.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands;

/// Why did this upgrade change speed or answers? Which upstream defaults moved?
///
/// headwater reads what Ollama and llama.cpp changed, keeps it on your own disk, and
/// answers with a receipt under every claim.
#[derive(Debug, Parser)]
#[command(
    name = "headwater",
    version,
    arg_required_else_help = true,
    after_help = "Start with:\n  headwater demo                                      the main job on built-in data, no network\n  headwater why ollama v0.32.9..v0.32.13 --model M    what explains the change: fetches that window\n  headwater clone ollama                              all of history, for grep and the ledger\n  headwater crawl ollama --from-git DIR               the same from a clone that you have\n\nExit status: 0 done (grep, search: found; contains: yes; doctor: all is fine), 1 nothing found (contains: no; doctor: a problem), 2 error, 3 alert (rig, brief)."
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes, before or after its name.
#[derive(Debug, clap::Args)]
pub struct Global {
    /// The store's directory [default: the platform's data directory]
    #[arg(long, global = true, env = "HEADWATER_STORE", value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// How to print the answer; why, plan, observe, rig, reports and digest print html
    /// too, digest atom, grep ndjson
    #[arg(long, global = true, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// How many threads and git processes crawls and derivations may use [default: half
    /// the cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = clap::ColorChoice::Auto)]
    pub color: clap::ColorChoice,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Table,
    /// One JSON document, described in docs/
    Json,
    /// Markdown to paste, which pings nobody
    Md,
    /// A page of its own (reports)
    #[value(hide = true)]
    Html,
    /// One JSON document a line (grep)
    #[value(hide = true)]
    Ndjson,
    /// A feed (digest)
    #[value(hide = true)]
    Atom,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Why(commands::why::Args),
    Show(commands::show::Args),
    Pins(commands::pins::Args),
    Contains(commands::contains::Args),
    Lag(commands::lag::Args),
    Classify(commands::classify::Args),
    Crawl(commands::crawl::Args),
    Clone(commands::clone::Args),
    Rules(commands::rules::Args),
    Defaults(commands::defaults::Args),
    Digest(commands::digest::Args),
    Model(commands::model::Args),
    Effects(commands::effects::Args),
    File(commands::file::Args),
    Grep(commands::grep::Args),
    Search(commands::search::Args),
    Observe(commands::observe::Args),
    Plan(commands::plan::Args),
    Rig(commands::rig::Args),
    Brief(commands::brief::Args),
    Reports(commands::reports::Args),
    Receipts(commands::receipts::Args),
    #[command(hide = true)]
    RankCheck(commands::rank_check::Args),
    Status(commands::status::Args),
    Rebuild(commands::rebuild::Args),
    Doctor(commands::doctor::Args),
    Serve(commands::serve::Args),
    Mcp(commands::mcp::Args),
    Demo(commands::demo::Args),
    Schema(commands::schema::Args),
    Completions(commands::man::CompletionArgs),
    Man(commands::man::ManArgs),
}
