//! The releases feed of the web host: the second transport of release notes. It holds the
//! newest ten, as HTML.

use atom_syndication::Feed;
use chrono::Utc;
use headwater_store::upstream::Upstream;
use headwater_store::{Markup, NewReceipt, NewStatement, StatementKind, Store};
use serde_json::json;

use super::Got;
use crate::github::GitHubError;
use crate::http::{Client, Request};

/// Ten releases' notes.
const LIMIT: usize = 8 << 20;

/// Reads the releases feed of an upstream's repository on a web host.
///
/// # Errors
/// Those of HTTP and the store, and what is no feed.
pub fn releases_feed(
    client: &Client,
    web: &str,
    store: &Store,
    upstream: &Upstream,
) -> Result<Got, GitHubError> {
    let id = store.ensure_upstream(&upstream.name)?;
    let url = format!("{web}/{}/releases.atom", store.repository(upstream)?);
    let seen = store.seen_at(id, &url)?;
    let request = Request::get(url, LIMIT)
        .accept("application/atom+xml")
        .unless(seen.as_ref().map(|seen| seen.etag.as_str()));
    let answer = client.send(&request)?;
    if answer.is_unchanged() {
        return Ok(Got::default());
    }
    if answer.status != 200 {
        return Err(answer.refused().into());
    }
    let unreadable = |why: String| GitHubError::Unreadable { url: answer.url.clone(), why };
    let feed = Feed::read_from(answer.body.as_slice()).map_err(|e| unreadable(e.to_string()))?;
    let said: Vec<NewStatement> = feed.entries().iter().filter_map(said).collect();
    if said.is_empty() && !feed.entries().is_empty() {
        return Err(unreadable("none of its entries names a tag".to_owned()));
    }
    let receipt = store.add_receipt_of(
        id,
        &NewReceipt {
            transport: "feed",
            source: &answer.url,
            obtained: answer.obtained,
            body: &answer.body,
            etag: answer.etag(),
        },
    )?;
    let mut got = Got { seen: said.len(), ..Got::default() };
    for one in &said {
        got.new += usize::from(store.add_statement(id, receipt, one)?);
    }
    Ok(got)
}

/// A release as the feed tells it. Its id is a page's only with the host's own scheme, so
/// the tag is read from the link.
fn said(entry: &atom_syndication::Entry) -> Option<NewStatement> {
    let link = entry.links().iter().find(|link| link.rel() == "alternate")?;
    let (_, tag) = link.href().split_once("/releases/tag/")?;
    let tag = percent_decoded(tag)?;
    let time = entry.updated().with_timezone(&Utc);
    Some(NewStatement {
        kind: StatementKind::Release,
        key: tag,
        title: entry.title().as_str().to_owned(),
        body: entry.content().and_then(|content| content.value()).unwrap_or_default().to_owned(),
        markup: Markup::Html,
        state: "listed".to_owned(),
        author: entry.authors().first().map(|person| person.name.clone()),
        url: link.href().to_owned(),
        opened: None,
        published: (time.timestamp() > 0).then_some(time),
        closed: None,
        detail: json!({}),
    })
}

/// A tag out of a URL's path.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, tail @ ..] = rest else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok().filter(|tag| !tag.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_from_its_link() {
        assert_eq!(percent_decoded("v1%2E0%C3%A9").as_deref(), Some("v1.0é"));
        for bad in ["", "%", "%4", "%zz", "%ff"] {
            assert_eq!(percent_decoded(bad), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(bytes: Vec<u8>, text in "\\PC{0,40}") {
            let _ = percent_decoded(&text);
            if let Ok(feed) = Feed::read_from(bytes.as_slice()) {
                let _: Vec<_> = feed.entries().iter().filter_map(said).collect();
            }
            let entry = format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><link href=\"/releases/tag/{text}\"/></entry></feed>");
            if let Ok(feed) = Feed::read_from(entry.as_bytes()) {
                let _: Vec<_> = feed.entries().iter().filter_map(said).collect();
            }
        }
    }
}
