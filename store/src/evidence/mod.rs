//! Receipts, evidence, coverage and grades: what stands under a claim.
//!
//! Nothing here can be made up: a [`Receipt`] and an [`Evidence`] come only out of stored
//! rows, a [`Claim`] needs evidence, an [`Absence`] needs a coverage, and a grade is
//! computed from what stands under it, never chosen.
//!
//! ```compile_fail
//! // Evidence has no constructor outside the store.
//! let made_up = headwater_store::evidence::Evidence { sha: headwater_store::Oid::ZERO };
//! ```
//!
//! ```compile_fail
//! use headwater_store::evidence::{Absence, Method};
//! // An absence without a coverage does not compile.
//! let none = Absence::new("nothing touches the sampler", Method::Rule, vec![]);
//! ```
//!
//! ```compile_fail
//! use headwater_store::evidence::{Claim, Method, Source};
//! // Nor does a claim without evidence.
//! let bare = Claim::new("the default moved", Source::Rule, Method::Rule);
//! ```

mod claim;
mod coverage;
mod grade;

pub use claim::{Absence, Claim, Evidence, Receipt};
pub use coverage::{Coverage, Gap};
pub use grade::{Basis, Grade, Method, Source};
