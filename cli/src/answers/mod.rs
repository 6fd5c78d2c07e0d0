//! What the commands answer, before it is printed. The doors (`mcp`, `serve`) give the
//! same answers, so that there is one way to each.

pub mod contains;
pub mod defaults;
pub mod digest;
pub mod file;
pub mod grep;
pub mod grep_lines;
pub mod lag;
pub mod model;
pub mod pins;
pub mod private;
pub mod search;
pub mod show;
pub mod status;
pub mod why;
