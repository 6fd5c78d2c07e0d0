//! Windows: `BASE..HEAD` of an upstream, and what their ends mean.

mod resolve;
mod spec;

pub use resolve::{How, Resolved, Resolver};
pub use spec::WindowSpec;
