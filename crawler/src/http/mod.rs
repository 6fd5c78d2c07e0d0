//! HTTP as every host needs it: bounded in size and time, retried a little, with what a
//! receipt must say of each answer.

mod client;
mod error;
mod hosts;
mod probe;

pub use client::{Answer, Client, Request, Settings};
pub use error::HttpError;
pub use hosts::{Hosts, HostsError};
pub use probe::{Probe, Seen, probe};
