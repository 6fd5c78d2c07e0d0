//! What is compiled, or decided, on the backend in question: conditions of which it is known
//! that they hold there, or do not. Data: `rules/conditions.toml`.

use std::borrow::Cow;

use regex::Regex;
use serde::Deserialize;

use super::expression::Expression;
use crate::QueryError;

const FILE: &str = include_str!("../../../rules/conditions.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    test: Vec<TestRule>,
    knob: Vec<NameRule>,
    file: Vec<NameRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestRule {
    asks: String,
    #[serde(default)]
    files: Option<String>,
    #[serde(default)]
    fails: Vec<String>,
    #[serde(default)]
    holds: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    counterexamples: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameRule {
    names: String,
    fails: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    examples: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test reads them"))]
    counterexamples: Vec<String>,
}

/// What is known of conditions on one backend.
#[derive(Debug)]
pub(in crate::why) struct Conditions {
    /// The backend.
    pub(super) backend: String,
    tests: Vec<Test>,
    knobs: Vec<Regex>,
    files: Vec<Regex>,
}

#[derive(Debug)]
struct Test {
    asks: Regex,
    files: Option<Regex>,
    holds: bool,
}

fn regex(pattern: &str) -> Result<Regex, QueryError> {
    Regex::new(pattern).map_err(|error| QueryError::Rules {
        file: "conditions.toml".to_owned(),
        why: error.to_string(),
    })
}

fn whole(pattern: &str) -> Result<Regex, QueryError> {
    regex(&format!("^(?:{pattern})$"))
}

impl Conditions {
    /// What is known on a backend; `None` where that is nothing.
    pub(super) fn of(backend: &str) -> Result<Option<Self>, QueryError> {
        let wrong = |error: toml::de::Error| QueryError::Rules {
            file: "conditions.toml".to_owned(),
            why: error.to_string(),
        };
        let file: File = toml::from_str(FILE).map_err(wrong)?;
        let named = |list: &[String]| list.iter().any(|one| one.eq_ignore_ascii_case(backend));
        let mut tests = Vec::new();
        for rule in &file.test {
            let holds = match (named(&rule.holds), named(&rule.fails)) {
                (true, _) => true,
                (false, true) => false,
                (false, false) => continue,
            };
            let files = rule.files.as_deref().map(regex).transpose()?;
            tests.push(Test { asks: whole(&rule.asks)?, files, holds });
        }
        let spared = |rules: &[NameRule]| -> Result<Vec<Regex>, QueryError> {
            let own = rules.iter().filter(|rule| named(&rule.fails));
            own.map(|rule| whole(&rule.names)).collect()
        };
        let (knobs, files) = (spared(&file.knob)?, spared(&file.file)?);
        let some = !(tests.is_empty() && knobs.is_empty() && files.is_empty());
        Ok(some.then(|| Conditions { backend: backend.to_lowercase(), tests, knobs, files }))
    }

    /// Whether no build for the backend reads a build's default.
    pub(super) fn spares_knob(&self, knob: &str) -> bool {
        self.knobs.iter().any(|names| names.is_match(knob))
    }

    /// Whether no build for the backend reads a file.
    pub(super) fn spares_file(&self, path: &str) -> bool {
        self.files.iter().any(|names| names.is_match(path))
    }

    fn answer(&self, path: &str, test: &str) -> Option<bool> {
        let of_file = |one: &&Test| one.files.as_ref().is_none_or(|files| files.is_match(path));
        let found = self.tests.iter().filter(of_file).find(|one| one.asks.is_match(test));
        found.map(|one| one.holds)
    }

    /// A condition of a file with what is known put in.
    fn settled(&self, path: &str, condition: &str) -> Expression {
        Expression::read(condition).with(&|test| self.answer(path, test))
    }

    /// Whether a value comes to the same on the backend as another: its parts whose
    /// conditions do not hold there are left out.
    pub(super) fn same_value(&self, path: &str, old: &str, new: &str) -> bool {
        let left = |value: &str| -> Vec<String> {
            let parts = super::values::parts(value).into_iter();
            let left = parts.filter_map(|(condition, value)| {
                let Some(condition) = condition else { return Some(value.to_owned()) };
                match self.settled(path, condition) {
                    Expression::Known(false) => None,
                    Expression::Known(true) => Some(value.to_owned()),
                    other => Some(format!("[{other}] {value}")),
                }
            });
            left.collect()
        };
        left(old) == left(new)
    }

    /// Whether a line is a directive whose condition this can answer in part.
    pub(super) fn answers(&self, path: &str, line: &str) -> bool {
        let Some((_, condition)) = directive(line) else { return false };
        let read = Expression::read(condition);
        self.settled(path, condition) != read
    }

    /// The lines of a file that its compiler for the backend reads, each with its number;
    /// conditions of which nothing is known stay, without their comments. `None` where the
    /// conditions do not close.
    pub(super) fn compiled<'t>(
        &self,
        path: &str,
        text: &'t str,
    ) -> Option<Vec<(u32, Cow<'t, str>)>> {
        let mut open: Vec<Branch> = Vec::new();
        let mut out = Vec::new();
        let mut lines = text.lines().zip(1_u32..);
        while let Some((line, number)) = lines.next() {
            let seen = open.iter().all(|branch| branch.seen);
            let Some((kind, _)) = directive(line) else {
                if seen {
                    out.push((number, line.into()));
                }
                continue;
            };
            let mut whole = Cow::from(line.trim_end());
            while whole.ends_with('\\') {
                let (next, _) = lines.next()?;
                let whole = whole.to_mut();
                whole.pop();
                whole.push_str(next.trim_end());
            }
            let condition = directive(&whole).map_or("", |(_, condition)| condition);
            let condition = match kind {
                "ifndef" => format!("!{condition}"),
                _ => condition.to_owned(),
            };
            let mut told = None;
            match kind {
                "if" | "ifdef" | "ifndef" => {
                    let outer = seen;
                    let mut branch = Branch { outer, ..Branch::default() };
                    if outer {
                        told = branch.turn(self.settled(path, &condition));
                    }
                    open.push(branch);
                }
                "elif" | "else" => {
                    let branch = open.last_mut()?;
                    let condition = match kind {
                        "elif" => self.settled(path, &condition),
                        _ => Expression::Known(true),
                    };
                    told = branch.turn(condition);
                }
                _ => {
                    let branch = open.pop()?;
                    told = (branch.outer && branch.told).then(|| "#endif".to_owned());
                }
            }
            out.extend(told.map(|told| (number, told.into())));
        }
        open.is_empty().then_some(out)
    }
}

/// A condition that is open, with its branches so far.
#[derive(Debug, Default)]
struct Branch {
    /// What stands around it is read.
    outer: bool,
    /// The branch at hand is read.
    seen: bool,
    /// A branch before was taken for certain.
    done: bool,
    /// A condition of it stayed.
    told: bool,
}

impl Branch {
    /// The next branch; the line that stays of its condition.
    fn turn(&mut self, condition: Expression) -> Option<String> {
        if !self.outer || self.done {
            self.seen = false;
            return None;
        }
        match condition {
            Expression::Known(false) => {
                self.seen = false;
                None
            }
            Expression::Known(true) => {
                (self.seen, self.done) = (true, true);
                self.told.then(|| "#else".to_owned())
            }
            other => {
                let sign = if self.told { "#elif" } else { "#if" };
                (self.seen, self.told) = (true, true);
                Some(format!("{sign} {other}"))
            }
        }
    }
}

/// The kind of a preprocessor's condition, and what it asks, without its comment.
fn directive(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let kinds = ["ifdef", "ifndef", "if", "elif", "else", "endif"];
    let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let kind = kinds.into_iter().find(|kind| *kind == word)?;
    let asked = rest.get(kind.len()..).unwrap_or_default();
    let end = ["//", "/*"].iter().filter_map(|sign| asked.find(sign)).min();
    Some((kind, asked.get(..end.unwrap_or(asked.len())).unwrap_or(asked).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(backend: &str) -> Conditions {
        Conditions::of(backend).unwrap().unwrap()
    }

    #[test]
    fn every_example_is_answered_and_no_counterexample_is() {
        let file: File = toml::from_str(FILE).unwrap();
        let facets = crate::rank::Facets::shipped().unwrap();
        let known = |backend: &String| facets.backend_bit(backend).is_some();
        for rule in &file.test {
            assert!(rule.fails.iter().chain(&rule.holds).all(known), "{}", rule.asks);
            let asks = whole(&rule.asks).unwrap();
            assert!(rule.examples.iter().all(|one| asks.is_match(one)), "{}", rule.asks);
            assert!(!rule.counterexamples.iter().any(|one| asks.is_match(one)), "{}", rule.asks);
        }
        for rule in file.knob.iter().chain(&file.file) {
            assert!(rule.fails.iter().all(known), "{}", rule.names);
            let names = whole(&rule.names).unwrap();
            assert!(rule.examples.iter().all(|one| names.is_match(one)), "{}", rule.names);
            assert!(!rule.counterexamples.iter().any(|one| names.is_match(one)), "{}", rule.names);
        }
    }

    #[test]
    fn a_value_is_the_same_without_the_parts_that_do_not_hold() {
        let (old, new) = ("0 ; [GGML_USE_METAL] 1", "0 ; [GGML_USE_METAL] 999");
        assert!(on("cuda").same_value("a.cpp", old, new));
        assert!(!on("metal").same_value("a.cpp", old, new));
        assert!(!on("vulkan").same_value("a.cpp", old, new), "MoltenVK runs beside Metal");
        assert!(!on("cuda").same_value("a.cpp", "0 ; [A] 1", "0 ; [A] 2"));
        let one =
            r#"[!(g.Library == "metal" || (g.Library == "cuda" && g.Major >= 7))] false ; true"#;
        let two = r#"[!(g.Library == "cpu" || g.Library == "metal" || (g.Library == "cuda" && g.Major >= 7))] false ; true"#;
        let more = r#"[!(g.Library == "metal" || (g.Library == "cuda" && g.Major >= 7) || g.Library == "Vulkan")] false ; true"#;
        assert!(!on("cuda").same_value("a.go", one, two), "some layers run on the CPU");
        assert!(on("cuda").same_value("a.go", one, more));
        assert!(!on("vulkan").same_value("a.go", one, more));
    }

    #[test]
    fn only_what_is_compiled_for_the_backend_is_left() {
        let text = "a\n#if defined(__linux__) && !defined(GGML_USE_HIP)\nb\n#endif // HIP\n\
                    #ifdef GGML_USE_MUSA\nc\n#elif defined(X)\nd\n#else\ne\n#endif\n";
        let left = |backend: &str| -> Vec<String> {
            let lines = on(backend).compiled("ggml-cuda/a.cu", text).unwrap();
            lines.into_iter().map(|(_, line)| line.into_owned()).collect()
        };
        let tail = ["#if X", "d", "#else", "e", "#endif"];
        assert_eq!(left("cuda"), [&["a", "#if __linux__", "b", "#endif"][..], &tail].concat());
        assert_eq!(left("hip"), [&["a"][..], &tail].concat());
        assert_eq!(on("cuda").compiled("a.cu", "#if A\n#if B\n#endif\n"), None);
        assert_eq!(on("cuda").compiled("a.cu", "#endif\n"), None);
    }

    #[test]
    fn never_panics() {
        let cuda = on("cuda");
        proptest::proptest!(|(text in "(#(if|else|elif|endif) ?[A-Z()!&]{0,6}\n|[ab\\\\]{0,3}\n){0,12}")| {
            let _ = cuda.compiled("a.cu", &text);
        });
    }
}
