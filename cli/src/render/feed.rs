//! A digest as an Atom feed: an entry for each moved default, and one for the digest.
//! <https://www.rfc-editor.org/rfc/rfc4287>

use atom_syndication::{Content, Entry, Feed, FixedDateTime, Person, Text};
use chrono::{DateTime, Utc};
use headwater_queries::digest::{DefaultMoved, Digest};
use headwater_queries::public::Scrub;
use headwater_store::Digest as Sha256;

use super::text::one_line;
use crate::args::Format;

/// The feed.
pub fn atom(digest: &Digest, scrub: &Scrub) -> String {
    let upstreams: Vec<&str> = digest.coverage.iter().map(|one| one.upstream()).collect();
    let page = super::digest::screen(digest, Format::Html, Some(scrub));
    let body = page.split_once("<main>").and_then(|(_, rest)| rest.rsplit_once("</main>"));
    let mut entries: Vec<Entry> = digest.defaults.iter().map(|one| entry_of(one, scrub)).collect();
    let mut own = Entry::default();
    own.set_id(id(&format!("digest:{}:{}", upstreams.join("+"), digest.period.name)));
    own.set_title(Text::plain(one_line(&digest.headline)));
    own.set_updated(time(digest.period.to));
    own.set_content(content(body.map_or(page.as_str(), |(body, _)| body)));
    entries.push(own);
    entries.sort_by_key(|entry| std::cmp::Reverse(*entry.updated()));
    let updated = entries.iter().map(|entry| *entry.updated()).max();
    let mut feed = Feed::default();
    feed.set_id(id(&format!("feed:{}", upstreams.join("+"))));
    feed.set_title(Text::plain(format!("What moved upstream: {}", upstreams.join(", "))));
    feed.set_authors([Person { name: "headwater".to_owned(), ..Person::default() }]);
    feed.set_updated(updated.unwrap_or_else(|| time(digest.period.to)));
    feed.set_entries(entries);
    format!("{}\n", feed.to_string())
}

fn entry_of(one: &DefaultMoved, scrub: &Scrub) -> Entry {
    let title = one_line(&format!("{} {}: {} → {}", one.upstream, one.knob, one.old, one.new));
    let mut lines = vec![
        format!("{} ({}:{}, grade {})", one.subject, one.path, one.line, one.grade),
        super::digest::shipped(one),
    ];
    if one.moved_on.is_none() {
        let ways = one.restore.iter();
        lines.extend(ways.map(|way| format!("Old behaviour: {way}")));
    }
    let html: String = lines
        .iter()
        .map(|line| format!("<p>{}</p>", super::html::escape(&one_line(&scrub.text(line)))))
        .collect();
    let mut entry = Entry::default();
    entry.set_id(id(&one.id));
    entry.set_title(Text::plain(title));
    entry.set_updated(time(one.date));
    entry.set_content(content(&html));
    entry
}

fn content(html: &str) -> Option<Content> {
    let mut content = Content::default();
    content.set_content_type("html".to_owned());
    content.set_value(html.to_owned());
    Some(content)
}

fn time(at: DateTime<Utc>) -> FixedDateTime {
    at.fixed_offset()
}

/// A name as an IRI that stays: a UUID made of its hash, as version 8 allows
/// (<https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8>).
fn id(name: &str) -> String {
    let hex = Sha256::of(format!("headwater:{name}").as_bytes()).hex();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32)
    )
}
