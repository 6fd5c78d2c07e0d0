//! Windows: `BASE..HEAD` of an upstream, and what their ends mean.

mod commits;
mod count;
mod newest;
mod resolve;
mod span;
mod spec;

pub use commits::commits;
pub use newest::{finals, newest, tag_names};
pub use resolve::{How, Resolved, Resolver};
pub use span::{Span, span, span_in};
pub use spec::WindowSpec;
