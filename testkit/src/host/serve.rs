//! Accepting connections: each request is logged, may meet a fault, and goes to its
//! host's router.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use socket2::{SockRef, Socket};
use tokio::net::TcpListener;
use tower::ServiceExt;

use super::Host;
use crate::fault::{Fault, after_headers};
use crate::log::Request;
use crate::world::World;

/// Ends a connection without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the connection was cut on purpose")]
struct Cut;

/// Answers requests to one host for as long as the runtime lives.
pub(crate) async fn serve(listener: TcpListener, host: Host, world: Arc<World>, router: Router) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        // A second handle on the socket, for cutting it the hard way.
        let Ok(socket) = SockRef::from(&stream).try_clone() else { continue };
        let (world, router, socket) = (world.clone(), router.clone(), Arc::new(socket));
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                answer(host, world.clone(), router.clone(), socket.clone(), request)
            });
            // A client that goes away, or a cut, ends the connection: no news.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    host: Host,
    world: Arc<World>,
    router: Router,
    socket: Arc<Socket>,
    request: hyper::Request<Incoming>,
) -> Result<Response, Cut> {
    let mut entry = Request::new(host, request.method(), request.uri(), request.headers());
    let under_way = world.under_way(host);
    entry.at_once = under_way.at_once;
    let fault = world.take_fault(host, &entry.target);
    match &fault {
        Some(Fault::Reset) => {
            world.record(entry);
            // Closing with a linger of zero sends a reset instead of an end.
            let _ = socket.set_linger(Some(Duration::ZERO));
            return Err(Cut);
        }
        Some(Fault::Slow(wait)) => tokio::time::sleep(*wait).await,
        _ => {}
    }
    let instead = fault.as_ref().and_then(|fault| fault.instead(&entry.target));
    let response = match instead {
        Some(response) => response,
        None => {
            let mut request = request.map(Body::new);
            if matches!(fault, Some(Fault::NoFilter)) {
                request.headers_mut().insert(crate::web::NO_FILTER, HeaderValue::from_static("1"));
            }
            let answered: Result<Response, Infallible> = router.oneshot(request).await;
            match answered {
                Ok(response) => response,
                Err(never) => match never {},
            }
        }
    };
    entry.status = response.status().as_u16();
    world.record(entry);
    match fault {
        Some(fault) => Ok(after_headers(fault, response).await),
        None => Ok(response),
    }
}

/// A body that promises `promised` bytes and breaks off after what `chunks` hold.
pub(crate) fn broken_body(mut response: Response, chunks: Vec<Bytes>, promised: usize) -> Response {
    let parts = chunks.into_iter().map(Ok).chain(std::iter::once(Err(Cut)));
    // A pause lets the headers go out first: a broken body, not a missing answer.
    let stream = stream::unfold((parts, false), |(mut parts, begun)| async move {
        if begun {
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        parts.next().map(|part| (part, (parts, true)))
    });
    *response.body_mut() = Body::from_stream(stream);
    if let Ok(length) = HeaderValue::from_str(&promised.to_string()) {
        response.headers_mut().insert(header::CONTENT_LENGTH, length);
    }
    response
}

/// The whole body of a response, with its head.
pub(crate) async fn collected(response: Response) -> (axum::http::response::Parts, Bytes) {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.map(|all| all.to_bytes()).unwrap_or_default();
    (parts, bytes)
}

/// An answer of a status, a content type and a text.
pub(crate) fn text(status: u16, kind: &'static str, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(header::CONTENT_TYPE, kind)], body).into_response()
}
