//! Events that one commit's changed files do not tell alone: the rest of the tree holds
//! the other half.

mod held;
mod options;
mod printed;

use super::entry::{Entry, Event, How};
use super::rules::{Compiled, Extractors};
use super::value;

/// Reads a file's table on one side of the commit, empty where there is none.
type At<'a, E> = dyn FnMut(TreeSide, &str) -> Result<Vec<Entry>, E> + 'a;

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
    /// computed from one that moved; and drops those of which the trees say that nobody who
    /// sets nothing meets them. `at` reads a file's table, empty where there is none.
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
            if let Some(compiled) = rule.filter(|_| event.is_move())
                && (self.prints_the_same(compiled, &mut event, &mut at)?
                    || self.never_met(compiled, &event, &mut at)?
                    || self.asks_the_same(compiled, &event, &mut at)?
                    || self.waits_for_options(compiled, &event, &mut at)?)
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
        let look = |side: TreeSide, at: &str| -> Result<Vec<Entry>, Infallible> {
            let own = if side == TreeSide::Before { before } else { after };
            let own = own.filter(|_| at == path);
            Ok(table(at, own.or(tree.iter().find(|t| t.0 == at).map(|t| t.1))))
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
        assert_eq!(got, ["--leap 4 -> 3 common/common.cpp"]);
    }

    #[test]
    fn a_help_that_prints_what_another_help_said_in_words_says_the_same() {
        let holds = "struct common_params { std::string lead = \"\"; bool swift = true; bool calm = true; };";
        let tree = [("common/common.h", holds)];
        let old = "printf(\"  --lead N  who leads (default: empty)\\n\"); printf(\"  --swift  go (default: enabled)\\n\"); printf(\"  --calm  be (default: disabled)\\n\");";
        let new = "printf(\"  --lead N  who leads (default: '%s')\\n\", params.lead.c_str()); printf(\"  --swift  go (default: %s)\\n\", params.swift ? \"enabled\" : \"disabled\"); printf(\"  --calm  be (default: %s)\\n\", params.calm ? \"enabled\" : \"disabled\");";
        let got = told("llama.cpp", "common/common.cpp", Some(old), Some(new), &tree);
        assert_eq!(got, ["--calm disabled -> enabled common/common.cpp"]);
    }

    #[test]
    fn a_field_that_every_request_sets_itself_is_never_met() {
        let task = |a: &str| {
            format!("struct task_params {{ bool flow = {a}; bool keep = {a}; bool hold = {a}; }};")
        };
        let reads = "params.flow = json_value(data, \"flow\", false); params.keep = json_value(data, \"keep\", defaults.keep);";
        let tree = [("tools/server/server-task.cpp", reads)];
        let (old, new) = (task("true"), task("false"));
        let got = told("llama.cpp", "tools/server/server-task.h", Some(&old), Some(&new), &tree);
        assert_eq!(
            got,
            [
                "task_params.hold true -> false tools/server/server-task.h",
                "task_params.keep true -> false tools/server/server-task.h"
            ]
        );
    }

    #[test]
    fn what_is_unset_and_gets_what_stood_there_stays() {
        let sets = "void f() { if (params.span < 0) { params.span = all(); } if (params.reach < 0) { params.reach = 3; } }";
        let tree = [("common/common.cpp", sets)];
        let holds = |span: &str, reach: u32| {
            format!("struct common_params {{ int span = {span}; int reach = {reach}; }};")
        };
        let (old, new) = (holds("all()", 2), holds("-1", 3));
        let got = told("llama.cpp", "common/common.h", Some(&old), Some(&new), &tree);
        assert_eq!(got, ["common_params.reach 2 -> 3 common/common.h"]);
        let (old, new) = (holds("half()", 3), holds("-1", 3));
        let got = told("llama.cpp", "common/common.h", Some(&old), Some(&new), &tree);
        assert_eq!(got, ["common_params.span half() -> -1 common/common.h"]);
    }

    #[test]
    fn what_is_never_unset_is_never_resolved() {
        let task = |n: &str| {
            format!(
                "void f() {{ if (params.span < 0) {{ params.span = {n}; }} if (params.reach < 0) {{ params.reach = {n}; }} }}"
            )
        };
        let holds = "struct common_params { int span = -1; int reach = 64; };";
        let tree = [("common/common.h", holds)];
        let (old, new) = (task("all()"), task("half()"));
        let got = told("llama.cpp", "tools/server/server-task.cpp", Some(&old), Some(&new), &tree);
        assert_eq!(got, ["span all() -> half() tools/server/server-task.cpp"]);
    }

    #[test]
    fn a_value_that_asks_the_environment_may_be_what_stood_there() {
        let load =
            |n: &str| format!("package llm\n\nfunc GetRunner(o O) {{\n\to.NumBatch = {n}\n}}\n");
        let env = "package envconfig\n\nvar (\n\tBatch = Uint(\"X_BATCH\", 8)\n)\n";
        let tree = [("envconfig/config.go", env)];
        let new = load("int(envconfig.Batch())");
        let got = told("ollama", "llm/server.go", Some(&load("8")), Some(&new), &tree);
        assert_eq!(got, [""; 0]);
        let new_always =
            load("max(int(envconfig.Batch()), 8)\n\tif small {\n\t\to.NumBatch = 8\n\t}");
        let got = told("ollama", "llm/server.go", Some(&load("8")), Some(&new_always), &tree);
        assert_eq!(got, [""; 0]);
        let got = told("ollama", "llm/server.go", Some(&load("4")), Some(&new), &tree);
        assert_eq!(got, ["NumBatch 4 -> int(envconfig.Batch()) llm/server.go"]);
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
