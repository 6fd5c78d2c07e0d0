//! The headwater command line.
fn main() {}
