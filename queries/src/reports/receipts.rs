//! The receipts under a report: one line for each record that it rests on.

use chrono::{DateTime, Utc};
use headwater_store::evidence::Receipt;
use headwater_store::upstream::Upstreams;
use headwater_store::{ModelName, Oid, Store};
use serde::Serialize;

use crate::QueryError;
use crate::models::version_of;
use crate::why::{WhyQuestion, WhyReport};

/// One record and how it was obtained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptLine {
    /// The record: a commit, a model, an observation.
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
    let mut out = Vec::new();
    let page = |upstream: &str, sha: Oid| {
        let found = upstreams.find(upstream)?;
        Some(format!("https://github.com/{}/commit/{sha}", found.repository))
    };
    for candidate in &report.candidates {
        for receipt in &candidate.receipts {
            out.push(ReceiptLine {
                of: format!("{} commit {}", candidate.upstream, candidate.sha.short()),
                transport: receipt.transport().to_owned(),
                url: match receipt.transport() {
                    "git" => page(&candidate.upstream, candidate.sha),
                    _ => Some(receipt.source().to_owned()),
                },
                // A git object proves itself by its id.
                hash: Some(hash(receipt).unwrap_or_else(|| format!("git {}", candidate.sha))),
                obtained: receipt.obtained(),
            });
        }
    }
    let model = question.model.as_deref().and_then(|name| name.parse::<ModelName>().ok());
    if let Some(name) = model
        && let Some((_, version)) = version_of(store, &name)?
    {
        for reading in version.readings() {
            let receipt = store.receipt(reading.receipt)?;
            out.push(ReceiptLine {
                of: format!("model {name}"),
                transport: receipt.transport().to_owned(),
                url: Some(receipt.source().to_owned()),
                hash: hash(&receipt).or_else(|| Some(version.manifest.to_string())),
                obtained: receipt.obtained(),
            });
        }
    }
    for observation in &report.observations {
        let input = observation.input.as_ref();
        out.push(ReceiptLine {
            of: format!("observation {}", observation.id),
            transport: "observed".to_owned(),
            url: input.map(|input| format!("file {}", input.name)),
            hash: input.map(|input| input.sha256.to_string()),
            obtained: observation.recorded,
        });
    }
    Ok(out)
}

fn hash(receipt: &Receipt) -> Option<String> {
    receipt.sha256().map(|hex| format!("sha256:{hex}"))
}
