//! The server for agents: the tools, what they are asked, and what bounds their answers.

mod asked;
mod bounds;
mod desk;
mod server;
mod tools;

use anyhow::Context as _;
use rmcp::ServiceExt as _;

use self::desk::Desk;
use self::server::Server;
use crate::context::Context;

/// Speaks the protocol on standard input and output until the client hangs up.
pub fn serve(context: Context, online: bool) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("no threads to serve with")?;
    let server = Server::new(Desk::new(context, online));
    let served = runtime.block_on(async {
        let running = server.serve(rmcp::transport::stdio()).await?;
        running.waiting().await?;
        anyhow::Ok(())
    });
    // A question that still runs has nobody left to answer to.
    runtime.shutdown_background();
    served
}
