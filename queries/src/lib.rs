//! Answers computed from a store: first what is derived (places, labels, default events),
//! then the questions themselves. It knows no network and writes no SQL.

pub mod abi;
pub mod brief;
pub mod classify;
pub mod defaults;
pub mod derive;
pub mod digest;
pub mod doctor;
mod error;
pub mod grep;
pub mod ledger;
pub mod measure;
pub mod models;
mod names;
pub mod pins;
pub mod public;
pub mod rank;
pub mod reads;
pub mod reports;
pub mod rig;
pub mod said;
pub mod search;
pub mod shipping;
pub mod show;
pub mod why;
pub mod window;

pub use error::QueryError;
