//! Receipts, evidence, claims and absences.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Coverage, Grade, Method, Source};
use crate::Oid;
use crate::db::{Statement, StatementKind, StoredCommit};
use crate::model::Side;

/// How one record was obtained. Only the store makes one, out of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Receipt {
    /// The transport: `git`, `github-rest`, `raw`, `registry` …
    pub(crate) transport: String,
    /// The URL, or the directory of a clone.
    pub(crate) source: String,
    /// When it was obtained.
    pub(crate) obtained: DateTime<Utc>,
    /// The sha256 of the bytes, where one answer holds the record.
    pub(crate) sha256: Option<String>,
    /// How many bytes these are.
    pub(crate) bytes: Option<i64>,
    /// The ETag that came with it.
    pub(crate) etag: Option<String>,
}

impl Receipt {
    /// The transport: `git`, `github-rest`, `raw`, `registry` …
    pub fn transport(&self) -> &str {
        &self.transport
    }

    /// The URL, or the directory of a clone.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// When it was obtained.
    pub fn obtained(&self) -> DateTime<Utc> {
        self.obtained
    }

    /// The sha256 of the bytes, where one answer holds the record.
    pub fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }

    /// The ETag that came with it.
    pub fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }
}

/// What in the records supports a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The upstream.
    upstream: String,
    /// The commit.
    sha: Oid,
    /// The path, where the claim is about a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The line's number in the file of its side, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The side of the patch it stands on; left out for a line of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<Side>,
    /// The line itself: a stranger's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Evidence {
    /// The upstream.
    pub fn upstream(&self) -> &str {
        &self.upstream
    }

    /// The commit.
    pub fn sha(&self) -> Oid {
        self.sha
    }

    /// The path, where the claim is about a file.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The line's number in the file of its side, from 1.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The side of the patch it stands on; `None` for a line of a file.
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// The line itself: a stranger's text.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

impl StoredCommit {
    /// This commit as evidence.
    pub fn evidence(&self) -> Evidence {
        Evidence {
            upstream: self.upstream().to_owned(),
            sha: self.commit().oid,
            path: None,
            line: None,
            side: None,
            text: None,
        }
    }

    /// A path of this commit as evidence.
    pub fn evidence_at(&self, path: &str) -> Evidence {
        Evidence { path: Some(path.to_owned()), ..self.evidence() }
    }

    /// A line of this commit as evidence: of its patch with a side, of its tree without.
    pub fn evidence_line(&self, path: &str, side: Option<Side>, line: u32, text: &str) -> Evidence {
        Evidence {
            path: Some(path.to_owned()),
            line: Some(line),
            side,
            text: Some(text.to_owned()),
            ..self.evidence()
        }
    }
}

/// Something that is so, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Claim {
    /// What is claimed.
    text: String,
    /// Where it comes from.
    source: Source,
    /// How it was found.
    method: Method,
    /// What shows it.
    evidence: Vec<Evidence>,
    /// How well it is supported.
    grade: Grade,
}

impl Claim {
    /// A claim on at least one piece of evidence.
    pub fn new(
        text: impl Into<String>,
        source: Source,
        method: Method,
        first: Evidence,
        rest: Vec<Evidence>,
    ) -> Self {
        let mut evidence = vec![first];
        evidence.extend(rest);
        Claim {
            text: text.into(),
            source,
            method,
            evidence,
            grade: Grade::of_presence(source, method),
        }
    }

    /// What is claimed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What shows it.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// How well it is supported.
    pub fn grade(&self) -> Grade {
        self.grade
    }
}

impl Statement {
    /// How well its words are supported: upstream's own notes and advisories are records
    /// (`twice`: a second transport returned the same), all else is third-party.
    pub fn grade(&self, twice: bool) -> Grade {
        let source = match self.said.kind {
            StatementKind::Release | StatementKind::Advisory => Source::FirstParty,
            StatementKind::Pull | StatementKind::Issue => Source::ThirdParty,
        };
        let method = if twice { Method::RecordTwice } else { Method::Record };
        Grade::of_presence(source, method)
    }
}

/// Something that was looked for and not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Absence {
    /// What was not found.
    claim: String,
    /// How well that is supported.
    grade: Grade,
    /// What it was checked against.
    coverage: Coverage,
    /// The commands that derive it anew.
    rederive: Vec<String>,
}

impl Absence {
    /// An absence, checked by `method` against `coverage`; the commands derive it anew.
    pub fn new(
        claim: impl Into<String>,
        method: Method,
        coverage: Coverage,
        rederive: Vec<String>,
    ) -> Self {
        let grade = Grade::of_absence(method, &coverage);
        Absence { claim: claim.into(), grade, coverage, rederive }
    }

    /// What was not found.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// How well that is supported.
    pub fn grade(&self) -> Grade {
        self.grade
    }

    /// What it was checked against.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The commands that derive it anew.
    pub fn rederive(&self) -> &[String] {
        &self.rederive
    }
}
