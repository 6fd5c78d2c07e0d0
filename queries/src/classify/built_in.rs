//! The rules that come with the program; `build.rs` lists the files.

include!(concat!(env!("OUT_DIR"), "/class_rules.rs"));
