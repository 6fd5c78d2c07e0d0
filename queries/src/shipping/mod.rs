//! What a release holds of what it pins: whether a change is in it, and how far behind it
//! is.

mod contains;
mod lag;

pub use contains::{Contained, ContainsAnswer, Target, contains};
pub use lag::{Lag, LagRow, Unshipped, lag};
