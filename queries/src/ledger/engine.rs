//! Reading a file's table of knobs and values.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use regex::Regex;

use super::compare::condition;
use super::entry::{Entry, How, Scope};
use super::lang::{self, Found};
use super::lex::{self, Kind};
use super::rules::{Compiled, Extractors, Holder};
use super::{cut, value};

/// Reads tables, and remembers declarations that it has read before: most versions
/// of a file differ from the last in one.
pub struct Session<'e> {
    extractors: &'e Extractors,
    memo: HashMap<(usize, usize, u64, usize), Vec<Found>>,
}

/// The heads of C++ declarations.
#[derive(Debug, Clone, Copy)]
enum Head {
    /// `struct name … {`
    Structure,
    /// `type name(…) {`, from column 0.
    Function,
    /// `type name = {`, from column 0.
    Variable,
}

/// Where the declarations of a kind begin, and the names they declare.
fn heads(text: &str, head: Head) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    if matches!(head, Head::Structure) {
        for at in memchr::memmem::find_iter(text.as_bytes(), "struct ") {
            let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
            let before = text[line..at].trim();
            let rest = text[at + 7..].trim_start();
            let name = &rest[..rest.find(|c| !word(c)).unwrap_or(rest.len())];
            let behind = rest[name.len()..].trim_start();
            if matches!(before, "" | "typedef")
                && (behind.starts_with('{') || behind.starts_with(':'))
            {
                out.push((line, name));
            }
        }
        return out;
    }
    let stop = if matches!(head, Head::Function) { '(' } else { '=' };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if !line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            continue;
        }
        let Some(end) = line.find(stop) else { continue };
        let left = line[..end].trim_end();
        let name = lex::last_word(left);
        if !name.is_empty() && name.len() < left.len() {
            out.push((start, name));
        }
    }
    out
}

/// No table is made of a file beyond this size: none that holds defaults is near it.
const LARGEST: usize = 8 << 20;

impl<'e> Session<'e> {
    /// A reader over a set of extractors.
    pub fn new(extractors: &'e Extractors) -> Self {
        Session { extractors, memo: HashMap::new() }
    }

    /// The table of one version of a file; empty where no extractor reads the path.
    pub fn table(&mut self, upstream: &str, path: &str, bytes: &[u8]) -> Vec<Entry> {
        let mut out = Vec::new();
        let reading = self.extractors.reading(upstream, path);
        if reading.is_empty() || bytes.len() > LARGEST || memchr::memchr(0, bytes).is_some() {
            return out;
        }
        let mut text = String::from_utf8_lossy(bytes);
        if text.contains('\r') {
            text = text.replace("\r\n", "\n").into();
        }
        let newlines: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
        let line = |at: usize| {
            u32::try_from(newlines.partition_point(|n| *n < at))
                .unwrap_or(u32::MAX)
                .saturating_add(1)
        };
        let mut constants = cut::Constants::of(&text);
        for index in reading {
            let Some(compiled) = self.extractors.all.get(index) else { continue };
            let mut found = Vec::new();
            for (n, holder) in compiled.holds().iter().enumerate() {
                found.extend(self.read(index, n, holder, compiled, &text));
            }
            out.extend(merge(index, compiled, found, &mut constants, line));
        }
        out
    }

    fn remembered(
        &mut self,
        key: (usize, usize),
        text: &str,
        at: usize,
        read: impl FnOnce(&str) -> Vec<Found>,
    ) -> Vec<Found> {
        self.remembered_with(key, (text, &()), at, read)
    }

    /// What is read of a text by more than the text.
    fn remembered_with(
        &mut self,
        key: (usize, usize),
        (text, more): (&str, &impl Hash),
        at: usize,
        read: impl FnOnce(&str) -> Vec<Found>,
    ) -> Vec<Found> {
        let mut hash = DefaultHasher::new();
        (text, more).hash(&mut hash);
        let key = (key.0, key.1, hash.finish(), text.len());
        let found = self.memo.entry(key).or_insert_with(|| read(text));
        let moved = found.iter().cloned().map(|mut f| {
            f.at += at;
            f
        });
        moved.collect()
    }

