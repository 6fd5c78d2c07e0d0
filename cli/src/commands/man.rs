//! `headwater completions` and `headwater man`: made from the one table of arguments.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::Cli;

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
    clap_complete::generate(args.shell, &mut Cli::command(), "headwater", &mut text);
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
    clap_mangen::generate_to(Cli::command(), &args.dir)
        .with_context(|| format!("cannot write to {}", args.dir.display()))?;
    Ok(ExitCode::SUCCESS)
}
