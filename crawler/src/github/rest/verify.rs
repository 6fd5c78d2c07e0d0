//! What the API's comparison says of a window's files, against what the objects say: two
//! transports that disagree are both kept, and the disagreement is told.

use std::collections::{HashMap, HashSet};

use headwater_store::objects::ObjectStore;
use headwater_store::{Oid, git};

use crate::CrawlError;
use crate::git::record;
use crate::github::compare::ListedFile;
use crate::transport::{Brought, Doubt, Ends};

/// At so many files a comparison's list ends, without a word.
const CUT_AT: usize = 300;
/// How many differing paths are named.
const NAMED: usize = 3;

/// Compares the listed files with those in which the newer end differs from where both
/// sides meet.
pub(super) fn listed(
    objects: &ObjectStore,
    ends: Ends,
    listed: &[ListedFile],
    brought: &mut Brought,
) -> Result<(), CrawlError> {
    let Some(meet) = record::merge_bases(objects, ends).into_iter().next() else { return Ok(()) };
    let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev"];
    let (meet, head) = (meet.to_string(), ends.head.to_string());
    let printed = git::output(objects.dir(), &[&args[..], &[&meet, &head]].concat())?;
    let text = String::from_utf8_lossy(&printed);
    let mut fields = text.split('\0');
    let mut own: HashMap<&str, Oid> = HashMap::new();
    while let (Some(meta), Some(path)) = (fields.next(), fields.next()) {
        let new = meta.split(' ').nth(3).and_then(|oid| oid.parse().ok());
        own.extend(new.map(|new| (path, new)));
    }
    let named: HashSet<&str> = listed
        .iter()
        .flat_map(|file| [Some(file.filename.as_str()), file.previous_filename.as_deref()])
        .flatten()
        .collect();
    let mut differing: Vec<String> = Vec::new();
    for file in listed {
        let said = file.sha.as_deref().and_then(|sha| sha.parse::<Oid>().ok());
        let differs = match own.get(file.filename.as_str()) {
            None => true,
            Some(new) if file.status == "removed" => !new.is_zero(),
            Some(new) => said.is_some_and(|said| said != *new),
        };
        if differs {
            differing.push(file.filename.clone());
        }
    }
    if listed.len() < CUT_AT {
        differing.extend(own.keys().filter(|path| !named.contains(*path)).map(ToString::to_string));
    }
    if !differing.is_empty() {
        differing.sort();
        let count = differing.len();
        differing.truncate(NAMED);
        let detail = format!(
            "upstream's host lists {count} files of this window otherwise than its objects have them: {}",
            differing.join(", ")
        );
        brought.doubts.push(Doubt { kind: "files-differ", detail });
    }
    Ok(())
}
