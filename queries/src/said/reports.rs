//! What others report of a window: issues and pull requests that name its versions, its
//! changes, or a knob that moved in it. Their words are third-party.

use chrono::{DateTime, Utc};
use headwater_store::evidence::{Grade, Receipt};
use headwater_store::upstream::Upstream;
use headwater_store::{Statement, StatementKind, Store, UpstreamId};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::mechanisms::Checked;
use super::named::{Finder, Named, version_pattern};
use super::rules::SaidRules;
use super::text;
use crate::QueryError;

/// At most so many reports of a window are told.
const MOST: usize = 60;

/// An issue or a pull request that speaks of a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReportSaid {
    /// The upstream on whose page it stands.
    pub upstream: String,
    /// Its number.
    pub number: u32,
    /// `issue` or `pull`.
    pub kind: StatementKind,
    /// Its title: a stranger's text.
    pub title: String,
    /// `open`, `closed`, `merged`.
    pub state: String,
    /// When it was opened.
    pub opened: Option<DateTime<Utc>>,
    /// Its page.
    pub url: String,
    /// The window's changes that it names.
    pub names: Vec<Named>,
    /// The window's versions that it names.
    pub versions: Vec<String>,
    /// The sentence that matched: a stranger's text.
    pub sentence: String,
    /// The knob whose default it disputes, where it is open and does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disputes: Option<String>,
    /// What it says of how things work, checked at the window's end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<Checked>,
    /// Always third-party.
    pub grade: Grade,
    /// How it was obtained.
    pub receipt: Receipt,
}

/// What reports are looked for with.
pub(crate) struct Wanted<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) id: UpstreamId,
    /// The window's releases and ends.
    pub(crate) versions: Vec<String>,
    /// Pull requests of the window itself, which do not report on it.
    pub(crate) own: &'a [u32],
    pub(crate) until: Option<i64>,
}

/// The stored reports of one upstream that speak of a window, best named first.
pub(crate) fn reports(
    store: &Store,
    wanted: &Wanted<'_>,
    rules: &SaidRules,
    finder: &Finder,
    mut check: impl FnMut(&str) -> Result<Vec<Checked>, QueryError>,
) -> Result<Vec<ReportSaid>, QueryError> {
    let versions: Vec<(&String, Regex)> = wanted
        .versions
        .iter()
        .filter_map(|tag| Some((tag, version_pattern(wanted.upstream, tag)?)))
        .collect();
    let reading = Reading { store, wanted, rules, finder, versions };
    let mut all = store.statements(wanted.id, StatementKind::Issue)?;
    all.extend(store.statements(wanted.id, StatementKind::Pull)?);
    let mut out = Vec::new();
    for one in all {
        let Ok(number) = one.said.key.parse::<u32>() else { continue };
        let opened = one.said.opened.map(|at| at.timestamp());
        let later = wanted.until.is_some_and(|until| opened.is_none_or(|at| at > until));
        if later || one.said.kind == StatementKind::Pull && wanted.own.contains(&number) {
            continue;
        }
        out.extend(reading.report(number, &one, &mut check)?);
    }
    out.sort_by_key(|report| {
        (
            report.disputes.is_none(),
            report.names.is_empty(),
            report.kind == StatementKind::Pull,
            std::cmp::Reverse(report.opened),
        )
    });
    out.truncate(MOST);
    Ok(out)
}

/// What single reports are read with.
struct Reading<'a> {
    store: &'a Store,
    wanted: &'a Wanted<'a>,
    rules: &'a SaidRules,
    finder: &'a Finder,
    versions: Vec<(&'a String, Regex)>,
}

impl Reading<'_> {
    /// A report, where it speaks of the window.
    fn report(
        &self,
        number: u32,
        one: &Statement,
        check: &mut impl FnMut(&str) -> Result<Vec<Checked>, QueryError>,
    ) -> Result<Option<ReportSaid>, QueryError> {
        let (mut names, mut named_versions, mut checked) =
            (Vec::<Named>::new(), Vec::new(), Vec::new());
        let mut sentence: Option<(bool, String)> = None;
        let mut disputes = None;
        let title = std::iter::once((one.said.title.clone(), Vec::new()));
        let body = text::lines(&one.said).into_iter().map(|line| (line.text, line.links));
        for (line, links) in title.chain(body) {
            for part in text::sentences(&line) {
                let found = self.finder.find(&self.wanted.upstream.name, part, &links);
                let told: Vec<String> = self
                    .versions
                    .iter()
                    .filter(|(_, pattern)| pattern.is_match(part))
                    .map(|(tag, _)| (*tag).clone())
                    .collect();
                // A sentence that names a change says more than one that names a version.
                let weight = !found.is_empty();
                if (weight || !told.is_empty())
                    && sentence.as_ref().is_none_or(|(before, _)| weight && !before)
                {
                    sentence = Some((weight, part.to_owned()));
                }
                let knob = found.iter().find(|named| named.how == super::How::Knob);
                if let Some(knob) = knob
                    && one.said.state == "open"
                    && disputes.is_none()
                    && self.rules.disputes(&one.said.title, part)
                {
                    disputes = Some(knob.by.clone());
                }
                checked.extend(check(part)?);
                named_versions.extend(told);
                for named in found {
                    if !names.contains(&named) {
                        names.push(named);
                    }
                }
            }
        }
        named_versions.sort();
        named_versions.dedup();
        let sentence = sentence
            .map(|(_, text)| text)
            .or_else(|| checked.first().map(|checked: &Checked| checked.sentence.clone()));
        let Some(sentence) = sentence else { return Ok(None) };
        Ok(Some(ReportSaid {
            upstream: self.wanted.upstream.name.clone(),
            number,
            kind: one.said.kind,
            title: one.said.title.clone(),
            state: one.said.state.clone(),
            opened: one.said.opened,
            url: one.said.url.clone(),
            names,
            versions: named_versions,
            sentence,
            disputes,
            checked,
            grade: one.grade(false),
            receipt: self.store.receipt(one.receipt)?,
        }))
    }
}
