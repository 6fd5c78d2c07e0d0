//! How good the points are, on cases whose culprit is known, through `why` itself: words,
//! what is known besides, and verdicts together. For those who change them; nothing that
//! answers a question comes here.

mod cases;
mod fit;
mod score;
mod texts;

pub use cases::{Case, CaseLoader, RawCase, parse_cases};
pub use fit::{Fitted, ablations, cross_validate};
pub use score::{CaseRanking, Checker, RankedCommit, Scores};
pub use texts::PointTexts;
