//! The binary itself, driven against the miniature upstreams.

mod crawl;
mod errors;
mod hostile;
mod support;
mod why;
