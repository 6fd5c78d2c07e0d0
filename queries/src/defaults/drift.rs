//! Where documentation and code say different things at one version.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::derive::tree_tables::Placed;
use crate::ledger::{Entry, Scope, Spellings, spelling};

/// One knob of which the documentation says something else than the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Drift {
    /// The knob, as the documentation spells it.
    pub knob: String,
    /// What the documentation says.
    pub documented: String,
    /// Where.
    pub documented_at: (String, u32),
    /// What the code says.
    pub code: String,
    /// Where.
    pub code_at: (String, u32),
}

/// The documentation's rows against the code's, by any spelling.
pub(super) fn drift(tables: &[Placed], spellings: &Spellings) -> Vec<Drift> {
    let mut out = Vec::new();
    // What users set comes before what the server makes of it.
    let scopes = [Scope::RequestOption, Scope::Sampling, Scope::Context, Scope::Server];
    let mut by_field: HashMap<(Scope, String), Vec<&Placed>> = HashMap::new();
    for placed in tables.iter().filter(|p| scopes.contains(&p.entry.scope)) {
        let field = spelling(placed.entry.knob.rsplit('.').next().unwrap_or_default());
        by_field.entry((placed.entry.scope, field)).or_default().push(placed);
    }
    for Placed { path, entry: said } in tables.iter().filter(|p| p.entry.scope == Scope::Docs) {
        let names = std::iter::once(&said.knob).chain(&said.names);
        let names: BTreeSet<String> = names.map(|name| spelling(name)).collect();
        // Several knobs of a name in one scope: which one the page means is not certain.
        let one = scopes.iter().find_map(|scope| {
            let called = names.iter().filter_map(|name| by_field.get(&(*scope, name.clone())));
            let mut of = called
                .flatten()
                .filter(|p| spellings.matches(&p.entry.knob, &p.entry.names, &said.knob));
            of.next().map(|first| (first, of.next().is_none()))
        });
        let Some((Placed { path: code_path, entry: is }, true)) = one else { continue };
        let Some(value) = decided(is, tables) else { continue };
        let told = said.value.split([',', ' ']).next().unwrap_or_default();
        let differs = match (number(told), number(&value)) {
            (Some(a), Some(b)) => (a - b).abs() > f64::EPSILON,
            _ => false,
        };
        if differs {
            out.push(Drift {
                knob: said.knob.clone(),
                documented: said.value.clone(),
                documented_at: (path.clone(), said.line),
                code: is.value.clone(),
                code_at: (code_path.clone(), is.line),
            });
        }
    }
    out
}

/// The value that the code decides: its own, or that of the variable that it asks.
fn decided(entry: &Entry, tables: &[Placed]) -> Option<String> {
    if number(&entry.value).is_some() {
        return Some(entry.value.clone());
    }
    let mut env = tables.iter().map(|p| &p.entry).filter(|e| e.scope == Scope::Env);
    let asked = env.find(|e| e.names.iter().any(|n| entry.value.contains(&format!(".{n}("))));
    asked.map(|e| e.value.clone())
}

fn number(text: &str) -> Option<f64> {
    text.trim().trim_end_matches(['f', 'F']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Extractors, Session};

    #[test]
    fn finds_what_a_page_says_otherwise() {
        let extractors = Extractors::built_in().unwrap();
        let mut session = Session::new(&extractors);
        let docs = "| P | D |\n|--|--|\n| heat | hot (Default: 1.1) |\n| ctx | size (Default: 2048) |\n| same | x (Default: 4, on) |\n";
        let code = "package api\n\ntype O struct {\n\tHeat float32 `json:\"heat\"`\n\tCtx int `json:\"ctx\"`\n\tSame int `json:\"same\"`\n}\n\nfunc DefaultOptions() O {\n\treturn O{Heat: 1.0, Ctx: int(envconfig.Length()), Same: 4}\n}\n";
        let env = "package envconfig\n\nvar (\n\tLength = Uint(\"X_LENGTH\", 0)\n)\n";
        let mut tables = Vec::new();
        for (path, text) in
            [("docs/modelfile.md", docs), ("api/types.go", code), ("envconfig/config.go", env)]
        {
            let table = session.table("ollama", path, text.as_bytes());
            tables.extend(table.into_iter().map(|entry| Placed { path: path.to_owned(), entry }));
        }
        let mut spellings = Spellings::default();
        for placed in &tables {
            spellings.add(&placed.entry);
        }
        let found = drift(&tables, &spellings);
        let told: Vec<_> = found
            .iter()
            .map(|d| (d.knob.as_str(), d.documented.as_str(), d.code.as_str()))
            .collect();
        assert_eq!(told, [("heat", "1.1", "1.0"), ("ctx", "2048", "int(envconfig.Length())")]);
    }
}
