//! A commit as the API tells it, and the object that it was.
//!
//! The API gives dates without their time zones and, of a signed commit, the very text
//! that was signed. Where the object's id comes out again, the commit is proven: it is
//! as good as one that git sent.

use chrono::DateTime;
use headwater_store::Oid;
use serde::{Deserialize, Deserializer};
use sha1::{Digest as _, Sha1};

/// A commit of the API's.
/// <https://docs.github.com/en/rest/commits/commits#get-a-commit>
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Told {
    #[serde(rename = "sha", deserialize_with = "oid")]
    pub(super) oid: Oid,
    commit: Inner,
    parents: Vec<Named>,
}

#[derive(Debug, Clone, Deserialize)]
struct Inner {
    author: Option<Who>,
    committer: Option<Who>,
    message: String,
    tree: Named,
    verification: Option<Verification>,
}

#[derive(Debug, Clone, Deserialize)]
struct Named {
    #[serde(rename = "sha", deserialize_with = "oid")]
    oid: Oid,
}

#[derive(Debug, Clone, Deserialize)]
struct Who {
    name: Option<String>,
    email: Option<String>,
    date: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Verification {
    signature: Option<String>,
    payload: Option<String>,
}

fn oid<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Oid, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

impl Told {
    /// Its tree.
    pub(super) fn tree(&self) -> Oid {
        self.commit.tree.oid
    }

    /// Its parents, first parent first.
    pub(super) fn parents(&self) -> Vec<Oid> {
        self.parents.iter().map(|parent| parent.oid).collect()
    }

    /// The bytes of the commit's object, where what is told hashes to its id.
    pub(super) fn object(&self) -> Option<Vec<u8>> {
        let is_it = |bytes: &Vec<u8>| object_id("commit", bytes) == self.oid;
        if let Some(signed) = self.signed().into_iter().find(is_it) {
            return Some(signed);
        }
        let zones = zones();
        let same = zones.iter().map(|zone| (zone, zone));
        let differing = zones.iter().flat_map(|a| zones.iter().map(move |b| (a, b)));
        for (author, committer) in same.chain(differing.filter(|(a, b)| a != b)) {
            // The message comes without the line feed that it nearly always ends with.
            for end in ["\n", ""] {
                let bytes = self.unsigned(author, committer, end)?;
                if is_it(&bytes) {
                    return Some(bytes);
                }
            }
        }
        None
    }

    /// An object that says the same, and has another id: what stands in where the commit's
    /// own does not come out.
    pub(super) fn stand_in(&self) -> Option<Vec<u8>> {
        self.unsigned("+0000", "+0000", "\n")
    }

    fn unsigned(&self, author: &str, committer: &str, end: &str) -> Option<Vec<u8>> {
        let who = |who: &Option<Who>, zone: &str| {
            let who = who.as_ref()?;
            let date = DateTime::parse_from_rfc3339(who.date.as_deref()?).ok()?;
            let (name, email) = (who.name.as_deref()?, who.email.as_deref()?);
            let whole = !format!("{name}{email}").contains(['\n', '\0', '<', '>']);
            whole.then(|| format!("{name} <{email}> {} {zone}", date.timestamp()))
        };
        let parents: String =
            self.parents.iter().map(|parent| format!("parent {}\n", parent.oid)).collect();
        let inner = &self.commit;
        let text = format!(
            "tree {}\n{parents}author {}\ncommitter {}\n\n{}{end}",
            inner.tree.oid,
            who(&inner.author, author)?,
            who(&inner.committer, committer)?,
            inner.message
        );
        Some(text.into_bytes())
    }

    /// The signed text with its signature put back, in each way in which that may end.
    fn signed(&self) -> Vec<Vec<u8>> {
        let Some(Verification { signature: Some(signature), payload: Some(payload) }) =
            &self.commit.verification
        else {
            return Vec::new();
        };
        let Some((head, message)) = payload.split_once("\n\n") else { return Vec::new() };
        let trimmed = signature.trim_end_matches('\n');
        let with = |signature: &str| {
            let indented = signature.replace('\n', "\n ");
            format!("{head}\ngpgsig {indented}\n\n{message}").into_bytes()
        };
        vec![with(trimmed), with(&format!("{trimmed}\n")), with(signature)]
    }
}

/// The id of an object of these bytes.
pub(super) fn object_id(kind: &str, bytes: &[u8]) -> Oid {
    let mut hash = Sha1::new();
    hash.update(format!("{kind} {}\0", bytes.len()));
    hash.update(bytes);
    Oid::from_bytes(hash.finalize().into())
}

/// Every time zone that there is, those of whole hours first.
fn zones() -> Vec<String> {
    let minutes: Vec<i32> = (-12 * 4..=14 * 4).map(|quarter| quarter * 15).collect();
    let (whole, others): (Vec<i32>, Vec<i32>) = minutes.into_iter().partition(|m| m % 60 == 0);
    let text = |minutes: i32| {
        let sign = if minutes < 0 { '-' } else { '+' };
        format!("{sign}{:02}{:02}", minutes.abs() / 60, minutes.abs() % 60)
    };
    let mut zones: Vec<String> = whole.into_iter().chain(others).map(text).collect();
    zones.push("-0000".to_owned());
    zones
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(object: &str, verification: serde_json::Value) -> Told {
        serde_json::from_value(json!({
            "sha": object_id("commit", object.as_bytes()).to_string(),
            "commit": {
                "author": { "name": "A B", "email": "a@b", "date": "2026-01-02T03:04:05Z" },
                "committer": { "name": "C", "email": "", "date": "2026-01-02T03:04:06Z" },
                "message": "api: one\n\nMore.",
                "tree": { "sha": "4b825dc642cb6eb9a060e54bf8d69288fbee4904" },
                "verification": verification,
            },
            "parents": [{ "sha": "0123456789012345678901234567890123456789" }],
        }))
        .unwrap()
    }

    const HEAD: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nparent 0123456789012345678901234567890123456789\n";

    #[test]
    fn an_object_comes_out_whatever_its_time_zones_and_its_end() {
        for (author, committer, end) in
            [("+0000", "+0000", "\n"), ("-0700", "+0545", "\n"), ("+1400", "-0330", "")]
        {
            let object = format!(
                "{HEAD}author A B <a@b> 1767323045 {author}\ncommitter C <> 1767323046 {committer}\n\napi: one\n\nMore.{end}"
            );
            let one = told(&object, json!(null));
            assert_eq!(one.object().unwrap(), object.as_bytes(), "{author} {committer}");
        }
    }

    #[test]
    fn a_signed_object_comes_out_of_what_was_signed() {
        let people = "author A B <a@b> 1767323045 -0730\ncommitter C <> 1767323046 +0000\n";
        for end in ["", "\n "] {
            let object = format!(
                "{HEAD}{people}encoding X\ngpgsig -----BEGIN-----\n \n abc\n -----END-----{end}\n\napi: öne\n"
            );
            let payload = format!("{HEAD}{people}encoding X\n\napi: öne\n");
            let signature = "-----BEGIN-----\n\nabc\n-----END-----";
            let one = told(&object, json!({ "signature": signature, "payload": payload }));
            assert_eq!(one.object().unwrap(), object.as_bytes());
        }
    }

    #[test]
    fn what_does_not_hash_to_its_id_is_not_taken_for_it() {
        let object = format!(
            "{HEAD}author A B <a@b> 1767323045 +0000\ncommitter C <> 1767323046 +0000\n\nanother\n"
        );
        let one = told(&object, json!(null));
        assert_eq!(one.object(), None);
        assert!(one.stand_in().is_some());
    }
}
