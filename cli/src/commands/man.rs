//! `headwater completions` and `headwater man`: made from the one table of arguments.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Command, CommandFactory as _};

use crate::args::Cli;
use crate::render;

/// Print completions for a shell
///
/// For bash: headwater completions bash > ~/.local/share/bash-completion/completions/headwater
#[derive(Debug, clap::Args)]
pub struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints the completions.
pub fn completions(args: CompletionArgs) -> anyhow::Result<ExitCode> {
    // Into memory first: the generator panics where a reader has had enough.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut offered(), "headwater", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Write the manual pages into a directory
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The directory
    pub dir: PathBuf,
}

/// Writes one page for headwater and one for each command.
pub fn pages(args: ManArgs) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.dir)
        .with_context(|| format!("cannot make {}", args.dir.display()))?;
    for (name, page) in render::manual::pages(Cli::command())? {
        let path = args.dir.join(name);
        std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Without what is hidden from help: the generators of completions would offer it.
fn offered() -> Command {
    let all = Cli::command();
    let mut offered = Command::new("headwater")
        .version(env!("CARGO_PKG_VERSION"))
        .args(all.get_arguments())
        .subcommands(all.get_subcommands().filter(|command| !command.is_hide_set()));
    if let Some(about) = all.get_about() {
        offered = offered.about(about.clone());
    }
    offered
}
