//! Files out of a `.tar.gz`, by their object ids: names in it are never looked at.

use std::collections::HashSet;
use std::io::{BufReader, Read, Take};

use flate2::read::GzDecoder;
use headwater_store::Oid;

use super::ask::MOST_FILE;
use crate::github::told::object_id;

/// The most bytes that are unpacked: more than any of the upstreams' trees has.
const MOST: u64 = 2 << 30;
const BLOCK: usize = 512;

/// The wanted files that an archive holds. Where it is damaged, those before the damage.
pub(super) fn wanted(archive: &[u8], wanted: &HashSet<Oid>) -> Vec<Vec<u8>> {
    let mut input = BufReader::new(GzDecoder::new(archive)).take(MOST);
    let mut found = Vec::new();
    while found.len() < wanted.len() {
        let Some(file) = next(&mut input) else { break };
        if file.is_some() && wanted.contains(&object_id("blob", file.as_deref().unwrap_or(&[]))) {
            found.extend(file);
        }
    }
    found
}

/// The next entry: a file's content, or nothing for one that is no file or too large.
fn next(input: &mut Take<impl Read>) -> Option<Option<Vec<u8>>> {
    let mut header = [0; BLOCK];
    input.read_exact(&mut header).ok()?;
    if header.iter().all(|byte| *byte == 0) {
        return None;
    }
    let size = number(&header[124..136])?;
    let padded = size.checked_next_multiple_of(BLOCK as u64)?;
    // '0', and NUL in old archives, are files; links and folders have no content.
    let is_file = matches!(header[156], b'0' | 0) && size <= MOST_FILE as u64;
    let mut content = Vec::new();
    let mut entry = input.by_ref().take(padded);
    if !is_file {
        std::io::copy(&mut entry, &mut std::io::sink()).ok()?;
        return Some(None);
    }
    entry.read_to_end(&mut content).ok()?;
    if content.len() as u64 != padded {
        return None;
    }
    content.truncate(usize::try_from(size).ok()?);
    Some(Some(content))
}

/// A number in octal digits, or where its first bit is set in bytes.
fn number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|byte| byte & 0x80 != 0) {
        let bytes = field.get(field.len() - 8..)?;
        return Some(u64::from_be_bytes(bytes.try_into().ok()?));
    }
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_matches(['\0', ' ']);
    if digits.is_empty() { Some(0) } else { u64::from_str_radix(digits, 8).ok() }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn entry(kind: u8, content: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        block[0] = b'x';
        block[156] = kind;
        block.extend_from_slice(content);
        block.resize(block.len().next_multiple_of(BLOCK), 0);
        block
    }

    fn packed(tar: &[u8]) -> Vec<u8> {
        let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
        gz.write_all(tar).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn files_are_found_by_what_they_are() {
        let tar = [
            entry(b'g', b"52 comment=0123\n"),
            entry(b'5', b""),
            entry(b'0', b"other\n"),
            entry(b'0', &[7; 1500]),
            entry(b'0', b""),
            vec![0; 1024],
        ]
        .concat();
        let want: HashSet<Oid> =
            [&[7; 1500][..], b"", b"not there"].map(|one| object_id("blob", one)).into();
        let found = wanted(&packed(&tar), &want);
        assert_eq!(found, [vec![7; 1500], Vec::new()]);
        // Cut short, it gives what came before.
        let cut = packed(&tar);
        assert!(wanted(&cut[..cut.len() / 2], &want).len() <= 2);
        assert!(wanted(b"no archive", &want).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(tar in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..2000)) {
            wanted(&packed(&tar), &HashSet::from([Oid::ZERO]));
            wanted(&tar, &HashSet::from([Oid::ZERO]));
        }
    }
}
