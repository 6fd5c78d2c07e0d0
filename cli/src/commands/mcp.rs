//! `headwater mcp`: a server for agents, on standard input and output.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::context::Context;
use crate::mcp;

/// Let an agent ask: a Model Context Protocol server on standard input and output
///
/// A client starts it; docs/mcp.md shows how. It answers from the store, with what
/// `--format json` of the commands prints: why, grep, search, defaults, effective, show,
/// file_at, pins, contains, digest. Nothing is asked of any network without --online.
///
/// Examples:
///   headwater mcp
///   headwater --store ~/headwater mcp --online
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Let `why` fetch what the store lacks of a window, as the command does
    #[arg(long)]
    pub online: bool,
}

/// Serves until the client hangs up.
pub fn run(context: Context, args: &Args) -> anyhow::Result<ExitCode> {
    if std::io::stdin().is_terminal() {
        writeln!(
            anstream::stderr(),
            "headwater mcp is spoken to by a client, in JSON; docs/mcp.md shows how one is told of it"
        )?;
    }
    mcp::serve(context, args.online)?;
    Ok(ExitCode::SUCCESS)
}
