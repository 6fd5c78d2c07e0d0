//! For tests only: the hosts that headwater talks to, in miniature, on loopback.
//!
//! A GitHub (REST, web pages and feeds, raw files, git over HTTP), an Ollama registry
//! with its download and token hosts, the model library's pages, and a local Ollama
//! server, over the demo's repositories or any other bare ones. Written from the
//! hosts' documentation, never from our client: what it answers is checked against
//! GitHub's own OpenAPI description. Faults are switched on by [`Rule`]s, caps can be
//! lowered so that miniatures meet them, and every request is in the [`Request`] log.
//!
//! It depends on the demo alone. Begin with [`Testkit::start`], or with [`Testkit::serving`]
//! for repositories of your own; [`Testkit::env`] points a program at the hosts.
//!
//! ```
//! use headwater_testkit::{Fault, Host, Rule, Testkit};
//!
//! # fn main() -> Result<(), headwater_testkit::TestkitError> {
//! let kit = Testkit::start()?;
//! kit.fault(Rule::new(Host::Api, Fault::Status(502)).path("/compare/").times(2));
//! // … run something against kit.env() …
//! assert_eq!(kit.count(Host::Api), 0);
//! # Ok(())
//! # }
//! ```

mod caps;
mod downloads;
mod fault;
mod git;
mod github;
mod host;
mod kit;
mod library;
mod local;
mod log;
mod ollama_models;
mod raw;
mod registry;
mod seed;
mod web;
mod world;

pub use caps::{Caps, Limits};
pub use fault::{Fault, Rule};
pub use github::{Advisory, Issue, Release};
pub use host::Host;
pub use kit::{Served, Testkit, TestkitError};
pub use local::Installed;
pub use log::Request;
pub use ollama_models::Model;
