//! Windows: `BASE..HEAD` of an upstream, and what their ends mean.

mod commits;
mod count;
mod resolve;
mod span;
mod spec;

pub use commits::commits;
pub use resolve::{How, Resolved, Resolver};
pub use span::{Span, span};
pub use spec::WindowSpec;