    fn read(
        &mut self,
        index: usize,
        n: usize,
        holder: &Holder,
        compiled: &Compiled,
        text: &str,
    ) -> Vec<Found> {
        let key = (index, n);
        let whole =
            |s: &mut Self, read: &dyn Fn(&str) -> Vec<Found>| s.remembered(key, text, 0, read);
        match holder {
            Holder::Struct { name } => {
                self.regions(key, text, Head::Structure, &name.0, |region, found| {
                    lang::cpp_struct::fields(region, &owner(compiled, found))
                })
            }
            Holder::Returned { function, owner } => {
                self.regions(key, text, Head::Function, &function.0, |region, _| {
                    let names =
                        if region.contains("/*") { Vec::new() } else { fields_of(text, region) };
                    lang::cpp_aggregate::returned(region, owner, &names)
                })
            }
            Holder::Variable { name, owner } => {
                self.regions(key, text, Head::Variable, &name.0, |region, _| {
                    let names =
                        if region.contains("/*") { Vec::new() } else { fields_of(text, region) };
                    lang::cpp_aggregate::variable(region, owner, &names)
                })
            }
            Holder::Help {} => whole(self, &lang::cpp_help::help),
            Holder::Request { call, subject, owner } => {
                lang::cpp_calls::requests(text, &call.0, &subject.0, owner)
            }
            Holder::Constants { name } => lang::cpp_calls::constants(text, &name.0),
            Holder::Resolved { variable } => lang::cpp_calls::resolved(text, &variable.0),
            Holder::Override { condition, variable, owner } => {
                lang::cpp_calls::overrides(text, &condition.0, &variable.0, owner)
            }
            Holder::Options { function } => {
                whole(self, &|t| lang::go_options::options(t, &function.0))
            }
            Holder::Env { call } => whole(self, &|t| lang::go_env::variables(t, &call.0)),
            Holder::Flags { call } => lang::go_args::declared(text, &call.0),
            Holder::Args { function } => {
                let mut out = Vec::new();
                for (start, region) in cut::go(text, "func ", Some(&function.0)) {
                    // What it is called with stands elsewhere in the file.
                    let given = lang::go_rule::given(text, region);
                    let read = |region: &str| lang::go_args::passed(region, &given);
                    out.extend(self.remembered_with(key, (region, &given), start, read));
                }
                out
            }
            Holder::Rule { function } => {
                self.functions(key, text, &function.0, |r| lang::go_rule::returns(r, &function.0))
            }
            Holder::Assigned { function, variable, except } => {
                let mut found = self.functions(key, text, &function.0, |r| {
                    lang::go_rule::assigned(r, &function.0, &variable.0)
                });
                found.retain(|f| !except.as_ref().is_some_and(|e| e.0.is_match(&f.value)));
                found
            }
            Holder::Cmake { names } => whole(self, &|t| lang::cmake::commands(t, &names.0)),
            Holder::Image { environment, packages } => {
                lang::image::image(text, &environment.0, &packages.0)
            }
            Holder::Presets {} => lang::presets::presets(text),
            Holder::Lines { pattern, knob, separator } => {
                lang::lines::lines(text, &pattern.0, knob.as_deref(), separator.as_deref())
            }
            Holder::Table { default } => lang::table::table(text, &default.0),
        }
    }

    /// C++ declarations whose name matches.
    fn regions(
        &mut self,
        key: (usize, usize),
        text: &str,
        head: Head,
        name: &Regex,
        read: impl Fn(&str, &str) -> Vec<Found>,
    ) -> Vec<Found> {
        let mut out = Vec::new();
        let mut done = 0;
        for (start, named) in heads(text, head) {
            if start < done || !name.is_match(named) {
                continue;
            }
            let Some(end) = lex::close(text, start, '{', Some(';')) else { continue };
            done = end;
            // To the `;`, so that the grammar sees a whole declaration.
            let end = if text[end..].starts_with(';') { end + 1 } else { end };
            out.extend(self.remembered(key, &text[start..end], start, |r| read(r, named)));
        }
        out
    }

    /// Go functions whose name matches.
    fn functions(
        &mut self,
        key: (usize, usize),
        text: &str,
        name: &Regex,
        read: impl Fn(&str) -> Vec<Found>,
    ) -> Vec<Found> {
        let mut out = Vec::new();
        for (start, region) in cut::go(text, "func ", Some(name)) {
            out.extend(self.remembered(key, region, start, &read));
        }
        out
    }
}

/// What an owner is called today.
fn owner(compiled: &Compiled, name: &str) -> String {
    let today = compiled.rule.owners.iter().find(|(_, old)| old.iter().any(|o| o == name));
    today.map_or_else(|| name.to_owned(), |(today, _)| today.clone())
}

/// What a knob is called today; where a later bearer of that name stands beside it, it
/// keeps its own.
fn today(compiled: &Compiled, knob: &str, here: &HashSet<String>) -> String {
    let mut all = compiled.rule.renamed.iter();
    let found =
        all.find_map(|(today, old)| Some((today, old, old.iter().position(|o| o == knob)?)));
    match found {
        Some((today, old, at)) if !old.iter().skip(at + 1).any(|later| here.contains(later)) => {
            today.clone()
        }
        _ => knob.to_owned(),
    }
}

/// The fields of the struct that a declaration makes, from the same file.
fn fields_of(text: &str, region: &str) -> Vec<String> {
    let mut words = lex::tokens(region, 0)
        .filter(|t| t.kind == Kind::Word && !matches!(t.text, "static" | "const" | "struct"));
    let Some(kind) = words.next() else { return Vec::new() };
    let head = format!("struct {} {{", kind.text);
    let Some(start) = text.find(&head) else { return Vec::new() };
    let end = lex::close(text, start, '{', None).unwrap_or(text.len());
    lang::cpp_struct::names(&text[start..end])
}

