//! What a computed default comes to on a given machine: knowledge about code that
//! decides at run time, as data with patterns for its proof.

use serde::{Deserialize, Serialize};

use super::entry::Event;
use super::rules::Extractors;
use super::value;

/// How one value of one knob is decided at run time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// Its id.
    pub id: String,
    /// The upstream whose code decides.
    pub upstream: String,
    /// The knob, in any spelling.
    pub knob: String,
    /// The value that is decided later (`auto`), in any spelling of its last words.
    pub value: String,
    /// What it comes to, by device.
    pub cases: Vec<ResolveCase>,
    /// Where the tree shows it: every pattern must be found, or nothing is claimed.
    pub evidence: Vec<ResolveEvidence>,
}

/// What a value comes to on some machines.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveCase {
    /// The backends it holds for (`cuda`, `hip`, `metal` …); all where empty.
    #[serde(default)]
    pub backends: Vec<String>,
    /// Only for integrated (`true`) or only for discrete (`false`) devices.
    #[serde(default)]
    pub integrated: Option<bool>,
    /// What it comes to.
    pub becomes: String,
    /// Why, in a sentence.
    pub why: String,
}

/// A line of the tree that shows the decision.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolveEvidence {
    /// The files to look in: the first that holds the pattern is cited.
    pub paths: Vec<String>,
    /// A regular expression for the line.
    pub pattern: String,
    /// What the line says.
    pub says: String,
}

impl Extractors {
    /// The decisions known for a value of a knob.
    pub fn resolves(&self, upstream: &str, event: &Event) -> Vec<&Resolve> {
        let Some(new) = event.new.as_deref() else { return Vec::new() };
        let last = |text: &str| value::words(text).pop().unwrap_or_default();
        let field = event.knob.rsplit('.').next().unwrap_or(&event.knob);
        let names = std::iter::once(field).chain(event.names.iter().map(String::as_str));
        let names: Vec<String> = names.map(value::spelling).collect();
        let fits = |r: &&Resolve| {
            r.upstream == upstream
                && names.contains(&value::spelling(&r.knob))
                && last(new) == last(&r.value)
        };
        self.resolves.iter().filter(fits).collect()
    }
}

impl Resolve {
    /// What the value comes to on a device, if the rule knows: `None` where it is not
    /// told, or where whether the device is integrated matters and is not known.
    pub fn on(&self, backend: &str, integrated: Option<bool>) -> Option<&ResolveCase> {
        let mut fits = self
            .cases
            .iter()
            .filter(|c| c.backends.is_empty() || c.backends.iter().any(|b| b == backend));
        fits.find(|c| match c.integrated {
            None => true,
            Some(wanted) => integrated == Some(wanted),
        })
        .filter(|c| {
            // A general case counts only where no case for integrated devices could.
            c.integrated.is_some()
                || integrated.is_some()
                || !self.cases.iter().any(|o| {
                    o.integrated.is_some()
                        && (o.backends.is_empty() || o.backends.iter().any(|b| b == backend))
                })
        })
    }
}
