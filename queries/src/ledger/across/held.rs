//! Values that nobody who sets nothing meets: what another place of the tree holds decides.

use super::{At, TreeSide};
use crate::ledger::compare::condition;
use crate::ledger::entry::{Entry, Event, How};
use crate::ledger::lex::{self, Kind};
use crate::ledger::rules::{Compiled, Extractors, Holder};
use crate::ledger::value;

impl Extractors {
    /// Whether a request's own default always stands over the field, what is unset is never
    /// unset, or one side is only unset and gets what the other says.
    pub(super) fn never_met<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        Ok(self.read_over(compiled, event, at)?
            || self.always_set(compiled, event, at)?
            || self.only_unset(compiled, event, at)?)
    }

    /// Whether one side says that the field is unset, and the code then puts there what the
    /// other side says.
    fn only_unset<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        let (Some(old), Some(new)) = (&event.old, &event.new) else { return Ok(false) };
        let field = event.knob.rsplit('.').next().unwrap_or(&event.knob);
        let sides = [(TreeSide::After, new, old), (TreeSide::Before, old, new)];
        for (side, unset, other) in sides {
            for path in &compiled.rule.resolved_by {
                let gets = |entry: Entry| {
                    let resolved = entry.how == How::Resolved && entry.knob == field;
                    let mut pieces = entry.pieces.iter().filter(|_| resolved);
                    pieces.any(|(piece, _)| {
                        condition(piece).is_some_and(|(asked, value)| {
                            let asked = asked.strip_prefix(field).unwrap_or_default();
                            met(asked, unset) == Some(true)
                                && value::same(value, other, &compiled.rule.equal)
                        })
                    })
                };
                if at(side, path)?.into_iter().any(gets) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether the requests that set a field say themselves what it is where they do not.
    fn read_over<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        let owners = compiled.holds().iter().filter_map(|holder| match holder {
            Holder::Request { owner, .. } => Some(owner.as_str()),
            _ => None,
        });
        let owners: Vec<&str> = owners.collect();
        let Some((owner, field)) = event.knob.rsplit_once('.') else { return Ok(false) };
        if owners.is_empty() || owners.contains(&owner) {
            return Ok(false);
        }
        for path in compiled.rule.read_by.iter().chain([&event.path]) {
            let says = |entry: Entry| {
                let request = entry.knob.rsplit_once('.').map_or("", |(owner, _)| owner);
                owners.contains(&request)
                    && entry.names.iter().any(|name| name == field)
                    && entry.pieces.iter().all(|(piece, _)| piece != "inherit")
            };
            if at(TreeSide::After, path)?.into_iter().any(says) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the condition under which a value is resolved does not hold of what is held.
    fn always_set<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        let How::When(condition) = &event.how else { return Ok(false) };
        let resolves = compiled.holds().iter().any(|h| matches!(h, Holder::Resolved { .. }));
        let field = event.knob.as_str();
        let asked = condition.strip_prefix(field).filter(|_| resolves && !field.contains('.'));
        let Some(asked) = asked else { return Ok(false) };
        for path in &compiled.rule.over {
            let table = at(TreeSide::After, path)?;
            let here = |entry: &&Entry| entry.knob.rsplit('.').next() == Some(field);
            let held: Vec<bool> =
                table.iter().filter(here).filter_map(|entry| met(asked, &entry.value)).collect();
            if !held.is_empty() {
                return Ok(held.iter().all(|met| !met));
            }
        }
        Ok(false)
    }

    /// Whether a value that asks the environment comes to what stands on the other side,
    /// where the environment says nothing.
    pub(super) fn asks_the_same<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        let Some(group) = &compiled.rule.follows else { return Ok(false) };
        let (Some(old), Some(new)) = (&event.old, &event.new) else { return Ok(false) };
        let asked =
            self.all.iter().filter(|c| c.rule.group.as_ref().unwrap_or(&c.rule.id) == group);
        let (mut was, mut is) = (old.clone(), new.clone());
        for path in asked.flat_map(|c| &c.rule.paths) {
            let Some((folder, _)) = path.rsplit_once('/') else { continue };
            let package = folder.rsplit('/').next().unwrap_or(folder);
            if was.contains(package) {
                was = answered(&was, package, &at(TreeSide::Before, path)?);
            }
            if is.contains(package) {
                is = answered(&is, package, &at(TreeSide::After, path)?);
            }
        }
        let asks = was != *old || is != *new;
        if !asks {
            return Ok(false);
        }
        let path_before = event.before.as_ref().map_or(event.path.as_str(), |b| b.0.as_str());
        let own = |entry: &Entry| entry.knob == event.knob;
        let constants = |table: Vec<Entry>| {
            table.into_iter().find(|entry| own(entry)).map_or_else(Vec::new, |entry| entry.resolved)
        };
        let before = constants(at(TreeSide::Before, path_before)?);
        let after = constants(at(TreeSide::After, &event.path)?);
        let one = |text: &str, constants: &[(String, String)]| only(text, &event.knob, constants);
        let alike = match (one(&was, &before), one(&is, &after)) {
            (Some(was), Some(is)) => was == is,
            _ => false,
        };
        Ok(alike || value::same(&was, &is, &compiled.rule.equal))
    }
}

