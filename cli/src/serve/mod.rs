//! The web pages: a read-only server over the store.

mod assets;
mod fields;
mod guard;
mod kept;
mod layout;
mod pages;
mod reply;
mod room;
mod stream;
mod waiting;
mod warm;

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::middleware;
use axum::routing::{get, post};

use self::guard::Guard;
pub use self::reply::Problem;

use self::room::Room;
use crate::commands::serve::Args;
use crate::context::Context;

/// Serves until the process is stopped.
pub fn run(context: Context, args: Args) -> anyhow::Result<()> {
    let room = Arc::new(Room::new(
        context,
        Duration::from_secs(args.limit),
        Duration::from_millis(args.patience),
    ));
    // A store that cannot be read is told at once, not on the first page.
    room.probe()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("no threads to serve with")?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(args.listen)
            .await
            .with_context(|| format!("cannot listen on {}", args.listen))?;
        let address = listener.local_addr()?;
        let guard = Arc::new(Guard::new(address, &args.host, args.token.as_deref()));
        let pages =
            pages::paths().fold(Router::new(), |pages, path| pages.route(path, get(pages::page)));
        let routes = pages
            .route("/assets/{name}", get(assets::serve))
            .route("/enter", post(guard::enter))
            .fallback(reply::no_page)
            .layer(middleware::from_fn_with_state(Arc::clone(&guard), guard::check))
            .layer(axum::Extension(guard))
            .with_state(Arc::clone(&room));
        tokio::spawn(warm::run(room));
        writeln!(anstream::stderr(), "headwater: http://{address}/ (Ctrl-C ends it)")?;
        axum::serve(listener, routes).await?;
        Ok(())
    })
}