/// One entry a knob: what a file says of a knob in several places is put together.
fn merge(
    index: usize,
    compiled: &Compiled,
    found: Vec<Found>,
    constants: &mut cut::Constants<'_>,
    line: impl Fn(usize) -> u32,
) -> Vec<Entry> {
    let mut order: Vec<String> = Vec::new();
    let mut by_knob: HashMap<String, Vec<Found>> = HashMap::new();
    let here: HashSet<String> = found.iter().map(|f| f.knob.clone()).collect();
    for mut f in found {
        f.knob = today(compiled, &f.knob, &here);
        if compiled.rule.ignore.as_ref().is_some_and(|p| p.0.is_match(&f.knob)) {
            continue;
        }
        by_knob
            .entry(f.knob.clone())
            .or_insert_with(|| {
                order.push(f.knob.clone());
                Vec::new()
            })
            .push(f);
    }
    let mut out = Vec::new();
    let siblings: HashMap<String, String> = by_knob
        .values()
        .flatten()
        .filter_map(|f| match f.knob.rsplit_once('.') {
            Some((_, field)) => Some((field.to_owned(), f.value.clone())),
            None if compiled.rule.scope == Scope::Build => {
                let only = by_knob.get(&f.knob).is_some_and(|all| all.len() == 1);
                Some((f.knob.clone(), where_unset(f)?.to_owned())).filter(|_| only)
            }
            None => None,
        })
        .collect();
    for knob in order {
        let Some(all) = by_knob.get(&knob) else { continue };
        let Some(first) = all.first() else { continue };
        let pieces: Vec<(String, u32)> =
            all.iter().map(|f| (f.value.clone(), line(f.at))).collect();
        let ordered = all.iter().any(|f| f.how == How::Rule || f.value.starts_with(['[', '+']));
        let mut values: Vec<&str> = Vec::new();
        for f in all {
            // Said twice in a row is said once.
            if values.last() == Some(&f.value.as_str()) {
                continue;
            }
            if (ordered && f.how != How::Resolved) || !values.contains(&f.value.as_str()) {
                values.push(&f.value);
            }
        }
        let value = if ordered {
            values.join(" ; ")
        } else {
            values.sort_unstable();
            values.join(" | ")
        };
        let resolved = if matches!(first.how, How::Inherits(_)) {
            Vec::new()
        } else {
            names_in(&value, &knob, constants, &siblings)
        };
        let told_otherwise = matches!(first.how, How::Rule | How::Resolved);
        let mut how = if all.len() > 1 && ordered && !told_otherwise {
            How::Conditional
        } else {
            first.how.clone()
        };
        if let [(name, constant)] = resolved.as_slice()
            && *name == value
        {
            how = How::Constant(constant.clone());
        }
        if let How::Computed(_) = how {
            let known: Vec<String> = resolved.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            how = How::Computed(if known.is_empty() {
                value.clone()
            } else {
                format!("{value} with {}", known.join(", "))
            });
        }
        let scope = first.scope.unwrap_or_else(|| {
            let rule = compiled.rule.scopes.iter().find(|s| s.knob.0.is_match(&knob));
            rule.map_or(compiled.rule.scope, |s| s.scope)
        });
        let mut names: Vec<String> = Vec::new();
        for name in all.iter().flat_map(|f| &f.names) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let line = pieces.first().map_or(1, |p| p.1);
        out.push(Entry {
            extractor: index,
            knob,
            scope,
            value,
            how,
            line,
            names,
            pieces,
            resolved,
            around: first.around.clone(),
        });
    }
    out
}

/// What a variable of a build is where nobody sets it: `[NOT NAME] value` only says that.
fn where_unset(found: &Found) -> Option<&str> {
    let Some((asked, value)) = condition(&found.value) else { return Some(&found.value) };
    let name = asked.strip_prefix("NOT ")?.trim_start_matches("DEFINED ");
    (name == found.knob).then_some(value)
}

/// What the same file says of the names in a value: constants, and fields beside it.
fn names_in(
    value: &str,
    knob: &str,
    constants: &mut cut::Constants<'_>,
    siblings: &HashMap<String, String>,
) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    if value.starts_with('[') || value.len() > 400 {
        return out;
    }
    let own = knob.rsplit('.').next().unwrap_or(knob);
    let tokens: Vec<_> = lex::tokens(value, 0).collect();
    for (i, token) in tokens.iter().enumerate() {
        let called = tokens.get(i + 1).is_some_and(|t| t.is("("));
        let member = i > 0 && tokens[i - 1].is(".");
        if token.kind != Kind::Word
            || called
            || member
            || token.text == own
            || matches!(token.text, "true" | "false" | "nil" | "nullptr" | "NULL")
        {
            continue;
        }
        let known = siblings.get(token.text).cloned().or_else(|| constants.value(token.text));
        if let Some(known) = known.filter(|k| !value::same(k, token.text, &[])) {
            out.push((token.text.to_owned(), known));
        }
    }
    out.dedup();
    out
}
