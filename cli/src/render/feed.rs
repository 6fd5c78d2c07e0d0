//! A digest as an Atom feed: an entry for each moved default, and one for the digest.
//! <https://www.rfc-editor.org/rfc/rfc4287>

use atom_syndication::{ContentBuilder, Entry, EntryBuilder, FeedBuilder, FixedDateTime, Text};
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
    entries.push(
        EntryBuilder::default()
            .id(id(&format!("digest:{}:{}", upstreams.join("+"), digest.period.name)))
            .title(Text::plain(one_line(&digest.headline)))
            .updated(time(digest.period.to))
            .content(Some(content(body.map_or(page.as_str(), |(body, _)| body))))
            .build(),
    );
    entries.sort_by_key(|entry| std::cmp::Reverse(*entry.updated()));
    let updated = entries.iter().map(|entry| *entry.updated()).max();
    FeedBuilder::default()
        .id(id(&format!("feed:{}", upstreams.join("+"))))
        .title(Text::plain(format!("What moved upstream: {}", upstreams.join(", "))))
        .author(atom_syndication::Person { name: "headwater".to_owned(), ..Default::default() })
        .updated(updated.unwrap_or_else(|| time(digest.period.to)))
        .entries(entries)
        .build()
        .to_string()
}

fn entry_of(one: &DefaultMoved, scrub: &Scrub) -> Entry {
    let title = one_line(&format!("{} {}: {} → {}", one.upstream, one.knob, one.old, one.new));
    let mut lines = vec![
        format!("{} ({}:{}, grade {})", one.subject, one.path, one.line, one.grade),
        match &one.first_shipped {
            Some(tag) => format!("First shipped in {tag}."),
            None => "In no release by the end of the time.".to_owned(),
        },
    ];
    lines.extend(
        one.restore.iter().map(|way| format!("Old behaviour: {}: {}", way.consumer, way.text)),
    );
    let html: String = lines
        .iter()
        .map(|line| format!("<p>{}</p>", super::html::escape(&one_line(&scrub.text(line)))))
        .collect();
    EntryBuilder::default()
        .id(id(&one.id))
        .title(Text::plain(title))
        .updated(time(one.date))
        .content(Some(content(&html)))
        .build()
}

fn content(html: &str) -> atom_syndication::Content {
    ContentBuilder::default()
        .content_type(Some("html".to_owned()))
        .value(Some(html.to_owned()))
        .build()
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
