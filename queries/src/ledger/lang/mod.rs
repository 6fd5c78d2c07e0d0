//! Readers of defaults, one file a language or kind of declaration.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entry::{How, Scope};

pub(crate) mod cmake;
pub(crate) mod cpp_aggregate;
pub(crate) mod cpp_calls;
pub(crate) mod cpp_help;
pub(crate) mod cpp_struct;
pub(crate) mod go_args;
pub(crate) mod go_env;
pub(crate) mod go_options;
pub(crate) mod go_rule;
pub(crate) mod image;
pub(crate) mod lines;
pub(crate) mod presets;
pub(crate) mod table;

/// One default as a reader finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub knob: String,
    pub value: String,
    pub how: How,
    /// Where it stands, in bytes.
    pub at: usize,
    pub names: Vec<String>,
    pub scope: Option<Scope>,
    /// The names that stand around it, as far as they can tell a rename.
    pub around: Names,
}

/// Names that stand somewhere, each with what it is first said to be there, if anything.
pub(crate) type Names = Arc<BTreeMap<String, String>>;

impl Found {
    pub fn new(knob: impl Into<String>, value: impl Into<String>, at: usize) -> Self {
        let value = value.into();
        let how = how(&value);
        Found {
            knob: knob.into(),
            value,
            how,
            at,
            names: Vec::new(),
            scope: None,
            around: Names::default(),
        }
    }

    pub fn with(mut self, how: How) -> Self {
        self.how = how;
        self
    }

    pub fn inside(mut self, around: &Names) -> Self {
        self.around = Arc::clone(around);
        self
    }

    pub fn named(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.names.extend(names);
        self
    }
}

/// How a value comes about, by its look alone: what calls, adds or names variables
/// is computed.
pub(crate) fn how(value: &str) -> How {
    let mut tokens = super::lex::tokens(value, 0);
    let computes = tokens.any(|t| t.is("(") || t.is("*") || t.is("?") || t.is("/") || t.is("<"));
    if computes { How::Computed(value.to_owned()) } else { How::Literal }
}

/// A condition in front of a value.
pub(crate) fn guarded(guards: &[String], value: &str) -> String {
    if guards.is_empty() { value.to_owned() } else { format!("[{}] {value}", guards.join(" && ")) }
}
