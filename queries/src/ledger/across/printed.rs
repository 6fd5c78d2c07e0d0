//! Helps that print what a program holds: what they come to on each side of a commit.

use super::{At, TreeSide};
use crate::ledger::entry::{Entry, Event, How, Scope};
use crate::ledger::lex::{self, Kind};
use crate::ledger::rules::{Compiled, Extractors};
use crate::ledger::value;

/// What stands in a help's text where the program fills it in.
const FILLED: &str = "inherit";

impl Extractors {
    /// Puts what the program fills in into an event of a help; whether both sides then say
    /// the same.
    pub(super) fn prints_the_same<E>(
        &self,
        compiled: &Compiled,
        event: &mut Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        let (Some(old), Some(new)) = (event.old.clone(), event.new.clone()) else {
            return Ok(false);
        };
        let fills = |text: &str| value::told(text).contains(FILLED);
        if event.scope != Scope::CliHelp || !(fills(&old) || fills(&new)) {
            return Ok(false);
        }
        let path_before = event.before.as_ref().map_or(event.path.as_str(), |b| b.0.as_str());
        let was = self.printed(compiled, event, (TreeSide::Before, path_before), &old, at)?;
        let is = self.printed(compiled, event, (TreeSide::After, &event.path), &new, at)?;
        let (Some(was), Some(is)) = (was, is) else { return Ok(false) };
        let same = alike(&was, &is, &compiled.rule.equal);
        (event.old, event.new) = (Some(was), Some(is));
        Ok(same)
    }

    /// A help's text with what the program holds in it; `None` where that cannot be told.
    fn printed<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        (side, path): (TreeSide, &str),
        text: &str,
        at: &mut At<'_, E>,
    ) -> Result<Option<String>, E> {
        match value::told(text).matches(FILLED).count() {
            0 => return Ok(Some(text.to_owned())),
            1 => {}
            _ => return Ok(None),
        }
        let named = |entry: &Entry| match (side, &event.before) {
            (TreeSide::Before, Some((_, line))) => entry.line == *line,
            _ => entry.knob == event.knob,
        };
        let says = |entry: &Entry| {
            let told = entry.pieces.iter().all(|(piece, _)| piece == text);
            told && entry.scope == Scope::CliHelp && named(entry)
        };
        // An option may have moved to another file of its kind.
        let plain = compiled.rule.paths.iter().map(String::as_str).filter(|p| !p.contains('*'));
        let mut own = Vec::new();
        for path in std::iter::once(path).chain(plain.filter(|p| *p != path)) {
            own = at(side, path)?;
            if own.iter().any(says) {
                break;
            }
        }
        let help = own.iter().find(|entry| says(entry));
        let Some((help, How::Inherits(expression))) = help.map(|entry| (entry, &entry.how)) else {
            return Ok(None);
        };
        let members = members(expression);
        let called = |entry: &Entry| {
            let field = entry.knob.rsplit('.').next().unwrap_or(&entry.knob);
            match members.last() {
                Some(member) => field == *member,
                None => {
                    let field = value::spelling(field);
                    let mut names = help.names.iter().chain([&event.knob]);
                    names.any(|name| value::spelling(name) == field)
                }
            }
        };
        for path in compiled.rule.over.iter().map(String::as_str).chain([path]) {
            let table = at(side, path)?;
            let holds = |entry: &&Entry| {
                entry.scope != Scope::CliHelp && !entry.knob.contains('@') && called(entry)
            };
            let Some(held) = only(table.iter().filter(holds).collect(), &members) else {
                continue;
            };
            let Some(shown) = shown(expression, &held.value) else { return Ok(None) };
            // What one program lays over it is what that program prints.
            let laid_over = own.iter().any(|entry| {
                entry.knob.split_once('@').is_some_and(|(knob, _)| knob == held.knob)
                    && !alike(&entry.value, &held.value, &compiled.rule.equal)
            });
            return Ok((!laid_over).then(|| text.replacen(FILLED, &shown, 1)));
        }
        Ok(None)
    }
}

