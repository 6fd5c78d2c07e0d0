//! What people wrote: upstream's release notes and advisories, the authors of pull
//! requests, and others in issues. What a text means is read by rule (`rules/said.toml`);
//! whose words they are decides their grade.

mod advisories;
mod lacking;
mod mechanisms;
mod named;
mod notes;
mod pulls;
mod reports;
mod rules;
mod search;
mod text;

pub use advisories::{AdvisorySaid, Affected, AffectedVersion};
pub use lacking::{Lacking, lacking};
pub use mechanisms::Checked;
pub use named::{How, Named};
pub use notes::{NoteLine, NoteRange, ReleaseSaid};
pub use pulls::PullSaid;
pub use reports::ReportSaid;
pub use rules::{NoteRules, SaidRules};
pub use search::{NoteMatch, NotesCoverage, StatementHit, grep_notes, search_statements};

pub(crate) use advisories::advisories;
pub(crate) use mechanisms::{At, Checker};
pub(crate) use named::{Change, Finder};
pub(crate) use notes::{NotedTag, has_none, noted, noted_tags, release};
pub(crate) use pulls::pull;
pub(crate) use reports::{Wanted, reports};
pub(crate) use rules::checked_paths;
