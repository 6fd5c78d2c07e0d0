//! The index as a whole: which segments there are, and through which row they reach.
//!
//! A manifest names the segments; it is replaced as a whole when new ones are on the
//! disk, so a crash leaves the old state or the new one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::dictionary::TooLarge;
use super::merge::merge;
use super::segment::{Parts, Segment};

const MANIFEST: &str = "manifest";
const FIRST_LINE: &str = "headwater exact index 2";
/// A segment of this size is not merged any further.
const FULL: u64 = 1 << 30;

/// An open index.
#[derive(Debug)]
pub struct Index {
    /// What the records carry that it was made from.
    pub mark: String,
    /// Every row up to this one is in it.
    pub through: u32,
    segments: BTreeMap<i64, Vec<Segment>>,
}

impl Index {
    /// Opens the index in `dir`; `None` where there is none.
    pub fn open(dir: &Path) -> io::Result<Option<Self>> {
        // Whoever replaces the manifest deletes segments that nobody names any more: one
        // that has gone since the manifest was read means that there is a newer manifest.
        for _ in 0..8 {
            let Some(manifest) = Manifest::read(dir)? else { return Ok(None) };
            let mut segments: BTreeMap<i64, Vec<Segment>> = BTreeMap::new();
            let mut gone = None;
            for (upstream, name) in &manifest.segments {
                match Segment::open(&dir.join(name)) {
                    Ok(segment) => segments.entry(*upstream).or_default().push(segment),
                    Err(error) => {
                        gone = Some(error);
                        break;
                    }
                }
            }
            match gone {
                None => {
                    let Manifest { mark, through, .. } = manifest;
                    return Ok(Some(Self { mark, through, segments }));
                }
                Some(error) if error.kind() == io::ErrorKind::NotFound => {}
                Some(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The segments of an upstream, by rows.
    pub fn segments(&self, upstream: i64) -> &[Segment] {
        self.segments.get(&upstream).map_or(&[], Vec::as_slice)
    }

    /// All segments.
    pub fn all_segments(&self) -> impl Iterator<Item = &Segment> {
        self.segments.values().flatten()
    }

    /// The size of all its files together.
    pub fn bytes(&self) -> u64 {
        self.all_segments().map(Segment::bytes).sum()
    }
}

/// Held by whoever changes the index.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "held until it is dropped")] File);

/// Waits until nobody else changes the index in `dir`.
pub fn lock(dir: &Path) -> io::Result<Lock> {
    std::fs::create_dir_all(dir)?;
    let file = File::options().create(true).append(true).open(dir.join("lock"))?;
    file.lock()?;
    Ok(Lock(file))
}

/// Adds what was built of newer rows to the index in `dir`. Without `old`, which must be
/// what is there, all of the index is made anew.
pub fn extend(
    dir: &Path,
    _lock: &Lock,
    old: Option<Index>,
    mark: &str,
    through: u32,
    new: BTreeMap<i64, Vec<Parts>>,
) -> io::Result<()> {
    let too_large = |TooLarge| io::Error::other("a segment of the exact index grew too large");
    let mut names: BTreeMap<i64, Vec<PathBuf>> = BTreeMap::new();
    let mut kept = old.map(|index| index.segments).unwrap_or_default();
    for (upstream, parts) in new {
        let size = |parts: &[Parts]| parts.iter().map(Parts::size).sum::<u64>();
        let mut all = parts;
        let segments = kept.entry(upstream).or_default();
        // Small ones are merged into what comes after them, so that there are never many.
        while let Some(last) = segments.last() {
            if last.bytes() > 2 * size(&all) && segments.len() < 8 || last.bytes() > FULL {
                break;
            }
            all.insert(0, last.load()?);
            segments.pop();
        }
        let Some(merged) = merge(all).map_err(too_large)? else { continue };
        let name = format!("{upstream}-{}-{}-{}", merged.first_row, merged.last_row, stamp());
        merged.write(&dir.join(&name))?;
        names.entry(upstream).or_default().push(name.into());
    }
    let mut segments = Vec::new();
    let upstreams: std::collections::BTreeSet<i64> =
        kept.keys().chain(names.keys()).copied().collect();
    for upstream in upstreams {
        let old = kept.get(&upstream).into_iter().flatten();
        let old = old.filter_map(|segment| segment.path().file_name().map(PathBuf::from));
        let new = names.remove(&upstream).unwrap_or_default();
        segments.extend(old.chain(new).map(|name| (upstream, name)));
    }
    let manifest = Manifest { mark: mark.to_owned(), through, segments };
    manifest.write(dir)?;
    sweep(dir, &manifest);
    Ok(())
}

/// A name that no earlier segment has.
fn stamp() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("{:x}", since.map_or(0, |time| time.as_nanos()))
}

/// Deletes what the manifest does not name. What cannot be deleted now (another system
/// keeps open files) is deleted the next time.
fn sweep(dir: &Path, manifest: &Manifest) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = PathBuf::from(entry.file_name());
        let ours = name.to_string_lossy().starts_with(|c: char| c.is_ascii_digit());
        if ours && !manifest.segments.iter().any(|(_, named)| *named == name) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Manifest {
    mark: String,
    through: u32,
    segments: Vec<(i64, PathBuf)>,
}

impl Manifest {
    /// `None` where there is none, or one that is not understood: the index is then made
    /// anew.
    fn read(dir: &Path) -> io::Result<Option<Self>> {
        match std::fs::read_to_string(dir.join(MANIFEST)) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != FIRST_LINE {
            return None;
        }
        let mark = lines.next()?.strip_prefix("mark ")?.to_owned();
        let through = lines.next()?.strip_prefix("through ")?.parse().ok()?;
        let count: usize = lines.next()?.strip_prefix("segments ")?.parse().ok()?;
        let segments: Option<Vec<_>> = lines
            .map(|line| {
                let (upstream, name) = line.split_once(' ')?;
                let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
                plain.then_some(())?;
                Some((upstream.parse().ok()?, PathBuf::from(name)))
            })
            .collect();
        segments.filter(|all| all.len() == count).map(|segments| Self { mark, through, segments })
    }

    fn write(&self, dir: &Path) -> io::Result<()> {
        let Self { mark, through, segments } = self;
        let mut text =
            format!("{FIRST_LINE}\nmark {mark}\nthrough {through}\nsegments {}\n", segments.len());
        for (upstream, name) in segments {
            text.push_str(&format!("{upstream} {}\n", name.display()));
        }
        let beside = dir.join("manifest.new");
        let mut file = File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(beside, dir.join(MANIFEST))
    }
}
