//! Reports that are kept: asked again, their claims derived anew, their receipts listed.

mod claims;
mod question;
mod receipts;
mod recheck;

pub use claims::{Claim, claims};
pub use question::SavedQuestion;
pub use receipts::{ReceiptLine, receipts};
pub use recheck::{Became, Checked, Recheck, compare, recheck};
