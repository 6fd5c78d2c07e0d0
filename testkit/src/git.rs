//! Reading a bare repository for the answers: through git, as GitHub does.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use chrono::{DateTime, Utc};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// The tree without files, which every git knows.
const NO_FILES: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A commit's facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitFacts {
    pub sha: String,
    pub tree: String,
    pub parents: Vec<String>,
    pub author: Signature,
    pub committer: Signature,
    pub message: String,
    /// Its signature and what that is over, where it is signed.
    pub signature: Option<(String, String)>,
}

/// Who and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub name: String,
    pub email: String,
    pub date: String,
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub path: String,
    pub old_path: Option<String>,
    pub status: char,
    pub blob: String,
    pub additions: u64,
    pub deletions: u64,
    /// From the first `@@` on; empty where git prints no hunks.
    pub patch: String,
}

/// A reference and what it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefFacts {
    pub name: String,
    pub object: String,
    pub kind: String,
    /// The commit that an annotated tag names, or the object itself.
    pub commit: String,
}

/// A command in a repository, free of the user's configuration.
pub(crate) fn command(dir: &Path) -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            git.env_remove(name);
        }
    }
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .current_dir(dir)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    git
}

/// A repository to read.
#[derive(Debug, Clone)]
pub(crate) struct Git(pub PathBuf);

impl Git {
    /// What git prints, or nothing where it fails.
    pub async fn bytes(&self, args: &[&str]) -> Option<Vec<u8>> {
        let out = command(&self.0).env("GIT_DIR", ".").args(args).output().await.ok()?;
        out.status.success().then_some(out.stdout)
    }

    /// The same as text, trimmed at the end.
    pub async fn text(&self, args: &[&str]) -> Option<String> {
        let bytes = self.bytes(args).await?;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// The full id of the commit that a tag, a branch or a sha names: references first,
    /// so that a tag whose name could be a sha is the tag.
    pub async fn resolve(&self, name: &str) -> Option<String> {
        if name.is_empty() || name.starts_with('-') || name.contains(['^', '~', ':', '@', '\0']) {
            return None;
        }
        for full in [format!("refs/heads/{name}"), format!("refs/tags/{name}"), name.to_owned()] {
            let commit = format!("{full}^{{commit}}");
            let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
            if let Some(sha) = self.text(&args).await {
                return Some(sha);
            }
        }
        None
    }

    /// The commits that `git log` lists for these arguments.
    pub async fn log(&self, args: &[&str]) -> Vec<CommitFacts> {
        let format =
            "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x00%x01";
        let fixed = ["log", format, "--encoding=UTF-8"];
        let text = self.text(&[&fixed[..], args].concat()).await.unwrap_or_default();
        let records = text.split("\0\u{1}").map(|record| record.trim_start_matches('\n'));
        let mut all: Vec<CommitFacts> = records.filter_map(commit).collect();
        let shas: String = all.iter().map(|c| format!("{}\n", c.sha)).collect();
        let objects = self.objects(shas).await.unwrap_or_default();
        for (facts, object) in all.iter_mut().zip(objects) {
            facts.signature = signature(&object);
        }
        all
    }

    /// The bytes of many objects.
    async fn objects(&self, ids: String) -> Option<Vec<Vec<u8>>> {
        let mut git = command(&self.0);
        git.env("GIT_DIR", ".").args(["cat-file", "--batch"]);
        let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let mut input = child.stdin.take()?;
        tokio::spawn(async move { input.write_all(ids.as_bytes()).await });
        let out = child.wait_with_output().await.ok()?.stdout;
        let (mut rest, mut all) = (&out[..], Vec::new());
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let size = String::from_utf8_lossy(&rest[..end]);
            let size: usize = size.rsplit(' ').next()?.parse().ok()?;
            all.push(rest.get(end + 1..end + 1 + size)?.to_vec());
            rest = rest.get(end + 2 + size..)?;
        }
        Some(all)
    }

    /// One commit.
    pub async fn commit(&self, sha: &str) -> Option<CommitFacts> {
        self.log(&["-1", sha]).await.into_iter().next()
    }

    /// The files that differ from `old` (nothing: the empty tree) to `new`.
    pub async fn files(&self, old: Option<&str>, new: &str) -> Vec<FileFacts> {
        let range = [old.unwrap_or(NO_FILES), new];
        let run = async |option: &str| {
            let args = ["diff", "-M", "--no-ext-diff", "--no-abbrev", option, "-z"];
            self.bytes(&[&args[..], &range[..]].concat()).await.unwrap_or_default()
        };
        let mut files = raw_entries(&run("--raw").await);
        let counts = line_counts(&run("--numstat").await);
        let patch = self.diff(old, new).await;
        let mut patches = sections(&patch);
        for (file, (added, deleted)) in files.iter_mut().zip(counts) {
            (file.additions, file.deletions) = (added, deleted);
            // A change of type is printed as a deletion and an addition.
            for _ in 0..if file.status == 'T' { 2 } else { 1 } {
                let hunks = patches.next().unwrap_or_default();
                if !file.patch.is_empty() && !hunks.is_empty() {
                    file.patch.push('\n');
                }
                file.patch.push_str(&hunks);
            }
        }
        files
    }

    /// The diff as git prints it.
    pub async fn diff(&self, old: Option<&str>, new: &str) -> Vec<u8> {
        let old = old.unwrap_or(NO_FILES);
        self.bytes(&["diff", "-M", "--no-ext-diff", "-p", old, new]).await.unwrap_or_default()
    }