/// The one that is meant: they all hold the same, or one's owner goes by the members on
/// the way to it.
fn only<'t>(all: Vec<&'t Entry>, members: &[&str]) -> Option<&'t Entry> {
    let first = *all.first()?;
    if all.iter().all(|entry| entry.value == first.value) {
        return Some(first);
    }
    let way = members.get(1..members.len().saturating_sub(1)).filter(|way| !way.is_empty())?;
    let mut owned =
        all.into_iter().filter(|entry| way.iter().all(|member| entry.knob.contains(member)));
    owned.next().filter(|_| owned.next().is_none())
}

/// The members of the first `a.b.c` of an expression, calls left out.
fn members(expression: &str) -> Vec<&str> {
    let tokens: Vec<_> = lex::tokens(expression, 0).collect();
    let mut out: Vec<&str> = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let after_dot = n > 0 && tokens[n - 1].is(".");
        let called = tokens.get(n + 1).is_some_and(|next| next.is("("));
        match token.kind {
            Kind::Word if after_dot && !called && !out.is_empty() => out.push(token.text),
            Kind::Word if out.len() < 2 => out = vec![token.text],
            Kind::Punct if token.is(".") => {}
            _ if out.len() > 1 => break,
            _ => {}
        }
    }
    if out.len() > 1 { out } else { Vec::new() }
}

/// What an expression prints of what is held: one of two texts by its truth, or itself.
fn shown(expression: &str, held: &str) -> Option<String> {
    let Some((condition, texts)) = expression.split_once('?') else {
        let bare = lex::unquote(held);
        let number = bare.trim_end_matches('f');
        let plain = number.parse::<f64>().is_ok();
        return Some(if plain { number.to_owned() } else { bare });
    };
    let condition = condition.trim();
    if condition.contains(['=', '<', '>', '&', '|']) {
        return None;
    }
    let holds = match held {
        "true" | "1" => true,
        "false" | "0" => false,
        _ => return None,
    };
    let (yes, no) = texts.split_once(':')?;
    let text = if holds != condition.starts_with('!') { yes } else { no };
    Some(lex::unquote(text.trim().trim_end_matches(')').trim()))
}

/// Whether two texts of a help tell the same default: in one value, or in words for a
/// switch that is off or on and for a text that is empty.
fn alike(a: &str, b: &str, equal: &[Vec<String>]) -> bool {
    // `1=disabled` explains the 1.
    let bare = |text: &str| -> String {
        let told = value::told(text).split('=').next().unwrap_or_default();
        told.trim().trim_matches(['\'', '"', '`']).to_owned()
    };
    let (a, b) = (bare(a), bare(b));
    let (low_a, low_b) = (a.to_lowercase(), b.to_lowercase());
    let both = |words: &[&str]| words.contains(&low_a.as_str()) && words.contains(&low_b.as_str());
    value::same(&a, &b, equal)
        || both(&["", "empty", "none", "unused", "unset", "disabled"])
        || both(&["false", "disabled", "off", "0"])
        || both(&["true", "enabled", "on", "1"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_an_expression_prints() {
        assert_eq!(members("(double)params.sampling.heat"), ["params", "sampling", "heat"]);
        assert_eq!(members("params.path.c_str()"), ["params", "path"]);
        assert!(members("DEFAULT_PATH").is_empty());
        assert_eq!(shown("params.heat", "0.50f").as_deref(), Some("0.50"));
        assert_eq!(shown("params.path.c_str()", "\"a/b\"").as_deref(), Some("a/b"));
        let shows = |held: &str| shown("params.on ? \"enabled\" : \"disabled\"", held);
        assert_eq!(shows("true").as_deref(), Some("enabled"));
        assert_eq!(shows("false").as_deref(), Some("disabled"));
        assert_eq!(shows("KIND_AUTO"), None);
        assert_eq!(shown("params.n < 0 ? \"all\" : \"some\"", "1"), None);
    }

    #[test]
    fn words_for_nothing_are_alike() {
        for (a, b) in [("empty", "\'\'"), ("disabled", "false"), ("1, 0 = off", "1.0, none")] {
            assert!(alike(a, b, &[]), "{a} {b}");
        }
        for (a, b) in [("empty", "a"), ("disabled", "true"), ("2", "3")] {
            assert!(!alike(a, b, &[]), "{a} {b}");
        }
    }
}
