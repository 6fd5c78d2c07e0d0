//! Reading the texts that may match.

use std::sync::atomic::{AtomicUsize, Ordering};

use globset::GlobSet;
use headwater_store::Store;
use headwater_store::exact::{Pattern, each_changed, each_line};
use headwater_store::model::Side;
use headwater_store::pack::Unpacker;

use super::answer::LineHit;
use super::candidates::Texts;
use super::request::{Detail, GrepRequest, Within};
use crate::QueryError;

/// Fewer texts than this are read by one thread.
const FEW: usize = 24;
/// A thread takes so many commits at once.
const AT_ONCE: usize = 8;

/// What makes a text match.
pub(super) struct Check<'a> {
    pub pattern: &'a Pattern,
    pub within: Within,
    pub occurrences: bool,
    pub globs: Option<GlobSet>,
    pub context: usize,
    pub most: usize,
    pub detail: Detail,
}

/// The matches in a commit.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// How many lines match.
    pub count: u64,
    pub lines: Vec<LineHit>,
}

impl<'a> Check<'a> {
    pub fn of(request: &GrepRequest<'_>, pattern: &'a Pattern) -> Result<Self, QueryError> {
        Ok(Self {
            pattern,
            within: request.within,
            occurrences: request.occurrences,
            globs: request.filter.globs()?,
            context: request.context,
            most: request.most.unwrap_or(usize::MAX),
            detail: request.detail,
        })
    }

    /// Whether the index's word that a text matches is the last one.
    pub fn index_suffices(&self) -> bool {
        self.within == Within::Changes && !self.occurrences
    }

    /// Whether a file's paths are asked for.
    pub fn path_counts(&self, path: &str, old: Option<&str>) -> bool {
        self.globs
            .as_ref()
            .is_none_or(|globs| globs.is_match(path) || old.is_some_and(|old| globs.is_match(old)))
    }

    /// Whether a file's hunks match.
    pub fn matches(&self, hunks: &[u8], room: &mut Vec<u8>) -> bool {
        if self.occurrences {
            return number_changes(self.pattern, hunks);
        }
        self.pattern.matches_hunks(hunks, room, |side| self.counts(side))
    }

    /// Adds the lines of a file's hunks that match, with those around them.
    pub fn add_lines(&self, path: &str, old: &str, hunks: &[u8], hits: &mut Hits) {
        let matching = |side: Side, line: &[u8]| self.counts(side) && self.pattern.matches(line);
        let name = |side| if side == Side::Removed { old } else { path };
        let mut left = self.most;
        if self.detail != Detail::Lines {
            each_changed(hunks, |side, number, line| {
                if left == 0 || !matching(side, line) {
                    return;
                }
                left -= 1;
                hits.count += 1;
                if self.detail == Detail::Files {
                    hits.lines.push(hit(self.pattern, name(side), side, number, line, true));
                    left = 0;
                }
            });
            return;
        }
        let mut all = Vec::new();
        each_line(hunks, |side, number, line| all.push((side, number, line)));
        let mut shown_through = 0;
        for (at, (side, _, line)) in all.iter().enumerate() {
            if left == 0 {
                break;
            }
            if !matching(*side, line) {
                continue;
            }
            left -= 1;
            hits.count += 1;
            let first = at.saturating_sub(self.context).max(shown_through);
            let last = (at + self.context).min(all.len() - 1);
            for (near, (side, number, line)) in all.iter().enumerate().take(last + 1).skip(first) {
                let counts = near == at || near < at && matching(*side, line);
                if near > at && matching(*side, line) {
                    break;
                }
                hits.lines.push(hit(self.pattern, name(*side), *side, *number, line, counts));
                shown_through = near + 1;
            }
        }
    }

    fn counts(&self, side: Side) -> bool {
        match self.within {
            Within::Added => side == Side::Added,
            Within::Removed => side == Side::Removed,
            _ => side != Side::Context,
        }
    }
}

/// Reads texts: one reader a thread.
pub(super) struct Reader<'a> {
    store: &'a Store,
    check: &'a Check<'a>,
    unpacker: Unpacker,
    text: Vec<u8>,
    lines: Vec<u8>,
}

impl<'a> Reader<'a> {
    pub fn new(store: &'a Store, check: &'a Check<'a>) -> Result<Self, QueryError> {
        Ok(Self { store, check, unpacker: Unpacker::new()?, text: Vec::new(), lines: Vec::new() })
    }

