//! Where documentation and code say different things at one version.

use schemars::JsonSchema;
use serde::Serialize;

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
pub(super) fn drift(tables: &[(String, Entry)], spellings: &Spellings) -> Vec<Drift> {
    let mut out = Vec::new();
    // What users set comes before what the server makes of it.
    let scopes = [Scope::RequestOption, Scope::Sampling, Scope::Context, Scope::Server];
    for (path, said) in tables.iter().filter(|(_, e)| e.scope == Scope::Docs) {
        let named = |entry: &Entry| {
            let field = spelling(entry.knob.rsplit('.').next().unwrap_or(&entry.knob));
            let mut names = std::iter::once(&said.knob).chain(&said.names);
            names.any(|n| spelling(n) == field)
                && spellings.matches(&entry.knob, &entry.names, &said.knob)
        };
        // Several knobs of a name in one scope: which one the page means is not certain.
        let one = scopes.iter().find_map(|scope| {
            let mut of = tables.iter().filter(|(_, e)| e.scope == *scope && named(e));
            of.next().map(|first| (first, of.next().is_none()))
        });
        let Some(((code_path, is), true)) = one else { continue };
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
fn decided(entry: &Entry, tables: &[(String, Entry)]) -> Option<String> {
    if number(&entry.value).is_some() {
        return Some(entry.value.clone());
    }
    let asked = tables.iter().find(|(_, e)| {
        e.scope == Scope::Env && e.names.iter().any(|n| entry.value.contains(&format!(".{n}(")))
    });
    asked.map(|(_, e)| e.value.clone())
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
            tables.extend(table.into_iter().map(|e| (path.to_owned(), e)));
        }
        let mut spellings = Spellings::default();
        for (_, entry) in &tables {
            spellings.add(entry);
        }
        let found = drift(&tables, &spellings);
        let told: Vec<_> = found
            .iter()
            .map(|d| (d.knob.as_str(), d.documented.as_str(), d.code.as_str()))
            .collect();
        assert_eq!(told, [("heat", "1.1", "1.0"), ("ctx", "2048", "int(envconfig.Length())")]);
    }
}
