//! Files by their object ids: many at once out of an archive, others one by one. Each is
//! hashed before it is kept.

use std::collections::{BTreeMap, HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use headwater_store::objects::ObjectStore;
use headwater_store::{Oid, git};
use serde::Deserialize;

use super::Rest;
use super::archive;
use super::ask::Got;
use crate::CrawlError;
use crate::git::record;
use crate::github::GitHubError;
use crate::github::told::object_id;

/// So many files of one commit are taken out of an archive rather than one by one: the
/// raw host is not made for many.
const MANY: usize = 40;
/// How many files are asked of the API, where no other host has them: each costs a
/// request.
const MOST_OF_API: usize = 20;

#[derive(Deserialize)]
struct Blob {
    content: String,
    encoding: String,
}

impl Rest<'_> {
    /// Brings files; gives those that no host has.
    pub(super) fn bring_files(
        &self,
        objects: &ObjectStore,
        blobs: &[Oid],
    ) -> Result<Vec<Oid>, CrawlError> {
        let there = record::kinds(objects, blobs.iter().copied())?;
        let mut wanted: HashSet<Oid> =
            blobs.iter().copied().filter(|oid| !there.contains_key(oid)).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        self.out_of_archives(objects, &mut wanted)?;
        let mut got = Vec::new();
        let brought = self.one_by_one(&mut wanted, &mut got);
        // What came before an error is kept.
        written(objects, got)?;
        brought?;
        let mut lacking: Vec<Oid> = wanted.into_iter().collect();
        lacking.sort_unstable();
        Ok(lacking)
    }

    /// Takes files out of the archive of each commit that many of them lie in.
    fn out_of_archives(
        &self,
        objects: &ObjectStore,
        missing: &mut HashSet<Oid>,
    ) -> Result<(), CrawlError> {
        let mut of: BTreeMap<Oid, usize> = BTreeMap::new();
        for (commit, _) in missing.iter().filter_map(|oid| self.place_of(*oid)) {
            *of.entry(commit).or_default() += 1;
        }
        for commit in of.into_iter().filter(|(_, files)| *files >= MANY).map(|(commit, _)| commit) {
            // One that cannot be had, or is damaged, leaves its files to be asked for
            // one by one.
            let Got::Whole(packed) = self.web_archive(&format!("archive/{commit}.tar.gz"))? else {
                continue;
            };
            let files = archive::wanted(&packed, missing);
            for file in &files {
                missing.remove(&object_id("blob", file));
            }
            written(objects, files)?;
        }
        Ok(())
    }

    fn one_by_one(
        &self,
        missing: &mut HashSet<Oid>,
        got: &mut Vec<Vec<u8>>,
    ) -> Result<(), CrawlError> {
        let mut order: Vec<Oid> = missing.iter().copied().collect();
        order.sort_unstable();
        let mut of_api = 0;
        for oid in order {
            let is_it = |bytes: &Vec<u8>| object_id("blob", bytes) == oid;
            let mut file = match self.place_of(oid) {
                Some((commit, path)) => self.raw(commit, &path)?.filter(is_it),
                None => None,
            };
            if file.is_none() && of_api < MOST_OF_API {
                of_api += 1;
                file = self.of_api(oid)?.filter(is_it);
            }
            if let Some(file) = file {
                missing.remove(&oid);
                got.push(file);
            }
        }
        Ok(())
    }

    /// A file as the raw host gives it, whatever that is.
    fn raw(&self, commit: Oid, path: &str) -> Result<Option<Vec<u8>>, CrawlError> {
        match self.raw_file(&format!("{commit}/{}", escaped(path)))? {
            Got::Whole(file) => Ok(Some(file)),
            _ => Ok(None),
        }
    }

    /// A file as the API gives it, whatever that is.
    fn of_api(&self, oid: Oid) -> Result<Option<Vec<u8>>, CrawlError> {
        match self.json::<Blob>(&format!("/git/blobs/{oid}")) {
            Ok((blob, _)) if blob.encoding == "base64" => Ok(decoded(&blob.content)),
            Ok(_) | Err(GitHubError::Status { .. } | GitHubError::Unreadable { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn place_of(&self, oid: Oid) -> Option<(Oid, String)> {
        self.places.borrow().get(&oid).cloned()
    }

    /// Notes where files lie; the first place of each counts.
    pub(super) fn note_places(&self, commit: Oid, files: &HashMap<String, Oid>) {
        let mut places = self.places.borrow_mut();
        for (path, oid) in files {
            places.entry(*oid).or_insert_with(|| (commit, path.clone()));
        }
    }
}

/// Puts files into the object store.
fn written(objects: &ObjectStore, files: Vec<Vec<u8>>) -> Result<(), CrawlError> {
    if files.is_empty() {
        return Ok(());
    }
    let mut input = Vec::new();
    for file in files {
        input.extend_from_slice(format!("blob\ndata {}\n", file.len()).as_bytes());
        input.extend_from_slice(&file);
        input.push(b'\n');
    }
    git::output_with_input(objects.dir(), &["fast-import", "--quiet"], input)?;
    Ok(())
}

/// A path as part of a URL.
fn escaped(path: &str) -> String {
    crate::github::compare::escaped(path)
}

/// Base64 in lines; none where it is none.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let joined: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(joined).ok()
}
