//! Which version of another upstream a tree names, through every home that the pin ever
//! had.

mod between;
mod moved;
mod read;
mod table;

pub use between::{PinMove, moves};
pub use read::{PinReader, PinTarget, PinValue};
pub use table::{PinRow, pins};
