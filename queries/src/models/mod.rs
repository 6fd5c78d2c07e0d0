//! Models: what they publish, what of it changed, and what a request to one really runs
//! with.
//!
//! ```
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/crawled.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use headwater_crawler::http::{Client, Hosts, Settings};
//! use headwater_crawler::progress::Silent;
//! use headwater_crawler::registry::crawl_models;
//! use headwater_queries::models::{Decider, effective};
//! use headwater_store::ModelName;
//!
//! # let Crawled { mut store, upstreams, rules, dir: _dir } = crawled()?;
//! # let kit = headwater_testkit::Testkit::start()?;
//! # let env = kit.env();
//! # let environment = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, url)| url.clone());
//! // `store`, `upstreams` and `rules` as at the top of the crate. `environment` may name other
//! // hosts than the usual ones: here a registry in miniature.
//! let (client, hosts) = (Client::new(Settings::default())?, Hosts::read(None, &environment)?);
//! let gemma: ModelName = "gemma4:26b".parse()?;
//! crawl_models(&mut store, &client, &hosts, &[gemma.clone()], &Silent)?;
//!
//! let ollama = upstreams.get("ollama")?;
//! let (rows, at) = effective(&store, &upstreams, &rules.extractors, ollama, &gemma, "v0.6.0")?;
//! let row = |knob: &str| rows.iter().find(|row| row.knob == knob).ok_or("none");
//! // The model's own parameters come before the server's defaults.
//! assert_eq!(row("temperature")?.from, Decider::Model);
//! assert_eq!(row("repeat_penalty")?.from, Decider::ServerDefault);
//! assert_eq!(row("repeat_penalty")?.value.as_deref(), Some("1.1"));
//! assert_eq!(at.version, "v0.6.0");
//! # Ok(())
//! # }
//! ```

mod answer;
mod effective;
mod effects;
mod history;

pub(crate) use answer::version_of;
pub use answer::{ModelAnswer, ModelSummary, model, summaries};
pub use effective::{AtVersion, Decider, EffectiveRow, Engine, VersionRead, effective};
pub(crate) use effective::{
    Options, Own, Passed, Reach, ServerAt, Since, number_or_text, options_of, passed, read, runs,
    server_rows,
};
pub use effects::{EffectOf, EffectsAnswer, Reached, effects};
pub use history::{HistoryEntry, Moved};