    /// References below a prefix, by name, tags peeled.
    pub async fn refs(&self, prefix: &str) -> Vec<RefFacts> {
        let format = "--format=%(refname) %(objectname) %(objecttype) %(*objectname)";
        let text = self.text(&["for-each-ref", format, prefix]).await.unwrap_or_default();
        let entry = |line: &str| {
            let mut words = line.split(' ');
            let (name, object) = (words.next()?.to_owned(), words.next()?.to_owned());
            let kind = words.next()?.to_owned();
            let peeled = words.next().filter(|p| !p.is_empty()).map(str::to_owned);
            let commit = peeled.unwrap_or_else(|| object.clone());
            Some(RefFacts { name, object, kind, commit })
        };
        text.lines().filter_map(entry).collect()
    }
}

fn commit(record: &str) -> Option<CommitFacts> {
    let mut fields = record.splitn(10, '\0');
    let mut next = || fields.next();
    let (sha, tree, parents) = (next()?.to_owned(), next()?.to_owned(), next()?);
    let parents = parents.split_whitespace().map(str::to_owned).collect();
    let mut signature = || {
        let (name, email) = (next()?.to_owned(), next()?.to_owned());
        let date: DateTime<Utc> = DateTime::from_timestamp(next()?.parse().ok()?, 0)?;
        Some(Signature { name, email, date: date.format("%Y-%m-%dT%H:%M:%SZ").to_string() })
    };
    let (author, committer) = (signature()?, signature()?);
    let message = fields.next()?.trim_end_matches('\n').to_owned();
    Some(CommitFacts { sha, tree, parents, author, committer, message, signature: None })
}

/// A commit object's signature, and the object without it.
fn signature(object: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(object).ok()?;
    let (head, message) = text.split_once("\n\n")?;
    let (before, rest) = head.split_once("\ngpgsig ")?;
    let lines: Vec<&str> = rest.lines().collect();
    let own = lines.iter().skip(1).take_while(|line| line.starts_with(' ')).count() + 1;
    let unindented = lines[..own].iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let signature = unindented.collect::<Vec<_>>().join("\n");
    let after: String = lines[own..].iter().map(|line| format!("\n{line}")).collect();
    Some((signature, format!("{before}{after}\n\n{message}")))
}

fn raw_entries(bytes: &[u8]) -> Vec<FileFacts> {
    let mut fields = bytes.split(|b| *b == 0).map(|f| String::from_utf8_lossy(f).into_owned());
    let mut files = Vec::new();
    while let Some(head) = fields.next() {
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [_, _, old, new, status] = words[..] else { continue };
        let status = status.chars().next().unwrap_or('M');
        let Some(mut path) = fields.next() else { break };
        let mut old_path = None;
        if matches!(status, 'R' | 'C') {
            let Some(to) = fields.next() else { break };
            old_path = Some(std::mem::replace(&mut path, to));
        }
        let blob = if status == 'D' { old } else { new }.to_owned();
        let (additions, deletions, patch) = (0, 0, String::new());
        files.push(FileFacts { path, old_path, status, blob, additions, deletions, patch });
    }
    files
}

/// Added and deleted lines of each file; zero of binary ones.
fn line_counts(bytes: &[u8]) -> Vec<(u64, u64)> {
    let mut fields = bytes.split(|b| *b == 0).map(String::from_utf8_lossy);
    let mut counts = Vec::new();
    while let Some(head) = fields.next() {
        let mut words = head.splitn(3, '\t');
        let (Some(added), Some(deleted), Some(path)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        counts.push((added.parse().unwrap_or(0), deleted.parse().unwrap_or(0)));
        // A rename has its two paths in fields of their own.
        if path.is_empty() {
            fields.nth(1);
        }
    }
    counts
}

/// The hunks of each file of a diff, as GitHub's `patch` has them: without the head,
/// and without the last line feed.
fn sections(diff: &[u8]) -> impl Iterator<Item = String> {
    let text = String::from_utf8_lossy(diff).into_owned();
    let mut out: Vec<String> = Vec::new();
    let mut in_hunks = false;
    for line in text.split_inclusive('\n') {
        // Within hunks every line begins with a sign, so this is no content.
        if line.starts_with("diff --git ") {
            out.push(String::new());
            in_hunks = false;
            continue;
        }
        in_hunks |= line.starts_with("@@ ");
        if let Some(section) = out.last_mut().filter(|_| in_hunks) {
            section.push_str(line);
        }
    }
    out.into_iter().map(|s| s.strip_suffix('\n').map(str::to_owned).unwrap_or(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_cut_at_the_heads_of_files_only() {
        let diff = b"diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n---- a/y\n+diff --git a/z b/z\n c\ndiff --git a/m b/m\nold mode 100644\nnew mode 100755\n";
        let parts: Vec<String> = sections(diff).collect();
        assert_eq!(parts, ["@@ -1,2 +1,2 @@\n---- a/y\n+diff --git a/z b/z\n c", ""]);
    }

    #[test]
    fn renames_take_three_fields() {
        let raw = b":100644 100644 aa bb R090\0old\0new\0:100644 000000 cc 00 D\0gone\0";
        let files = raw_entries(raw);
        assert_eq!(files.len(), 2);
        assert_eq!((files[0].path.as_str(), files[0].old_path.as_deref()), ("new", Some("old")));
        assert_eq!((files[1].path.as_str(), files[1].blob.as_str()), ("gone", "cc"));
        assert_eq!(line_counts(b"1\t2\t\0old\0new\0-\t-\ticon\0"), [(1, 2), (0, 0)]);
    }
    proptest::proptest! {
        #[test]
        fn what_git_prints_is_never_trusted_to_be_whole(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            text in "(:100644 100644 a b [RMDT]|diff --git |@@ |\0|\n|\t|1){0,30}",
        ) {
            for input in [&bytes[..], text.as_bytes()] {
                raw_entries(input);
                line_counts(input);
                sections(input).count();
                commit(&String::from_utf8_lossy(input));
            }
        }
    }
}
