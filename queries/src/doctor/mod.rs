//! Is the store sound? Each check says what it looked at, what it found, and what to run.

mod checks;
mod sample;

use headwater_store::Store;
use headwater_store::upstream::Upstreams;
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::derive::labels::Sources;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// Nothing is wrong.
    Fine,
    /// Something is wrong.
    Problem,
    /// It could not be looked at.
    Unseen,
}

/// What one check found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// The upstream, where it was one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// How it ended.
    pub health: Health,
    /// What was found.
    pub detail: String,
    /// What to run, where something is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// What was found in a store.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// `headwater/doctor/1`
    pub schema: &'static str,
    /// The findings, one a check.
    pub findings: Vec<Finding>,
}

impl Diagnosis {
    /// How many checks ended so.
    pub fn count(&self, health: Health) -> usize {
        self.findings.iter().filter(|finding| finding.health == health).count()
    }
}

/// What to look at, and with what.
pub struct Examination<'a> {
    /// The declared upstreams.
    pub upstreams: &'a Upstreams,
    /// What decides labels and default events.
    pub sources: Sources<'a>,
    /// How many commits of each upstream are compared with the object store.
    pub sample: usize,
    /// Which commits these are: another number, other commits.
    pub seed: u64,
}

/// Looks at everything. A check that cannot be made is a finding, not an error.
pub fn examine(store: &Store, examination: &Examination<'_>) -> Diagnosis {
    let mut findings = Findings(Vec::new());
    findings.look("database", None, || checks::database(store));
    findings.look("references", None, || checks::references(store));
    findings.look("exact index", None, || checks::exact(store));
    findings.look("full-text index", None, || checks::search(store));
    let names = match store.upstream_names() {
        Ok(names) => names,
        Err(error) => {
            findings.look("upstreams", None, || Err(error.into()));
            Vec::new()
        }
    };
    if names.is_empty() {
        let fix = "headwater crawl UPSTREAM --from-git DIR".to_owned();
        findings.look("upstreams", None, || Ok(Told::problem("nothing is stored", fix)));
    }
    for (id, name) in &names {
        let mut look = |check, found: Result<Told, QueryError>| {
            findings.look(check, Some(name), || found);
        };
        look("crawl", checks::crawl(store, *id, name));
        look("receipts", checks::receipts(store, *id));
        look("objects", checks::objects(store, *id, name, examination.upstreams));
        match examination.upstreams.get(name) {
            Ok(upstream) => {
                for (check, found) in checks::derived(store, upstream, examination.sources) {
                    look(check, found);
                }
            }
            Err(error) => look("declaration", Err(error.into())),
        }
        if examination.sample > 0 {
            look("patches", sample::patches(store, *id, name, examination));
            look("index entries", sample::entries(store, *id, examination));
        }
    }
    Diagnosis { schema: "headwater/doctor/1", findings: findings.0 }
}

/// What a check has to tell.
struct Told {
    health: Health,
    detail: String,
    fix: Option<String>,
}

impl Told {
    fn fine(detail: impl Into<String>) -> Self {
        Told { health: Health::Fine, detail: detail.into(), fix: None }
    }

    fn problem(detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Told { health: Health::Problem, detail: detail.into(), fix: Some(fix.into()) }
    }
}

struct Findings(Vec<Finding>);

impl Findings {
    fn look(
        &mut self,
        check: &'static str,
        upstream: Option<&String>,
        found: impl FnOnce() -> Result<Told, QueryError>,
    ) {
        let told = found().unwrap_or_else(|error| Told {
            health: Health::Unseen,
            detail: format!("could not look: {error}"),
            fix: None,
        });
        let Told { health, detail, fix } = told;
        self.0.push(Finding { check, upstream: upstream.cloned(), health, detail, fix });
    }
}
