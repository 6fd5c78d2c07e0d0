//! The binary itself, driven against the miniature upstreams.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test may end where it stands

mod crawl;
mod defaults;
mod digest;
mod docs;
mod errors;
mod grep;
mod hostile;
mod live;
mod mcp;
mod measure;
mod meets;
mod models;
mod packages;
mod rig;
mod rules;
mod said;
mod schemas;
mod search;
mod serve;
mod shipping;
mod support;
mod upkeep;
mod upstreams;
mod via_api;
mod why;
