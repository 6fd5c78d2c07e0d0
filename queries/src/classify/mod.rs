//! What a commit is about, by rules that read its diff first: every class comes with
//! the rule that gives it and the very lines that fired it.
//!
//! Rules are data (`queries/rules/classes/`); a user's own are read after the built-in
//! ones. Facts found from parsed code (default events) are an input, so that labels can
//! be made anew without a crawl.

mod built_in;
mod compile;
mod cover;
mod evaluate;
mod examples;
mod facts;
mod idiom;
mod label;
mod lexer;
mod lists;
mod locals;
mod neutral;
mod patch_text;
mod rules;
mod source;
mod texts;
mod told;
mod view;
mod whole;

pub use compile::BadRule;
pub use examples::{ExampleFailure, check_examples};
pub use label::Fact;
pub(crate) use lexer::Syntax;
pub use patch_text::{BadPatch, read_patch};
pub use rules::{RuleInfo, Rules, RulesError};
pub use source::{Clause, Example, ExampleFact, RuleFile, RuleSource};
pub use texts::RuleTexts;
pub use told::{ClauseTold, RuleTold};
