//! GitHub's REST API, through octocrab over our own HTTP client: its limits on time and
//! size hold here too, and nothing is asked again unless GitHub's rules allow it.

mod abbreviated;
mod api;
mod budget;
mod compare;
mod error;
mod rest;
mod statements;
mod token;
mod told;

pub use abbreviated::{full_id, is_abbreviated};
pub use api::{Api, Asked, Reply};
pub use budget::Budget;
use compare::escaped;
pub use compare::{FirstPage, compare, compare_commits};
pub use error::GitHubError;
pub use rest::Rest;
pub use statements::{Got, Statements, releases_feed};
pub use token::{Token, find};