    /// Whether a row matches.
    fn matches(&mut self, row: u32, known: bool) -> Result<bool, QueryError> {
        if self.check.globs.is_some() {
            let (path, old) = self.store.paths_of(row)?;
            if !self.check.path_counts(&path, old.as_deref()) {
                return Ok(false);
            }
        }
        if known {
            return Ok(true);
        }
        self.store.hunks(row, &mut self.unpacker, &mut self.text)?;
        Ok(self.check.matches(&self.text, &mut self.lines))
    }

    /// Whether any of a commit's texts matches. `known` says that the index is certain.
    pub fn any(&mut self, texts: &Texts, known: bool) -> Result<bool, QueryError> {
        if known {
            for row in &texts.rows {
                if self.matches(*row, known)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        // The short ones first: one that matches is enough.
        let mut rows: Vec<(u64, u32)> = texts
            .rows
            .iter()
            .map(|&row| Ok((self.store.text_len(row)?, row)))
            .collect::<Result<_, QueryError>>()?;
        rows.sort_unstable();
        for (_, row) in rows {
            if self.matches(row, known)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The lines of a commit that match, with those around them.
    pub fn lines(&mut self, texts: &Texts) -> Result<Hits, QueryError> {
        let mut hits = Hits::default();
        for row in &texts.rows {
            if self.matches(*row, false)? {
                let (path, old) = self.store.paths_of(*row)?;
                let old = old.as_deref().unwrap_or(&path);
                self.check.add_lines(&path, old, &self.text, &mut hits);
            }
        }
        Ok(hits)
    }
}

fn number_changes(pattern: &Pattern, text: &[u8]) -> bool {
    let (mut added, mut removed) = (0, 0);
    each_changed(text, |side, _, line| {
        let count = pattern.count(line);
        if side == Side::Added {
            added += count;
        } else {
            removed += count;
        }
    });
    added != removed
}

fn hit(
    pattern: &Pattern,
    path: &str,
    side: Side,
    number: u32,
    line: &[u8],
    counts: bool,
) -> LineHit {
    let (text, spans) = shown(pattern, line, counts);
    LineHit { path: Some(path.to_owned()), side: Some(side), line: number, text, spans }
}

/// A line's text and where in it the pattern matches.
pub(super) fn shown(pattern: &Pattern, line: &[u8], counts: bool) -> (String, Vec<[usize; 2]>) {
    let spans = if counts { pattern.find(line) } else { Vec::new() };
    match std::str::from_utf8(line) {
        Ok(text) => (text.to_owned(), spans.iter().map(|span| [span.start, span.end]).collect()),
        Err(_) => {
            // Places shift where bytes that are no UTF-8 are replaced.
            let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let spans = spans.iter().map(|span| {
                let start = lossy(&line[..span.start]).len();
                [start, start + lossy(&line[span.clone()]).len()]
            });
            let text = lossy(line);
            let spans = spans.filter(|span| text.get(span[0]..span[1]).is_some()).collect();
            (text, spans)
        }
    }
}

/// Maps each commit's texts with up to `jobs` threads; the results come in order.
pub(super) fn map<T: Send>(
    store: &Store,
    check: &Check<'_>,
    texts: &[Texts],
    jobs: usize,
    each: impl Fn(&mut Reader<'_>, &Texts) -> Result<T, QueryError> + Sync,
) -> Result<Vec<T>, QueryError> {
    let rows: usize = texts.iter().map(|texts| texts.rows.len()).sum();
    if jobs <= 1 || rows < FEW {
        let mut reader = Reader::new(store, check)?;
        return texts.iter().map(|texts| each(&mut reader, texts)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = |store: &Store| -> Result<Vec<(usize, T)>, QueryError> {
        let _snapshot = store.snapshot()?;
        let mut reader = Reader::new(store, check)?;
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(AT_ONCE, Ordering::Relaxed);
            if start >= texts.len() {
                return Ok(done);
            }
            for (at, texts) in texts.iter().enumerate().skip(start).take(AT_ONCE) {
                done.push((at, each(&mut reader, texts)?));
            }
        }
    };
    // A connection is for one thread; this thread has one already.
    let stores = (1..jobs).map(|_| store.reopen()).collect::<Result<Vec<_>, _>>()?;
    let mut done = std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> =
            stores.into_iter().map(|store| scope.spawn(move || work(&store))).collect();
        let mut done = work(store)?;
        for worker in workers {
            done.extend(worker.join().map_err(|_| QueryError::ThreadDied)??);
        }
        Ok::<_, QueryError>(done)
    })?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
