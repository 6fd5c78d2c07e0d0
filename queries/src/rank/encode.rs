//! Features as bytes: numbers in seven-bit groups, ids of terms as they are.

use headwater_store::Oid;

use super::facets::FileFacets;
use super::features::{CommitFeatures, Terms};
use super::mentions::{Mention, MentionKind, MentionTarget};

/// The features as bytes; the commit's id and parents are not among them.
pub fn encode(commit: &CommitFeatures) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    let files = &commit.files;
    for number in [
        files.count,
        files.backends,
        files.areas,
        files.core,
        files.inert,
        files.inert_count,
        commit.named,
        commit.headed,
        commit.lines,
        commit.live.0,
        commit.live.1,
        commit.conditions,
        commit.pull.map_or(0, |pull| pull.saturating_add(1)),
    ] {
        put(&mut out, u64::from(number));
    }
    put(&mut out, commit.mentions.len() as u64);
    for mention in &commit.mentions {
        put(&mut out, mention.kind as u64);
        match &mention.target {
            MentionTarget::Pull(pull) => {
                put(&mut out, 0);
                put(&mut out, u64::from(*pull));
            }
            MentionTarget::Sha(sha) => {
                put(&mut out, sha.len() as u64);
                out.extend_from_slice(sha.as_bytes());
            }
        }
    }
    for terms in &commit.fields {
        put(&mut out, u64::from(terms.len));
        put(&mut out, terms.counts.len() as u64);
        for (id, count) in &terms.counts {
            out.extend_from_slice(&id.to_le_bytes());
            put(&mut out, u64::from(*count));
        }
    }
    out
}

/// The features from bytes; none where no encoder made them.
pub fn decode(oid: Oid, parents: Vec<Oid>, bytes: &[u8]) -> Option<CommitFeatures> {
    let mut from = bytes;
    let from = &mut from;
    let files = FileFacets {
        count: small(from)?,
        backends: small(from)?,
        areas: small(from)?,
        core: small(from)?,
        inert: small(from)?,
        inert_count: small(from)?,
    };
    let (named, headed, lines) = (small(from)?, small(from)?, small(from)?);
    let (live, conditions) = ((small(from)?, small(from)?), small(from)?);
    let pull = small(from)?.checked_sub(1);
    let mut mentions = Vec::new();
    for _ in 0..get(from)? {
        let kind = kind_of(u8::try_from(get(from)?).ok()?)?;
        let target = match usize::try_from(get(from)?).ok()? {
            0 => MentionTarget::Pull(small(from)?),
            len => MentionTarget::Sha(String::from_utf8(take(from, len)?.to_vec()).ok()?),
        };
        mentions.push(Mention { target, kind });
    }
    let mut fields: [Terms; 6] = Default::default();
    for terms in &mut fields {
        terms.len = small(from)?;
        let len = usize::try_from(get(from)?).ok()?;
        // No more than the bytes can hold.
        terms.counts.reserve(len.min(from.len() / 9));
        for _ in 0..len {
            let id = u64::from_le_bytes(take(from, 8)?.try_into().ok()?);
            terms.counts.push((id, u16::try_from(get(from)?).ok()?));
        }
    }
    Some(CommitFeatures {
        oid,
        fields,
        files,
        named,
        headed,
        lines,
        live,
        conditions,
        parents,
        pull,
        mentions,
    })
}

/// The kind of this number.
pub fn kind_of(number: u8) -> Option<MentionKind> {
    [MentionKind::Named, MentionKind::Cause, MentionKind::Revert]
        .into_iter()
        .find(|kind| *kind as u8 == number)
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn get(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn small(from: &mut &[u8]) -> Option<u32> {
    u32::try_from(get(from)?).ok()
}

fn take<'a>(from: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(len)?;
    *from = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_come_back() {
        let mut commit = CommitFeatures {
            oid: Oid::from_bytes([3; 20]),
            fields: Default::default(),
            files: FileFacets { count: 300, backends: 1 << 31, core: 2, ..FileFacets::default() },
            named: 5,
            headed: 4,
            lines: 70_000,
            live: (69_000, 900),
            conditions: 0,
            parents: vec![Oid::from_bytes([1; 20])],
            pull: Some(26_802),
            mentions: vec![
                Mention { target: MentionTarget::Pull(12), kind: MentionKind::Revert },
                Mention {
                    target: MentionTarget::Sha("0a1b2c3d".to_owned()),
                    kind: MentionKind::Cause,
                },
            ],
        };
        commit.fields[3] = Terms { len: 9, counts: vec![(1, 1), (u64::MAX, 400)] };
        let bytes = encode(&commit);
        let back = decode(commit.oid, commit.parents.clone(), &bytes);
        assert_eq!(back.as_ref(), Some(&commit));
        assert_eq!(decode(commit.oid, Vec::new(), &bytes[..bytes.len() - 1]), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(0u8.., 0..300)) {
            let _ = decode(Oid::ZERO, Vec::new(), &bytes);
        }
    }
}
