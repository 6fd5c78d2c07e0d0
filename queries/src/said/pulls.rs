//! What authors of a window's pull requests state about their own machines.

use headwater_store::evidence::{Grade, Receipt};
use headwater_store::{Oid, StatementKind, Store, UpstreamId};
use schemars::JsonSchema;
use serde::Serialize;

use super::rules::SaidRules;
use super::text;
use crate::QueryError;

/// At most so many lines with figures are told of one pull request.
const MOST: usize = 6;

/// A pull request of a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PullSaid {
    /// The upstream.
    pub upstream: String,
    /// Its number.
    pub number: u32,
    /// Its title: a stranger's text.
    pub title: String,
    /// Its page.
    pub url: String,
    /// The commit that it became.
    pub sha: Oid,
    /// Lines that state figures: the author's, about their own machine.
    pub figures: Vec<String>,
    /// The hardware that the text names.
    pub hardware: Vec<String>,
    /// Always third-party.
    pub grade: Grade,
    /// How it was obtained.
    pub receipt: Receipt,
}

/// The stored text of a commit's pull request.
pub(crate) fn pull(
    store: &Store,
    upstream: &str,
    id: UpstreamId,
    sha: Oid,
    number: u32,
    rules: &SaidRules,
) -> Result<Option<PullSaid>, QueryError> {
    let seen = store.statement(id, StatementKind::Pull, &number.to_string())?;
    let Some(one) = seen.last() else { return Ok(None) };
    let lines = text::lines(&one.said);
    let mut figures: Vec<String> = lines
        .iter()
        .filter(|line| rules.has_figure(&line.text))
        .map(|line| line.text.clone())
        .collect();
    figures.truncate(MOST);
    let whole: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let hardware = if figures.is_empty() { Vec::new() } else { rules.hardware(&whole.join("\n")) };
    Ok(Some(PullSaid {
        upstream: upstream.to_owned(),
        number,
        title: one.said.title.clone(),
        url: one.said.url.clone(),
        sha,
        figures,
        hardware,
        grade: one.grade(false),
        receipt: store.receipt(one.receipt)?,
    }))
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use headwater_store::{Markup, NewReceipt, NewStatement};

    use super::*;

    #[test]
    fn figures_are_told_as_their_authors_with_the_hardware() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(dir.path()).unwrap();
        let id = store.ensure_upstream("llama.cpp").unwrap();
        let receipt = NewReceipt {
            transport: "github-rest",
            source: "https://example.org/pull/7",
            obtained: Utc::now(),
            body: b"x",
            etag: None,
        };
        let receipt = store.add_receipt_of(id, &receipt).unwrap();
        let body = "Joins two kernels.\n\nOn an RTX 4090:\n\n| model | test | t/s |\n| - | - | - |\n| a | tg128 | 81.20 ± 0.10 |\n\nThat is 12% faster.\n\n```\nlog: 99 tok/s\n```\n";
        let said = NewStatement {
            kind: StatementKind::Pull,
            key: "7".to_owned(),
            title: "Join two kernels".to_owned(),
            body: body.to_owned(),
            markup: Markup::Markdown,
            state: "merged".to_owned(),
            author: None,
            url: "https://example.org/pull/7".to_owned(),
            opened: None,
            published: None,
            closed: None,
            detail: serde_json::json!({}),
        };
        store.add_statement(id, receipt, &said).unwrap();
        let rules = SaidRules::built_in().unwrap();
        let told = pull(&store, "llama.cpp", id, Oid::ZERO, 7, &rules).unwrap().unwrap();
        assert_eq!(told.hardware, ["RTX 4090"]);
        assert_eq!(told.figures, ["| a | tg128 | 81.20 ± 0.10", "That is 12% faster."]);
        assert_eq!(told.grade, Grade::ThirdParty);
        assert!(pull(&store, "llama.cpp", id, Oid::ZERO, 8, &rules).unwrap().is_none());
    }
}
