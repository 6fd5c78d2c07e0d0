//! Reading many commits with several git processes.

use std::collections::{HashMap, HashSet};
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_channel::{Sender, bounded};
use headwater_store::git::{self, GitError};
use headwater_store::{NewCommit, Oid};

use super::stream::{FORMAT, Stream};
use crate::CrawlError;

/// Commits in one batch between the readers and the writer.
const BATCH: usize = 64;

/// What to read: commits with their parents, and the objects that are missing.
pub(super) struct Walk<'a> {
    /// The repository to read in.
    pub(super) git_dir: &'a Path,
    /// The commits, in the order in which they should come, roughly.
    pub(super) commits: &'a [(Oid, Vec<Oid>)],
    /// Objects that the repository lacks.
    pub(super) missing: &'a HashSet<Oid>,
    /// How many git processes may run at once.
    pub(super) jobs: usize,
}

impl Walk<'_> {
    /// Reads every commit and hands batches to `take`, which runs on this thread.
    pub(super) fn run(
        &self,
        mut take: impl FnMut(Vec<NewCommit>) -> Result<(), CrawlError>,
    ) -> Result<(), CrawlError> {
        let chunks = self.chunks();
        let next = AtomicUsize::new(0);
        let jobs = self.jobs.clamp(1, chunks.len().max(1));
        std::thread::scope(|scope| {
            let (sender, receiver) = bounded::<Vec<NewCommit>>(jobs * 2);
            let workers: Vec<_> = (0..jobs)
                .map(|_| {
                    let (sender, chunks, next) = (sender.clone(), &chunks, &next);
                    scope.spawn(move || -> Result<(), CrawlError> {
                        while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                            self.read(chunk, &sender)?;
                        }
                        Ok(())
                    })
                })
                .collect();
            drop(sender);
            let mut taken = Ok(());
            for batch in &receiver {
                taken = take(batch);
                if taken.is_err() {
                    break;
                }
            }
            // The readers stop when nobody takes what they read.
            drop(receiver);
            for worker in workers {
                let read = worker.join().unwrap_or(Err(CrawlError::Died));
                if taken.is_ok() {
                    taken = read;
                }
            }
            taken
        })
    }

    /// Merges and others apart: a merge is compared with its first parent, without text.
    fn chunks(&self) -> Vec<Chunk<'_>> {
        let (merges, plain): (Vec<_>, Vec<_>) =
            self.commits.iter().partition(|(_, parents)| parents.len() > 1);
        // What goes to a process's input must fit into a pipe, so that nobody waits.
        let size = self.commits.len().div_ceil(self.jobs.max(1) * 12).clamp(32, 512);
        let plain = plain.chunks(size).map(|c| Chunk { commits: c.to_vec(), merges: false });
        let merged = merges.chunks(size).map(|c| Chunk { commits: c.to_vec(), merges: true });
        plain.chain(merged).collect()
    }

    fn read(&self, chunk: &Chunk<'_>, sender: &Sender<Vec<NewCommit>>) -> Result<(), CrawlError> {
        let mut command = git::git(self.git_dir);
        command.args([
            "-c",
            "core.deltaBaseCacheLimit=134217728",
            "diff-tree",
            "--stdin",
            "-r",
            "-M",
            "-l1000",
        ]);
        command.args(["--raw", "-z", "--no-abbrev", "--full-index", "--root", "--always"]);
        if !chunk.merges {
            command.args(["-p", "-U3", "--no-ext-diff", "--no-textconv", "--no-color"]);
        }
        command.arg(format!("--format={FORMAT}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(GitError::Start)?;
        let (Some(stdin), Some(stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(CrawlError::Died);
        };
        let (input, said) = std::thread::scope(|scope| {
            let feeder = scope.spawn(move || feed(stdin, chunk));
            let listener = scope.spawn(move || {
                let mut text = Vec::new();
                let _ = stderr.read_to_end(&mut text);
                text
            });
            let result = self.parse(BufReader::with_capacity(1 << 18, stdout), chunk, sender);
            if result.is_err() {
                let _ = child.kill();
            }
            let _ = feeder.join();
            (result, listener.join().unwrap_or_default())
        });
        let status = child.wait().map_err(GitError::Start)?;
        let complete = input?;
        if !status.success() || !complete {
            return Err(GitError::Failed {
                what: "diff-tree".to_owned(),
                dir: self.git_dir.to_owned(),
                message: git::last_lines(&said),
            }
            .into());
        }
        Ok(())
    }

    /// Parses one process's output; tells whether every commit of the chunk came.
    fn parse(
        &self,
        stdout: impl std::io::BufRead,
        chunk: &Chunk<'_>,
        sender: &Sender<Vec<NewCommit>>,
    ) -> Result<bool, CrawlError> {
        let mut wanted: HashMap<Oid, &Vec<Oid>> =
            chunk.commits.iter().map(|(oid, parents)| (*oid, parents)).collect();
        let mut stream = Stream::new(stdout, self.missing, chunk.merges)?;
        let mut batch = Vec::with_capacity(BATCH);
        while let Some(mut commit) = stream.next_commit()? {
            if let Some(parents) = wanted.remove(&commit.commit.oid) {
                commit.commit.parents.clone_from(parents);
                batch.push(commit);
            }
            if batch.len() >= BATCH && sender.send(std::mem::take(&mut batch)).is_err() {
                return Ok(true); // the writer stopped, and tells why itself
            }
        }
        let _ = sender.send(batch);
        Ok(wanted.is_empty())
    }
}

struct Chunk<'a> {
    commits: Vec<&'a (Oid, Vec<Oid>)>,
    merges: bool,
}

/// A line for the input of `git diff-tree --stdin`: a merge is compared with its first
/// parent.
pub(super) fn compared((oid, parents): &(Oid, Vec<Oid>)) -> String {
    match parents.as_slice() {
        [first, _, ..] => format!("{oid} {first}\n"),
        _ => format!("{oid}\n"),
    }
}

fn feed(mut stdin: impl std::io::Write, chunk: &Chunk<'_>) {
    let mut text = Vec::with_capacity(chunk.commits.len() * 82);
    for commit in &chunk.commits {
        text.extend_from_slice(compared(commit).as_bytes());
    }
    // A process that died is told by its status.
    let _ = stdin.write_all(&text);
}
