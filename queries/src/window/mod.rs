//! Windows: `BASE..HEAD` of an upstream, and what their ends mean.

mod resolve;
mod spec;

pub use resolve::{Resolved, Resolver};
pub use spec::WindowSpec;
