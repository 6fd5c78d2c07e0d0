//! What a log of the user's server tells: versions, what samplers ran, options and flags
//! in use.

mod answer;
mod lines;
mod log;

pub use answer::{Pays, PenaltiesAnswer};
pub use log::{Chain, Flag, Launch, Params, RigLog, Sampler, ServerVersion, Setting, read_log};
