//! `headwater serve`: the same answers as pages.

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;

use anyhow::bail;

use crate::context::Context;
use crate::serve;

/// The answers as web pages, on this machine: read-only, nothing is loaded from elsewhere
///
/// Window reports, the ledger, history grep, commits, digests. Only this machine can reach
/// it. To let others, give another address and a token of at least 16 characters; what they
/// see is the store, and the token and the pages travel in the clear.
///
/// Examples:
///   headwater serve
///   HEADWATER_TOKEN=… headwater serve --listen 192.168.1.20:8411
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8411")]
    pub listen: SocketAddr,
    /// What those who ask must show, where others than this machine can reach it
    #[arg(long, env = "HEADWATER_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// A name under which it may be asked for, besides its address
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// A question may take so many seconds; then it is given up
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub limit: u64,
    /// After so many milliseconds a page is begun before its answer is there
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 80, hide_short_help = true)]
    pub patience: u64,
}

/// A token shorter than this is guessed too soon.
const SHORTEST: usize = 16;

/// Serves until it is stopped.
pub fn run(context: Context, args: Args) -> anyhow::Result<ExitCode> {
    if let Some(token) = &args.token
        && token.chars().count() < SHORTEST
    {
        bail!("the token is too short; give at least {SHORTEST} characters, at random");
    }
    if !args.listen.ip().is_loopback() && args.token.is_none() {
        bail!(
            "{} can be reached from other machines: set HEADWATER_TOKEN, or listen on {}",
            args.listen,
            SocketAddr::new(IpAddr::from([127, 0, 0, 1]), args.listen.port())
        );
    }
    serve::run(context, args)?;
    Ok(ExitCode::SUCCESS)
}