/// Whether `< 0`, `== -1` and the like hold of a number, or `.empty()` of a text.
fn met(asked: &str, held: &str) -> Option<bool> {
    let asked = asked.trim();
    if asked == ".empty()" {
        return Some(matches!(held, "\"\"" | "{}"));
    }
    let number = |text: &str| -> Option<f64> {
        let text = text.trim();
        let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
        Some(sign * value::number(digits.trim()).parse::<f64>().ok()?)
    };
    let (sign, limit) =
        ["<=", "==", "<"].iter().find_map(|s| Some((*s, asked.strip_prefix(s)?)))?;
    let (held, limit) = (number(held)?, number(limit)?);
    Some(match sign {
        "<=" => held <= limit,
        "<" => held < limit,
        _ => (held - limit).abs() < f64::EPSILON,
    })
}

/// The number that a rule comes to whatever of its conditions holds, if it is one.
fn only(text: &str, knob: &str, constants: &[(String, String)]) -> Option<f64> {
    let mut out: Option<f64> = None;
    for piece in text.split(" ; ") {
        let value = condition(piece).map_or(piece, |(_, value)| value);
        // What the rule has made of it so far.
        if value == knob {
            continue;
        }
        let inner = ["max(", "min("].iter().find_map(|f| value.strip_prefix(f)?.strip_suffix(')'));
        for value in inner.map_or_else(|| vec![value], |both| both.split(", ").collect()) {
            let cast = value.strip_prefix("int(").and_then(|v| v.strip_suffix(')'));
            let value = cast.unwrap_or(value);
            let known = constants.iter().find(|(name, _)| name == value).map(|(_, is)| is.as_str());
            let number: f64 = value::number(known.unwrap_or(value)).parse().ok()?;
            if out.is_some_and(|out| (out - number).abs() > f64::EPSILON) {
                return None;
            }
            out = Some(number);
        }
    }
    out
}

/// A value with each `package.Name()` of a table's knobs replaced by what it defaults to.
fn answered(text: &str, package: &str, table: &[Entry]) -> String {
    let tokens: Vec<_> = lex::tokens(text, 0).collect();
    let mut out = String::new();
    let mut done = 0;
    let mut n = 0;
    while n + 2 < tokens.len() {
        let (first, dot, name) = (tokens[n], tokens[n + 1], tokens[n + 2]);
        let asks = first.is(package) && first.kind == Kind::Word && dot.is(".");
        let knob = table.iter().find(|e| asks && e.names.iter().any(|known| known == name.text));
        let Some(knob) = knob.filter(|knob| !knob.value.contains(' ')) else {
            n += 1;
            continue;
        };
        let called = tokens.get(n + 3).is_some_and(|t| t.is("("))
            && tokens.get(n + 4).is_some_and(|t| t.is(")"));
        out.push_str(&text[done..first.start]);
        out.push_str(&knob.value);
        done = if called { tokens[n + 4].end() } else { name.end() };
        n += if called { 5 } else { 3 };
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_may_come_to_one_number_in_every_case() {
        let constants = [("least".to_owned(), "1".to_owned())];
        let only = |text: &str| only(text, "n", &constants);
        assert_eq!(only("int(1) ; [small && n <= 0] least ; n"), Some(1.0));
        assert_eq!(only("max(int(1), 1) ; [big] 1"), Some(1.0));
        assert_eq!(only("1 ; [big] 2"), None);
        assert_eq!(only("1 ; [big] f()"), None);
    }

    #[test]
    fn a_condition_is_met_or_not() {
        assert_eq!(met("< 0", "-1"), Some(true));
        assert_eq!(met("== -1", "64"), Some(false));
        assert_eq!(met("<= 0", "0"), Some(true));
        assert_eq!(met(".empty()", "\"\""), Some(true));
        assert_eq!(met("< limit", "1"), None);
    }
}
