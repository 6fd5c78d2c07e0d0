//! The text that `git fast-import` reads.

use chrono::{DateTime, FixedOffset};

use super::tree::{GITLINK, Tree};
use super::{Person, RefChange, Written};

/// The branch that commits are written on; it is gone at the end of the stream.
const DESK: &str = "refs/heads/desk";
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// The commits from `sent` on, then the references.
pub(super) fn render(commits: &[Written], sent: usize, refs: &[RefChange]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, commit) in commits.iter().enumerate().skip(sent) {
        write_commit(&mut out, commits, at, commit);
    }
    for change in refs {
        match change {
            RefChange::Set { name, commit } => {
                line(&mut out, &format!("reset {name}\nfrom :{}\n", commit + 1));
            }
            RefChange::Delete { name } => {
                line(&mut out, &format!("reset {name}\nfrom {NOTHING}\n"))
            }
            RefChange::Annotated { tag, commit, when, message } => {
                let by = commits.get(*commit).map(|c| c.committer.0);
                line(&mut out, &format!("tag {tag}\nfrom :{}", commit + 1));
                if let Some(by) = by {
                    person(&mut out, "tagger", by, *when, false);
                }
                data(&mut out, message.as_bytes());
            }
        }
    }
    if sent < commits.len() {
        line(&mut out, &format!("reset {DESK}\nfrom {NOTHING}\n"));
    }
    line(&mut out, "done");
    out
}

fn write_commit(out: &mut Vec<u8>, commits: &[Written], at: usize, commit: &Written) {
    // A root starts the branch anew; any other commit names its parent.
    if commit.parents.is_empty() {
        line(out, &format!("reset {DESK}"));
    }
    line(out, &format!("commit {DESK}\nmark :{}", at + 1));
    let latin1 = commit.encoding.is_some();
    person(out, "author", commit.author.0, commit.author.1, latin1);
    person(out, "committer", commit.committer.0, commit.committer.1, latin1);
    if let Some(encoding) = commit.encoding {
        line(out, &format!("encoding {encoding}"));
    }
    data(out, &commit.message);
    for (n, parent) in commit.parents.iter().enumerate() {
        line(out, &format!("{} :{}", if n == 0 { "from" } else { "merge" }, parent + 1));
    }
    let nothing = Tree::default();
    let before = commit.parents.first().and_then(|p| commits.get(*p)).map_or(&nothing, |c| &c.tree);
    for path in before.0.keys().filter(|path| !commit.tree.0.contains_key(*path)) {
        line(out, &format!("D {}", quoted(path)));
    }
    for (path, entry) in &commit.tree.0 {
        if before.0.get(path) == Some(entry) {
            continue;
        }
        if entry.mode == GITLINK {
            let sha = String::from_utf8_lossy(&entry.data);
            line(out, &format!("M {GITLINK} {sha} {}", quoted(path)));
        } else {
            line(out, &format!("M {} inline {}", entry.mode, quoted(path)));
            data(out, &entry.data);
        }
    }
    out.push(b'\n');
}

fn line(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

fn data(out: &mut Vec<u8>, bytes: &[u8]) {
    line(out, &format!("data {}", bytes.len()));
    out.extend_from_slice(bytes);
    out.push(b'\n');
}

fn person(out: &mut Vec<u8>, role: &str, who: Person, when: DateTime<FixedOffset>, latin1: bool) {
    out.extend_from_slice(role.as_bytes());
    out.push(b' ');
    if latin1 {
        out.extend(who.name.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')));
    } else {
        out.extend_from_slice(who.name.as_bytes());
    }
    // An empty name leaves its two spaces, as people's git does.
    out.push(b' ');
    let zone = when.format("%z");
    line(out, &format!("<{}> {} {zone}", who.email, when.timestamp()));
}

/// A path as fast-import reads it: in C's quotes where it must be.
fn quoted(path: &str) -> String {
    if !path.contains(['"', '\\', '\n']) {
        return path.to_owned();
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
