//! What can go wrong with a measurement's input.

/// An error of a measurement's input.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A unit that is not known.
    #[error("{0:?} is no unit of speed; there are tok/s and ms/token")]
    Unit(String),
    /// A speed that is none.
    #[error("{0} is no speed: it must be a number above 0")]
    NotASpeed(String),
    /// A text that toggles nothing.
    #[error("{0:?} is no toggle; write KNOB=VALUE with the old default, like repeat_penalty=1.1")]
    Toggle(String),
    /// One of the three speeds is missing.
    #[error("the speed {0} is missing: give --{0}, or runs of it with --samples FILE")]
    MissingArm(&'static str),
    /// A toggle to what the new version does anyway.
    #[error(
        "{knob}={value} is what the new version does by itself; toggle to the old default: {knob}={old}"
    )]
    NewDefault {
        /// The knob.
        knob: String,
        /// The value.
        value: String,
        /// The old default.
        old: String,
    },
    /// A file that is no table.
    #[error("line {line} of the table: {why}")]
    Table {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// The built-in conventions do not parse.
    #[error("the built-in rules/measure.toml: {0}")]
    Conventions(#[from] toml::de::Error),
    /// One of their patterns is not right.
    #[error("the built-in rules/measure.toml: {0}")]
    Pattern(#[from] regex::Error),
}
