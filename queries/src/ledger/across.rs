//! Events that one commit's changed files do not tell alone: the rest of the tree holds
//! the other half.

use super::entry::{Entry, Event, How, Scope};
use super::rules::{Compiled, Extractors};
use super::value;

/// Which side of a commit a file is looked up on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeSide {
    /// The parent's tree.
    Before,
    /// The commit's tree.
    After,
}

impl Extractors {
    /// Completes a commit's events with what other files of its trees say: the value that
    /// an override overrides, the copy of a page that has come or gone, and knobs that are
    /// computed from one that moved. `at` reads a file's table, empty where there is none.
    ///
    /// # Errors
    /// Those of `at`.
    pub fn across<E>(
        &self,
        events: Vec<Event>,
        mut at: impl FnMut(TreeSide, &str) -> Result<Vec<Entry>, E>,
    ) -> Result<Vec<Event>, E> {
        let mut out = Vec::with_capacity(events.len());
        for mut event in events {
            let rule = self.all.iter().find(|c| c.rule.id == event.extractor);
            let side = match (&event.old, &event.new) {
                (None, Some(_)) => Some(TreeSide::Before),
                (Some(_), None) => Some(TreeSide::After),
                _ => None,
            };
            if let (Some(compiled), Some(side)) = (rule, side) {
                let over = self.overridden(compiled, &event, |path| at(side, path))?;
                let other = match over {
                    Some(found) => Some(found),
                    None => self.copy(compiled, &event, |path| at(side, path))?,
                };
                if let Some((path, entry)) = other
                    && !self.complete(compiled, &mut event, side, &path, &entry)
                {
                    continue;
                }
            }
            if let Some(compiled) = rule
                && self.prints_the_same(compiled, &event, &mut at)?
            {
                continue;
            }
            out.push(event);
        }
        let mut more = Vec::new();
        for event in out.iter().filter(|e| e.is_move()) {
            for compiled in &self.all {
                let group = self.all.iter().find(|c| c.rule.id == event.extractor);
                let group = group.map(|c| c.rule.group.as_ref().unwrap_or(&c.rule.id));
                if compiled.rule.follows.as_ref() != group || group.is_none() {
                    continue;
                }
                let Some(path) = compiled.rule.paths.first() else { continue };
                for entry in at(TreeSide::After, path)? {
                    let calls = |name: &String| entry.value.contains(&format!(".{name}("));
                    if event.names.iter().any(calls) && !out.iter().any(|e| e.knob == entry.knob) {
                        let how = format!("{} in {path}:{}", entry.value, entry.line);
                        more.push(Event {
                            extractor: compiled.rule.id.clone(),
                            knob: entry.knob,
                            scope: entry.scope,
                            how: How::Computed(how),
                            names: entry.names,
                            ..event.clone()
                        });
                    }
                }
            }
        }
        out.extend(more);
        Ok(out)
    }

