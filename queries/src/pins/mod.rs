//! Which version of another upstream a tree names, through every home that the pin ever
//! had.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_queries::pins::pins;
//!
//! # let Crawled { store, upstreams, rules: _rules, dir: _dir } = crawled()?;
//! // `store` and `upstreams` as at the top of the crate.
//! let rows = pins(&store, &upstreams, upstreams.get("ollama")?, &|tag, _newer| tag == "v0.6.2")?;
//! let pin = rows.iter().find(|row| row.pin == "llama.cpp").ok_or("none")?;
//! assert_eq!(pin.value.as_deref(), Some("b34"));
//! # Ok(())
//! # }
//! ```

mod between;
mod moved;
mod read;
mod table;

pub use between::{PinMove, moves};
pub use read::{PinGap, PinGapKind, PinReader, PinTarget, PinValue};
pub use table::{PinRow, pins};
