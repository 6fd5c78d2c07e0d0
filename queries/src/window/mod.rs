//! Windows: `BASE..HEAD` of an upstream, and what their ends mean.

mod commits;
mod resolve;
mod spec;

pub use commits::commits;
pub use resolve::{How, Resolved, Resolver};
pub use spec::WindowSpec;
