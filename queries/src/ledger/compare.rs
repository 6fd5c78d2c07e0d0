//! Events: the tables before and after a commit, compared.

use std::collections::HashMap;

use super::entry::{Entry, Event, How};
use super::guards;
use super::only::{only_asks_rule, only_renames_option};
use super::rules::{Extractor, Extractors};
use super::value;

/// One changed file's tables.
#[derive(Debug, Clone, Default)]
pub struct FileTables {
    /// The path before, where there was a file.
    pub old_path: Option<String>,
    /// The path after, where there is one.
    pub path: Option<String>,
    /// The table before.
    pub before: Vec<Entry>,
    /// The table after.
    pub after: Vec<Entry>,
}

/// A knob on one side only, so far.
struct Loose<'t> {
    path: &'t str,
    entry: &'t Entry,
    used: bool,
}

impl Extractors {
    /// The events of one commit, from the tables of the files that it changed. A knob
    /// that moves between files of one group is compared with itself.
    pub fn events(&self, files: &[FileTables]) -> Vec<Event> {
        let mut out = Vec::new();
        let (mut gone, mut come): (Vec<Loose<'_>>, Vec<Loose<'_>>) = (Vec::new(), Vec::new());
        for file in files {
            let old_path = file.old_path.as_deref().or(file.path.as_deref()).unwrap_or_default();
            let path = file.path.as_deref().unwrap_or(old_path);
            let before: HashMap<(usize, &str), &Entry> =
                file.before.iter().map(|e| ((e.extractor, e.knob.as_str()), e)).collect();
            let after: HashMap<(usize, &str), &Entry> =
                file.after.iter().map(|e| ((e.extractor, e.knob.as_str()), e)).collect();
            for entry in &file.after {
                let stays = old_path == path || !self.by_path(entry);
                match before.get(&(entry.extractor, entry.knob.as_str())).filter(|_| stays) {
                    Some(old) => out.extend(self.moved((old_path, old), (path, entry))),
                    None => come.push(Loose { path, entry, used: false }),
                }
            }
            for entry in &file.before {
                let stays = old_path == path || !self.by_path(entry);
                if !stays || !after.contains_key(&(entry.extractor, entry.knob.as_str())) {
                    gone.push(Loose { path: old_path, entry, used: false });
                }
            }
        }
        self.pair(&mut gone, &mut come, &mut out, |e| e.knob.clone());
        self.pair(&mut gone, &mut come, &mut out, |e| {
            // The field alone: its owner was split, renamed or merged.
            let field = e.knob.rsplit(['.', ':']).next().unwrap_or(&e.knob);
            format!(".{}", value::spelling(field))
        });
        self.split(&mut gone, &mut come, &mut out);
        self.elsewhere(files, &mut gone, &mut come, &mut out);
        for loose in come.iter().filter(|l| !l.used && tells(l.entry)) {
            out.push(self.event(None, Some((loose.path, loose.entry))));
        }
        for loose in gone.iter().filter(|l| !l.used && tells(l.entry)) {
            out.push(self.event(Some((loose.path, loose.entry)), None));
        }
        out.retain(|event| {
            !self.only_spread(files, event)
                && !self.only_offers(files, event)
                && !only_renames_option(files, event)
                && !only_asks_rule(files, event)
        });
        out.sort_by(|a, b| (&a.path, a.line, &a.knob).cmp(&(&b.path, b.line, &b.knob)));
        out
    }

    fn by_path(&self, entry: &Entry) -> bool {
        self.all.get(entry.extractor).is_some_and(|c| c.rule.by_path)
    }

    pub(super) fn group(&self, entry: &Entry) -> &str {
        self.all.get(entry.extractor).map_or("", |c| c.rule.group.as_deref().unwrap_or(&c.rule.id))
    }

