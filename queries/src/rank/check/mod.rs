//! How good the weights are, on cases whose culprit is known: for those who change the
//! maps. Nothing that answers a question comes here.

mod cases;
mod fit;
mod score;

pub use cases::{Case, CaseLoader, parse_cases};
pub use fit::{Fitted, ablations, cross_validate};
pub use score::{CaseRank, Scores, evaluate};
