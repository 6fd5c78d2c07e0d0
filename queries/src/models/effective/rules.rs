//! How a server's options reach its engine, as data.

use headwater_store::upstream::Upstream;
use regex::Regex;
use serde::Deserialize;

use crate::QueryError;

const FILE: &str = include_str!("../../../rules/effective.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    server: Vec<ServerRule>,
}

/// How one server hands its options on.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerRule {
    /// The upstream.
    pub upstream: String,
    /// The files that write an option into what the engine is asked.
    pub files: Vec<String>,
    /// Groups `field` (the engine's name) and `option` (the server's).
    pub field: String,
    /// The engine.
    pub engine: String,
    /// The pin by which it came.
    pub pin: String,
    /// The extractor that reads its parameters.
    pub params: String,
    /// The engine's server program, which may have values of its own.
    pub program: String,
}

/// The rule of an upstream, if it is a server of models.
pub(crate) fn of(upstream: &Upstream) -> Result<Option<ServerRule>, QueryError> {
    let wrong = |e: toml::de::Error| bad(e.to_string());
    let rules: Rules = toml::from_str(FILE).map_err(wrong)?;
    Ok(rules.server.into_iter().find(|rule| rule.upstream == upstream.name))
}

/// The upstreams that are servers of models over the engine `name`.
pub(crate) fn servers_over(name: &str) -> Result<Vec<String>, QueryError> {
    let rules: Rules = toml::from_str(FILE).map_err(|e| bad(e.to_string()))?;
    let over = rules.server.into_iter().filter(|rule| rule.pin == name);
    Ok(over.map(|rule| rule.upstream).collect())
}

impl ServerRule {
    pub(super) fn field(&self) -> Result<Regex, QueryError> {
        Regex::new(&self.field).map_err(|e| bad(e.to_string()))
    }
}

fn bad(why: String) -> QueryError {
    QueryError::Rules { file: "effective.toml".to_owned(), why }
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn the_rules_name_what_there_is() {
        let upstreams = Upstreams::built_in().unwrap();
        let ollama = upstreams.get("ollama").unwrap();
        let rule = of(ollama).unwrap().unwrap();
        let field = rule.field().unwrap();
        let found = field.captures("\t\t\"top_k\":   req.Options.TopK,").unwrap();
        assert_eq!((&found["field"], &found["option"]), ("top_k", "TopK"));
        assert!(field.captures("\"top_k\": 40,").is_none());
        assert!(ollama.engines.iter().any(|engine| engine.name == rule.engine));
        assert!(ollama.pins.iter().any(|pin| pin.name == rule.pin));
        assert_eq!(servers_over("llama.cpp").unwrap(), ["ollama"]);
        assert!(of(upstreams.get("llama.cpp").unwrap()).unwrap().is_none());
    }
}
