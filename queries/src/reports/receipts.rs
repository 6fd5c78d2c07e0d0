//! The receipts under a report: one line for each record that it rests on.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use headwater_store::evidence::Receipt;
use headwater_store::upstream::Upstreams;
use headwater_store::{ModelName, Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::models::version_of;
use crate::why::{WhyQuestion, WhyReport, WindowReport};

/// One record and how it was obtained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReceiptLine {
    /// The record: a tag, a commit, what upstream counts in a window, a statement, a model,
    /// an observation.
    pub of: String,
    /// The transport.
    pub transport: String,
    /// Where it can be had: the URL it came from; for a commit read from a clone, its page
    /// on the upstream's host.
    pub url: Option<String>,
    /// What proves it: a git object's id, or the sha256 of the bytes.
    pub hash: Option<String>,
    /// When it was obtained.
    pub obtained: DateTime<Utc>,
}

/// Every receipt under a report.
///
/// # Errors
/// Those of the store.
pub fn receipts(
    store: &Store,
    upstreams: &Upstreams,
    question: &WhyQuestion,
    report: &WhyReport,
) -> Result<Vec<ReceiptLine>, QueryError> {
    let mut under = Under { store, upstreams, lines: Vec::new(), commits: HashSet::new() };
    let nested = report.nested.iter().filter_map(|nested| nested.window.as_ref());
    for window in std::iter::once(&report.window).chain(nested) {
        under.window(window)?;
    }
    let beside = report.outside.iter().flat_map(|outside| &outside.candidates);
    for candidate in report.candidates.iter().chain(beside) {
        under.commit(&candidate.upstream, candidate.sha)?;
        for evidence in candidate.reasons.iter().flat_map(|reason| &reason.evidence) {
            under.commit(evidence.upstream(), evidence.sha())?;
        }
    }
    for release in &report.said.releases {
        for receipt in &release.receipts {
            under.answer(format!("{} release {}", release.upstream, release.tag), receipt, None);
        }
    }
    for pull in &report.said.pulls {
        under.answer(format!("{}#{}", pull.upstream, pull.number), &pull.receipt, None);
    }
    for one in &report.said.reports {
        under.answer(format!("{}#{}", one.upstream, one.number), &one.receipt, None);
    }
    for one in &report.said.advisories {
        under.answer(format!("{} {}", one.upstream, one.id), &one.receipt, None);
    }
    let model = question.model.as_deref().and_then(|name| name.parse::<ModelName>().ok());
    if let Some(name) = model
        && let Some((_, version)) = version_of(store, &name)?
    {
        for reading in version.readings() {
            let receipt = store.receipt(reading.receipt)?;
            let manifest = Some(version.manifest.to_string());
            under.answer(format!("model {name}"), &receipt, manifest);
        }
    }
    for observation in &report.observations {
        let input = observation.input.as_ref();
        under.lines.push(ReceiptLine {
            of: format!("observation {}", observation.id),
            transport: "observed".to_owned(),
            url: input.map(|input| format!("file {}", input.name)),
            hash: input.map(|input| input.sha256.to_string()),
            obtained: observation.recorded,
        });
    }
    Ok(under.lines)
}

/// What was found so far.
struct Under<'a> {
    store: &'a Store,
    upstreams: &'a Upstreams,
    lines: Vec<ReceiptLine>,
    commits: HashSet<(String, Oid)>,
}

impl Under<'_> {
    /// What a window rests on: the tags or branches that its ends were found by, and how
    /// many commits hosts counted in it.
    fn window(&mut self, window: &WindowReport) -> Result<(), QueryError> {
        let id = self.store.upstream(&window.upstream)?;
        for (name, sha) in [(&window.base, window.base_sha), (&window.head, window.head_sha)] {
            for full in [format!("refs/tags/{name}"), format!("refs/heads/{name}")] {
                let Some((target, row)) = self.store.look_at(id, &full)? else { continue };
                if target != sha {
                    continue;
                }
                let receipt = self.store.receipt(row)?;
                let page = self.page(&window.upstream, &format!("tree/{name}"));
                self.lines.push(ReceiptLine {
                    of: format!("{} {full}", window.upstream),
                    transport: receipt.transport().to_owned(),
                    url: page_of(&receipt, page),
                    hash: hash(&receipt).or_else(|| Some(format!("git {sha}"))),
                    obtained: receipt.obtained(),
                });
                break;
            }
            self.commit(&window.upstream, sha)?;
        }
        let said = self.store.comparison_receipts(id, window.base_sha, window.head_sha)?;
        for row in said {
            let of = format!(
                "{} {}..{} as upstream counts it",
                window.upstream, window.base, window.head
            );
            self.answer(of, &self.store.receipt(row)?, None);
        }
        Ok(())
    }

    /// A commit and how it was obtained, once.
    fn commit(&mut self, upstream: &str, sha: Oid) -> Result<(), QueryError> {
        if !self.commits.insert((upstream.to_owned(), sha)) {
            return Ok(());
        }
        let id = self.store.upstream(upstream)?;
        let Some(stored) = self.store.commit(id, sha)? else { return Ok(()) };
        let receipt = self.store.receipt(stored.receipt_id())?;
        self.lines.push(ReceiptLine {
            of: format!("{upstream} commit {}", sha.short()),
            transport: receipt.transport().to_owned(),
            url: page_of(&receipt, self.page(upstream, &format!("commit/{sha}"))),
            // A git object proves itself by its id.
            hash: hash(&receipt).or_else(|| Some(format!("git {sha}"))),
            obtained: receipt.obtained(),
        });
        Ok(())
    }

    /// One answer of a host.
    fn answer(&mut self, of: String, receipt: &Receipt, proof: Option<String>) {
        self.lines.push(ReceiptLine {
            of,
            transport: receipt.transport().to_owned(),
            url: Some(receipt.source().to_owned()),
            hash: hash(receipt).or(proof),
            obtained: receipt.obtained(),
        });
    }

    fn page(&self, upstream: &str, rest: &str) -> Option<String> {
        let found = self.upstreams.find(upstream)?;
        Some(format!("https://github.com/{}/{rest}", found.repository))
    }
}

/// Where a record can be had: what git brought, on its upstream's page.
fn page_of(receipt: &Receipt, page: Option<String>) -> Option<String> {
    if receipt.transport() == "git" { page } else { Some(receipt.source().to_owned()) }
}

fn hash(receipt: &Receipt) -> Option<String> {
    receipt.sha256().map(|hex| format!("sha256:{hex}"))
}
