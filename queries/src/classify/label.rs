//! The facts that rules may ask for.

use headwater_store::model::LineRef;
use serde::Serialize;

/// Something that was found out about a commit from parsed code rather than from its
/// lines one by one: a default event of the ledger, or a finding of `super::facts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What kind of fact: `default-event`, …
    pub name: String,
    /// What a rule may ask of it: for a default event, `scope knob: old -> new`.
    pub detail: String,
    /// Where it stands.
    pub at: LineRef,
}