    /// Pairs what has gone with what has come, where the key is unique on both sides.
    fn pair(
        &self,
        gone: &mut [Loose<'_>],
        come: &mut [Loose<'_>],
        out: &mut Vec<Event>,
        key: impl Fn(&Entry) -> String,
    ) {
        let mut keys: HashMap<(String, String), (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (n, loose) in gone.iter().enumerate().filter(|(_, l)| !l.used && !self.by_path(l.entry))
        {
            keys.entry((self.group(loose.entry).to_owned(), key(loose.entry)))
                .or_default()
                .0
                .push(n);
        }
        for (n, loose) in come.iter().enumerate().filter(|(_, l)| !l.used && !self.by_path(l.entry))
        {
            keys.entry((self.group(loose.entry).to_owned(), key(loose.entry)))
                .or_default()
                .1
                .push(n);
        }
        for (old, new) in keys.into_values() {
            let ([old], [new]) = (old.as_slice(), new.as_slice()) else { continue };
            let (Some(old), Some(new)) = (gone.get_mut(*old), come.get_mut(*new)) else { continue };
            // What is put where nothing was set is not what stands in a declaration.
            if resolves(old.entry) != resolves(new.entry) {
                continue;
            }
            old.used = true;
            new.used = true;
            out.extend(self.moved((old.path, old.entry), (new.path, new.entry)));
        }
    }

    /// An owner that was split: several new ones have a field of the one that has gone,
    /// and go by its name and more.
    fn split(&self, gone: &mut [Loose<'_>], come: &mut [Loose<'_>], out: &mut Vec<Event>) {
        for old in gone.iter_mut().filter(|l| !l.used) {
            let Some((owner, field)) = old.entry.knob.rsplit_once('.') else { continue };
            for new in come.iter_mut().filter(|l| !l.used) {
                let Some((whole, part)) = new.entry.knob.rsplit_once('.') else { continue };
                let extends = whole.len() > owner.len() && whole.starts_with(owner);
                if part == field && extends && self.group(old.entry) == self.group(new.entry) {
                    old.used = true;
                    new.used = true;
                    out.extend(self.moved((old.path, old.entry), (new.path, new.entry)));
                }
            }
        }
    }

    /// A knob that leaves one file while another of its group keeps it falls back to
    /// what stands there; one that comes where another file had it departs from that.
    fn elsewhere(
        &self,
        files: &[FileTables],
        gone: &mut [Loose<'_>],
        come: &mut [Loose<'_>],
        out: &mut Vec<Event>,
    ) {
        let apart = |entry: &Entry| {
            self.by_path(entry) || self.all.get(entry.extractor).is_some_and(|c| c.rule.apart)
        };
        for old in gone.iter_mut().filter(|l| !l.used && tells(l.entry) && !apart(l.entry)) {
            let found = files
                .iter()
                .flat_map(|f| f.after.iter())
                .find(|e| e.knob == old.entry.knob && self.group(e) == self.group(old.entry));
            if let Some(new) = found {
                old.used = true;
                out.extend(self.moved((old.path, old.entry), (old.path, new)).map(|mut event| {
                    event.line = old.entry.line;
                    event
                }));
            }
        }
        for new in come.iter_mut().filter(|l| !l.used && tells(l.entry) && !apart(l.entry)) {
            let same =
                |e: &&Entry| e.knob == new.entry.knob && self.group(e) == self.group(new.entry);
            let found = files.iter().find_map(|f| Some((f, f.before.iter().find(same)?)));
            if let Some((file, old)) = found {
                new.used = true;
                // What hands on another place's still does: a second place came beside it.
                if !tells(old) && file.after.iter().any(|e| same(&e)) {
                    continue;
                }
                out.extend(self.moved((new.path, old), (new.path, new.entry)));
            }
        }
    }

    fn moved(&self, old: (&str, &Entry), new: (&str, &Entry)) -> Option<Event> {
        let equal = self.all.get(new.1.extractor).map_or(&[][..], |c| &c.rule.equal);
        if self.only_spelled((old.1, new.1)) {
            return None;
        }
        // What moved to another file is guarded by what includes that file: the values count.
        let bare = |entry: &Entry| -> Vec<String> {
            let value =
                |p: &(String, u32)| condition(&p.0).map_or(p.0.as_str(), |c| c.1).to_owned();
            entry.pieces.iter().map(value).collect()
        };
        if old.0 != new.0 && bare(old.1) == bare(new.1) {
            return None;
        }
        // One condition that stands: the value under it is what moves.
        if let ([was], [is]) = (old.1.pieces.as_slice(), new.1.pieces.as_slice())
            && let (Some((a, was)), Some((b, is))) = (condition(&was.0), condition(&is.0))
            && value::same(a, b, equal)
        {
            let mut event =
                (!value::same(was, is, equal)).then(|| self.event(Some(old), Some(new)))?;
            event.old = Some(was.to_owned());
            event.new = Some(is.to_owned());
            event.how = How::When(b.to_owned());
            return Some(event);
        }
        if matches!(new.1.scope, super::Scope::CliHelp | super::Scope::Docs)
            && plain(value::told(&old.1.value)) == plain(value::told(&new.1.value))
        {
            return None;
        }
        if another_home(old.1, new.1) || guards::same((old.1, new.1), equal) {
            return None;
        }
        if value::same(&old.1.value, &new.1.value, equal) {
            // The value's own text stands; a name in it may mean something else now. (A build's
            // names are knobs of their own.)
            if new.1.value.contains('$') {
                return None;
            }
            let changed = new.1.resolved.iter().find_map(|(name, is)| {
                let was = old.1.resolved.iter().find(|(n, _)| n == name).map(|(_, v)| v)?;
                let rule = self.all.get(new.1.extractor).map(|c| &c.rule)?;
                let alike = value::same(&today(rule, was), &today(rule, is), equal);
                (!alike).then(|| (was.clone(), is.clone()))
            });
            let (was, is) = changed?;
            let mut event = self.event(Some(old), Some(new));
            event.old = Some(format!("{} (={was})", old.1.value));
            event.new = Some(format!("{} (={is})", new.1.value));
            return Some(event);
        }
        Some(self.event(Some(old), Some(new)))
    }

    /// Whether two values differ only in how they are written: in spellings that mean the
    /// same for the knob, or in the names of the variables that they ask.
    fn only_spelled(&self, (old, new): (&Entry, &Entry)) -> bool {
        let Some(compiled) = self.all.get(new.extractor) else { return false };
        let rule = &compiled.rule;
        if old.value == new.value {
            return false;
        }
        // What is off where it may be chosen is off where it may not.
        let bare = |entry: &Entry| match entry.pieces.as_slice() {
            [only] => condition(&only.0).map_or(only.0.as_str(), |c| c.1).to_owned(),
            _ => String::new(),
        };
        if new.scope == super::Scope::Build && bare(old) == "OFF" && bare(new) == "OFF" {
            return true;
        }
        let own = rule.same.iter().filter(|same| same.knob.0.is_match(&new.knob));
        let own: Vec<Vec<String>> = own.map(|same| same.values.clone()).collect();
        let told = matches!(new.scope, super::Scope::CliHelp | super::Scope::Docs);
        let (a, b) = match told {
            true => (value::told(&old.value), value::told(&new.value)),
            false => (old.value.as_str(), new.value.as_str()),
        };
        if !own.is_empty() && value::same(a, b, &own) {
            return true;
        }
        // A name for what stood there.
        let (plain_old, plain_new) = (expanded(old), expanded(new));
        if new.scope == super::Scope::Build && plain_old == plain_new {
            return true;
        }
        let (was, is) = (today(rule, &old.value), today(rule, &new.value));
        let rewritten =
            (was != old.value || is != new.value) && value::same(&was, &is, &rule.equal);
        rewritten || value::renamed((&was, &old.around), (&is, &new.around))
    }

    fn event(&self, old: Option<(&str, &Entry)>, new: Option<(&str, &Entry)>) -> Event {
        let side = new.or(old);
        let (path, entry) = match side {
            Some((path, entry)) => (path, Some(entry)),
            None => ("", None),
        };
        // The line of the piece that is new, rather than of the knob's first.
        let line = match (old, new) {
            (Some((_, old)), Some((_, new))) => {
                let fresh = new.pieces.iter().find(|p| !old.pieces.iter().any(|o| o.0 == p.0));
                fresh.map_or(new.line, |p| p.1)
            }
            _ => entry.map_or(0, |e| e.line),
        };
        Event {
            extractor: entry
                .and_then(|e| self.all.get(e.extractor))
                .map_or_else(String::new, |c| c.rule.id.clone()),
            knob: entry.map_or_else(String::new, |e| e.knob.clone()),
            scope: entry.map_or(super::Scope::Server, |e| e.scope),
            old: old.map(|(_, e)| e.value.clone()),
            new: new.map(|(_, e)| e.value.clone()),
            path: path.to_owned(),
            line,
            before: old.map(|(path, e)| (path.to_owned(), e.line)),
            how: entry.map_or(How::Literal, |e| e.how.clone()),
            names: entry.map_or_else(Vec::new, |e| e.names.clone()),
        }
    }
}

/// Whether a value is one that code puts where nothing was set.
fn resolves(entry: &Entry) -> bool {
    entry.how == How::Resolved
}

/// Whether a knob that several places of a file tell only got another place, or lost one:
/// what each of the others says stands. (A request that no longer says it itself inherits.)
fn another_home(old: &Entry, new: &Entry) -> bool {
    use super::Scope::{CliHelp, Docs, Server};
    let told = |entry: &Entry| -> std::collections::BTreeSet<String> {
        entry.pieces.iter().map(|(piece, _)| plain(piece)).collect()
    };
    let inherits = |entry: &Entry| matches!(entry.how, How::Inherits(_));
    let (was, is) = (told(old), told(new));
    match new.scope {
        CliHelp | Docs => was != is && (was.is_subset(&is) || is.is_subset(&was)),
        Server => (inherits(old) || inherits(new)) && was != is && was.is_subset(&is),
        _ => false,
    }
}

/// A value with what the same file says of the names in it.
fn expanded(entry: &Entry) -> String {
    entry.resolved.iter().fold(entry.value.clone(), |value, (name, is)| {
        value.replace(&format!("${{{name}}}"), is).replace(&format!("${name}"), is)
    })
}

/// A value in today's spelling.
fn today(rule: &Extractor, value: &str) -> String {
    rule.spelled.iter().fold(value.to_owned(), |value, (pattern, today)| {
        pattern.0.replace_all(&value, today.as_str()).into_owned()
    })
}

/// A text of a page without its markup.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '`' | '\\' | '*')).collect()
}

/// The condition in front of a value, and the value.
pub(super) fn condition(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0u32;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((text.get(1..at)?, text.get(at + 1..)?.trim_start()));
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Whether a knob that comes or goes says anything about a default: one that only
/// hands on another place's, or holds nothing certain, does not.
fn tells(entry: &Entry) -> bool {
    !matches!(entry.how, How::Inherits(_)) && entry.value != "uninitialised"
}
