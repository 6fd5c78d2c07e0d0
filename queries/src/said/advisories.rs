//! Security advisories, and whether they are about the versions in question.

use chrono::{DateTime, Utc};
use headwater_store::evidence::{Grade, Receipt};
use headwater_store::upstream::{Upstream, Version};
use headwater_store::{StatementKind, Store, UpstreamId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;

/// Whether a version is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Affected {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// The range or the version cannot be compared.
    Unknown,
}

impl Affected {
    /// As printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Affected::Yes => "affected",
            Affected::No => "not affected",
            Affected::Unknown => "cannot be told",
        }
    }
}

/// A version and whether it is affected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AffectedVersion {
    /// What it is to the reader: `base`, `head`, `installed`.
    pub role: &'static str,
    /// The version.
    pub version: String,
    /// Whether it is affected.
    pub affected: Affected,
}

/// An advisory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AdvisorySaid {
    /// The upstream.
    pub upstream: String,
    /// Its GHSA id.
    pub id: String,
    /// What it is about: a stranger's text.
    pub summary: String,
    /// `low`, `medium`, `high`, `critical`, where it says.
    pub severity: Option<String>,
    /// Its page.
    pub url: String,
    /// When it was published.
    pub published: Option<DateTime<Utc>>,
    /// The ranges of versions that it names.
    pub ranges: Vec<String>,
    /// The versions that it calls mended.
    pub patched: Vec<String>,
    /// The versions in question.
    pub versions: Vec<AffectedVersion>,
    /// How well it is supported.
    pub grade: Grade,
    /// How it was obtained.
    pub receipt: Receipt,
}

/// The advisories of an upstream that are not withdrawn, newest first, compared with
/// versions, each with its role.
pub(crate) fn advisories(
    store: &Store,
    upstream: &Upstream,
    id: UpstreamId,
    versions: &[(&'static str, String)],
    until: Option<i64>,
) -> Result<Vec<AdvisorySaid>, QueryError> {
    let mut out = Vec::new();
    for one in store.statements(id, StatementKind::Advisory)? {
        let published = one.said.published.map(|at| at.timestamp());
        let later = until.is_some_and(|until| published.is_none_or(|at| at > until));
        if one.said.state == "withdrawn" || later {
            continue;
        }
        let texts = |name: &str| -> Vec<String> {
            let all = one.said.detail["affected"].as_array().into_iter().flatten();
            all.filter_map(|range| range[name].as_str()).map(str::to_owned).collect()
        };
        let ranges = texts("vulnerable");
        let versions = versions.iter().map(|(role, version)| AffectedVersion {
            role,
            version: version.clone(),
            affected: any(upstream, &ranges, version),
        });
        out.push(AdvisorySaid {
            upstream: upstream.name.clone(),
            id: one.said.key.clone(),
            summary: one.said.title.clone(),
            severity: one.said.detail["severity"].as_str().map(str::to_owned),
            url: one.said.url.clone(),
            published: one.said.published,
            patched: texts("patched"),
            versions: versions.collect(),
            ranges,
            grade: one.grade(false),
            receipt: store.receipt(one.receipt)?,
        });
    }
    out.sort_by_key(|one| std::cmp::Reverse(one.published));
    Ok(out)
}

fn any(upstream: &Upstream, ranges: &[String], version: &str) -> Affected {
    let all: Vec<Affected> = ranges.iter().map(|range| within(upstream, range, version)).collect();
    match () {
        () if all.contains(&Affected::Yes) => Affected::Yes,
        () if all.is_empty() || all.contains(&Affected::Unknown) => Affected::Unknown,
        () => Affected::No,
    }
}

/// A version as a number that can be compared: of a release, or of a build.
fn number(upstream: &Upstream, text: &str) -> Option<(bool, Version)> {
    let text = text.trim();
    let build = upstream.build_prefix.as_deref().and_then(|prefix| text.strip_prefix(prefix));
    match build {
        Some(digits) => Some((true, Version::parse(digits)?)),
        None => Some((
            false,
            Version::of(upstream, text.trim_start_matches('v'))
                .or_else(|| Version::of(upstream, text))?,
        )),
    }
}

/// Whether a version lies in a range as GitHub writes them: `< 0.5.1`, `>= 0.1, <= 0.3`,
/// `= 1.0` (<https://docs.github.com/en/code-security/security-advisories/working-with-repository-security-advisories/best-practices-for-writing-repository-security-advisories>).
fn within(upstream: &Upstream, range: &str, version: &str) -> Affected {
    let Some(own) = number(upstream, version) else { return Affected::Unknown };
    let mut all = true;
    let mut any = false;
    for part in range.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (op, text) = ["<=", ">=", "<", ">", "="]
            .into_iter()
            .find_map(|op| Some((op, part.strip_prefix(op)?)))
            .unwrap_or(("=", part));
        let Some(bound) = number(upstream, text) else { return Affected::Unknown };
        // Builds and versions are numbered apart.
        if bound.0 != own.0 {
            return Affected::Unknown;
        }
        let (own, bound) = (&own.1, &bound.1);
        any = true;
        all &= match op {
            "<=" => own <= bound,
            ">=" => own >= bound,
            "<" => own < bound,
            ">" => own > bound,
            _ => own == bound,
        };
    }
    match (any, all) {
        (false, _) => Affected::Unknown,
        (true, true) => Affected::Yes,
        (true, false) => Affected::No,
    }
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn ranges_are_read_as_github_writes_them() {
        let upstreams = Upstreams::built_in().unwrap();
        let ollama = upstreams.get("ollama").unwrap();
        let llama = upstreams.get("llama.cpp").unwrap();
        for (upstream, range, version, is) in [
            (ollama, "< 0.5.1", "v0.5.0", Affected::Yes),
            (ollama, "< 0.5.1", "v0.5.1", Affected::No),
            (ollama, "<= v0.5.1", "0.5.1", Affected::Yes),
            (ollama, ">= 0.1.0, < 0.3.12", "v0.3.2", Affected::Yes),
            (ollama, ">= 0.1.0, < 0.3.12", "v0.32.9", Affected::No),
            (ollama, "0.3.14", "v0.3.14", Affected::Yes),
            (ollama, "< 0.5.1", "v0.5.1-rc0", Affected::Yes),
            (ollama, "all versions", "v0.5.1", Affected::Unknown),
            (ollama, "", "v0.5.1", Affected::Unknown),
            (llama, "< b8146", "b8145", Affected::Yes),
            (llama, "<= b8146", "b10353", Affected::No),
            (llama, "< 0.2.0", "b8145", Affected::Unknown),
        ] {
            assert_eq!(within(upstream, range, version), is, "{range} {version}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(range in "\\PC{0,30}", version in "\\PC{0,20}") {
            let upstreams = Upstreams::built_in().unwrap();
            for name in ["ollama", "llama.cpp"] {
                let _ = within(upstreams.get(name).unwrap(), &range, &version);
            }
        }
    }
}