    /// Whether a help that named a number prints what the program holds now (or the other way
    /// round), and that is the same number.
    fn prints_the_same<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut impl FnMut(TreeSide, &str) -> Result<Vec<Entry>, E>,
    ) -> Result<bool, E> {
        let (Some(old), Some(new)) = (&event.old, &event.new) else { return Ok(false) };
        let (old, new) = (value::told(old), value::told(new));
        // `1=disabled` explains the 1.
        let bare = |text: &str| text.split('=').next().unwrap_or(text).trim().to_owned();
        let (side, said) = match (bare(old), bare(new)) {
            (said, printed) if printed == "inherit" => (TreeSide::After, said),
            (printed, said) if printed == "inherit" => (TreeSide::Before, said),
            _ => return Ok(false),
        };
        if event.scope != Scope::CliHelp {
            return Ok(false);
        }
        let names = event.names.iter().chain([&event.knob]);
        let names: Vec<String> = names.map(|name| value::spelling(name)).collect();
        for path in &compiled.rule.over {
            let field = |entry: &Entry| {
                let field = entry.knob.rsplit('.').next().unwrap_or(&entry.knob);
                names.contains(&value::spelling(field))
            };
            if let Some(held) = at(side, path)?.into_iter().find(field) {
                let alike = |value: &str| value::same(&said, value, &compiled.rule.equal);
                // What one program lays over it is what that program prints.
                let own = |entry: &Entry| {
                    entry.knob.split_once('@').is_some_and(|(knob, _)| knob == held.knob)
                };
                let laid_over = at(side, &event.path)?.into_iter().filter(own);
                return Ok(alike(&held.value) && laid_over.into_iter().all(|e| alike(&e.value)));
            }
        }
        Ok(false)
    }

    /// What an override (`field@program`) stands over.
    fn overridden<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        mut at: impl FnMut(&str) -> Result<Vec<Entry>, E>,
    ) -> Result<Option<(String, Entry)>, E> {
        let Some((knob, _)) = event.knob.split_once('@') else { return Ok(None) };
        let field = knob.rsplit('.').next().unwrap_or(knob);
        for path in &compiled.rule.over {
            let table = at(path)?;
            let exact = table.iter().find(|e| e.knob == knob);
            let mut fields = table.iter().filter(|e| e.knob.rsplit('.').next() == Some(field));
            let found = exact.or(match (fields.next(), fields.next()) {
                (Some(only), None) => Some(only),
                _ => None,
            });
            if let Some(found) = found {
                return Ok(Some((event.path.clone(), found.clone())));
            }
        }
        Ok(None)
    }

    /// The same knob in another copy of the page.
    fn copy<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        mut at: impl FnMut(&str) -> Result<Vec<Entry>, E>,
    ) -> Result<Option<(String, Entry)>, E> {
        if !compiled.rule.copies {
            return Ok(None);
        }
        for path in compiled.rule.paths.iter().filter(|p| **p != event.path && !p.contains('*')) {
            let found = at(path)?.into_iter().find(|e| e.knob == event.knob);
            if let Some(found) = found {
                return Ok(Some((path.clone(), found)));
            }
        }
        Ok(None)
    }

    /// Puts the other half into an event; false where both halves are the same.
    fn complete(
        &self,
        compiled: &Compiled,
        event: &mut Event,
        side: TreeSide,
        path: &str,
        entry: &Entry,
    ) -> bool {
        let known = event.old.as_deref().or(event.new.as_deref()).unwrap_or_default();
        if value::same(known, &entry.value, &compiled.rule.equal) {
            return false;
        }
        match side {
            TreeSide::Before => {
                event.old = Some(entry.value.clone());
                event.before = Some((path.to_owned(), entry.line));
            }
            TreeSide::After => {
                event.new = Some(entry.value.clone());
                if path != event.path {
                    path.clone_into(&mut event.path);
                    event.line = entry.line;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{FileTables, Session};
    use std::convert::Infallible;

    fn told(
        upstream: &str,
        path: &str,
        before: Option<&str>,
        after: Option<&str>,
        tree: &[(&str, &str)],
    ) -> Vec<String> {
        let extractors = Extractors::built_in().unwrap();
        let mut session = Session::new(&extractors);
        let mut table = |path: &str, text: Option<&str>| {
            text.map_or_else(Vec::new, |t| session.table(upstream, path, t.as_bytes()))
        };
        let file = FileTables {
            old_path: before.map(|_| path.to_owned()),
            path: after.map(|_| path.to_owned()),
            before: table(path, before),
            after: table(path, after),
        };
        let events = extractors.events(&[file]);
        let look = |_: TreeSide, path: &str| -> Result<Vec<Entry>, Infallible> {
            Ok(table(path, tree.iter().find(|t| t.0 == path).map(|t| t.1)))
        };
        let events = extractors.across(events, look).unwrap();
        let side = |v: &Option<String>| v.clone().unwrap_or_else(|| "none".into());
        events
            .iter()
            .map(|e| format!("{} {} -> {} {}", e.knob, side(&e.old), side(&e.new), e.path))
            .collect()
    }

    #[test]
    fn an_override_departs_from_what_it_overrides() {
        let tree =
            [("common/common.h", "struct common_params { bool jin = false; int same = 2; };")];
        let after = "if (ex == LLAMA_EXAMPLE_SERVER) { params.jin = true; params.same = 2; }";
        let got = told("llama.cpp", "common/arg.cpp", Some("\n"), Some(after), &tree);
        assert_eq!(got, ["common_params.jin@server false -> true common/arg.cpp"]);
    }

    #[test]
    fn a_help_that_prints_what_is_held_says_nothing_new() {
        let tree =
            [("common/common.h", "struct common_params { float warp = 0.5f; int leap = 3; };")];
        let help = |warp: &str, leap: &str| {
            format!(
                "printf(\"  --warp N  how far (default: {warp})\\n\"); printf(\"  --leap N  how wide (default: {leap})\\n\");"
            )
        };
        let (old, new) = (help("0.5", "4"), help("%.1f", "%d"));
        let got = told("llama.cpp", "common/common.cpp", Some(&old), Some(&new), &tree);
        assert_eq!(got, ["--leap 4 -> inherit common/common.cpp"]);
    }

    #[test]
    fn a_page_that_goes_leaves_its_copy() {
        let page = |n: u32| format!("| P | D |\n|--|--|\n| ctx | size (Default: {n}) |\n");
        let (old, kept) = (page(1), page(2));
        let tree = [("docs/modelfile.md", kept.as_str())];
        let got = told("ollama", "docs/modelfile.mdx", Some(&old), None, &tree);
        assert_eq!(got, ["ctx 1 -> 2 docs/modelfile.md"]);
    }

    #[test]
    fn a_knob_moves_with_what_it_is_computed_from() {
        let api = "package api\n\ntype O struct {\n\tCtx int `json:\"ctx\"`\n}\n\nfunc DefaultOptions() O {\n\treturn O{Ctx: int(envconfig.Length())}\n}\n";
        let env =
            |n: u32| format!("package envconfig\n\nvar (\n\tLength = Uint(\"X_LENGTH\", {n})\n)\n");
        let (old, new) = (env(4), env(0));
        let tree = [("api/types.go", api)];
        let got = told("ollama", "envconfig/config.go", Some(&old), Some(&new), &tree);
        assert_eq!(got, ["X_LENGTH 4 -> 0 envconfig/config.go", "ctx 4 -> 0 envconfig/config.go"]);
    }
}
