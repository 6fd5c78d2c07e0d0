//! A repository on a host, spoken to by git itself.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use headwater_store::git::{self, GitError};
use headwater_store::objects::ObjectStore;
use headwater_store::{Oid, StoreError};

use super::clone::peeled;
use crate::CrawlError;
use crate::transport::Refs;

/// How long a host may take to list its refs.
const LISTING: Duration = Duration::from_secs(120);
/// How long one fetch may take; a stalled one ends earlier, by git's own low-speed limit.
const FETCHING: Duration = Duration::from_secs(3600);
/// A lock that is older belongs to nobody.
const STALE: Duration = Duration::from_secs(10);
/// How often git is run for one request.
const ATTEMPTS: u32 = 3;
/// How many files a host may lack before it is given up.
const MOST_LACKING: usize = 100;
/// The pause before the second time.
const FIRST_PAUSE: Duration = Duration::from_millis(300);
/// The most that a list of refs may hold, in bytes.
const MOST_REFS: u64 = 64 << 20;
/// The name by which git's configuration, given on the command line only, calls it.
const NAME: &str = "upstream";

/// A repository that is reached over HTTP(S).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    url: String,
}

impl Remote {
    /// The repository `owner/name` on the web host `base`, a URL without a slash at its end.
    pub fn on(base: &str, repository: &str) -> Self {
        Remote { url: format!("{base}/{repository}.git") }
    }

    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The heads of its branch and tags.
    ///
    /// # Errors
    /// [`CrawlError::Remote`] where the host cannot be reached or does not answer as git.
    pub(super) fn list(&self, branch: &str) -> Result<Refs, CrawlError> {
        let wanted = format!("refs/heads/{branch}");
        let command = || {
            let mut command = Command::new("git");
            git::isolate(&mut command);
            self.configure(&mut command);
            // Outside of any repository whose settings could speak.
            command.current_dir(std::env::temp_dir());
            command.args(["ls-remote", NAME, &wanted, "refs/tags/*"]);
            command
        };
        let printed = self.run(command, &[], LISTING, "list the refs")?;
        let text = String::from_utf8_lossy(&printed);
        let listed = || text.lines().filter_map(|line| line.split_once('\t'));
        let branch = listed().find(|(_, name)| *name == wanted);
        let tags = listed().filter_map(|(oid, name)| Some((oid, name.strip_prefix("refs/tags/")?)));
        let branch = branch.and_then(|(oid, _)| oid.parse().ok());
        Ok(Refs { branch, tags: peeled(tags), all: true })
    }

    /// Brings commits and trees, without files, and keeps a ref for each tip. With a
    /// depth, so many commits of history from each tip on; without, all that is not there.
    ///
    /// # Errors
    /// [`CrawlError::Remote`].
    pub(super) fn fetch_commits(
        &self,
        objects: &ObjectStore,
        tips: &[Oid],
        depth: Option<u64>,
    ) -> Result<(), CrawlError> {
        let command = || {
            let mut command = self.fetch(objects);
            command.args(FETCH).arg("--filter=blob:none");
            if let Some(depth) = depth {
                command.arg(format!("--depth={depth}"));
            }
            command.args(["--stdin", NAME]);
            command
        };
        let _held = hold(objects.dir())?;
        let input: String =
            tips.iter().map(|oid| format!("+{oid}:refs/headwater/{oid}\n")).collect();
        self.run(command, input.as_bytes(), FETCHING, "fetch commits").map(drop)
    }

    /// Brings files by their object ids, in one request; gives those that the host does
    /// not have, without which it is asked again.
    ///
    /// # Errors
    /// [`CrawlError::Remote`].
    pub(super) fn fetch_files(
        &self,
        objects: &ObjectStore,
        blobs: &[Oid],
    ) -> Result<Vec<Oid>, CrawlError> {
        let _held = hold(objects.dir())?;
        let mut wanted = blobs.to_vec();
        let mut lacking = Vec::new();
        while !wanted.is_empty() {
            let command = || {
                let mut command = self.fetch(objects);
                // Nothing is offered: of the commits that are there, the host would take
                // the files to be there too, and send none.
                command.args(["-c", "fetch.negotiationAlgorithm=noop"]);
                command.args(FETCH).args(["--filter=blob:none", "--stdin", NAME]);
                command
            };
            let input: String = wanted.iter().map(|oid| format!("{oid}\n")).collect();
            match self.run(command, input.as_bytes(), FETCHING, "fetch files") {
                Ok(_) => break,
                Err(CrawlError::Remote { why, .. }) if lacking.len() < MOST_LACKING => {
                    let Some(absent) = not_there(&why).filter(|oid| wanted.contains(oid)) else {
                        return Err(CrawlError::Remote {
                            url: self.url.clone(),
                            what: "fetch files",
                            why,
                        });
                    };
                    wanted.retain(|oid| *oid != absent);
                    lacking.push(absent);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(lacking)
    }

    /// Brings all of the branch and every tag, with files.
    ///
    /// # Errors
    /// [`CrawlError::Remote`].
    pub(super) fn fetch_all(&self, dir: &Path, branch: &str) -> Result<(), CrawlError> {
        let command = || {
            let mut command = git::git(dir);
            self.configure(&mut command);
            command.args(FETCH).args(["--prune", NAME]);
            command.arg(format!("+refs/heads/{branch}:refs/heads/{branch}"));
            command.arg("+refs/tags/*:refs/tags/*");
            command
        };
        let _held = hold(dir)?;
        self.run(command, &[], FETCHING, "fetch history").map(drop)
    }

    fn fetch(&self, objects: &ObjectStore) -> Command {
        let mut command = git::git(objects.dir());
        // Objects that are not there are promised by this remote: else git takes the
        // store for a broken one.
        self.configure(&mut command);
        command.args(["-c", "remote.upstream.promisor=true"]);
        command.args(["-c", "remote.upstream.partialclonefilter=blob:none"]);
        command
    }

    /// Git's settings for this remote: they stand on the command line alone, so that a
    /// later command that only reads can never fetch.
    fn configure(&self, command: &mut Command) {
        let scheme = self.url.split(':').next().unwrap_or("https");
        command.env("GIT_ALLOW_PROTOCOL", scheme);
        let url = format!("remote.{NAME}.url={}", self.url);
        for setting in [
            url.as_str(),
            "protocol.version=2",
            "http.followRedirects=initial",
            "http.lowSpeedLimit=1",
            "http.lowSpeedTime=60",
            "credential.helper=",
            "core.askPass=",
            "gc.auto=0",
            "maintenance.auto=false",
            "fetch.fsckObjects=true",
            "fetch.writeCommitGraph=false",
            // What old histories hold, and what harms nobody who never checks them out.
            "fetch.fsck.zeroPaddedFilemode=ignore",
            "fetch.fsck.missingSpaceBeforeDate=ignore",
            "fetch.fsck.badTimezone=ignore",
        ] {
            command.args(["-c", setting]);
        }
    }

    /// Runs git, and again where that may help: what came is kept in neither case.
    fn run(
        &self,
        command: impl Fn() -> Command,
        input: &[u8],
        limit: Duration,
        what: &'static str,
    ) -> Result<Vec<u8>, CrawlError> {
        let mut pause = FIRST_PAUSE;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.run_once(command(), input, limit, what) {
                Err(CrawlError::Remote { why, .. }) if tried < ATTEMPTS && may_pass(&why) => {
                    std::thread::sleep(pause);
                    pause *= 3;
                }
                done => return done,
            }
        }
    }

    /// Runs git until it ends or its time is over.
    fn run_once(
        &self,
        mut command: Command,
        input: &[u8],
        limit: Duration,
        what: &'static str,
    ) -> Result<Vec<u8>, CrawlError> {
        let failed = |why: String| CrawlError::Remote { url: self.url.clone(), what, why };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(GitError::Start)?;
        let (Some(mut stdin), Some(stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(CrawlError::Died);
        };
        std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            let output = scope.spawn(move || {
                let mut printed = Vec::new();
                let whole = stdout.take(MOST_REFS + 1).read_to_end(&mut printed).is_ok();
                (whole && printed.len() as u64 <= MOST_REFS).then_some(printed)
            });
            let said = scope.spawn(move || {
                let mut text = Vec::new();
                let _ = stderr.read_to_end(&mut text);
                text
            });
            let started = Instant::now();
            let mut pause = Duration::from_millis(2);
            let status = loop {
                match child.try_wait().map_err(GitError::Start)? {
                    Some(status) => break Some(status),
                    None if started.elapsed() > limit => {
                        let _ = child.kill();
                        let _ = child.wait();
                        break None;
                    }
                    None => std::thread::sleep(pause),
                }
                pause = (pause * 2).min(Duration::from_millis(50));
            };
            let printed = output.join().unwrap_or_default();
            let said = said.join().unwrap_or_default();
            match (status, printed) {
                (None, _) => Err(failed(format!("it took longer than {} s", limit.as_secs()))),
                (Some(status), _) if !status.success() => Err(failed(git::last_lines(&said))),
                (Some(_), None) => Err(failed("it answered without end".to_owned())),
                (Some(_), Some(printed)) => Ok(printed),
            }
        })
    }
}

/// Keeps other processes of ours from fetching into a repository, as long as the file
/// lives, and clears what a git which was killed left there.
pub(crate) fn hold(dir: &Path) -> Result<File, CrawlError> {
    let path = dir.join("headwater-fetch");
    let io = |source| CrawlError::Store(StoreError::Io { path: path.clone(), source });
    let file = File::create(&path).map_err(io)?;
    file.lock().map_err(io)?;
    break_stale_locks(dir)?;
    Ok(file)
}

/// Takes away the locks that a git which was killed left in headwater's own repository;
/// one that is still at work gets the time to end.
fn break_stale_locks(dir: &Path) -> Result<(), CrawlError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| CrawlError::Store(StoreError::Io { path, source })
    };
    let mut folders = vec![dir.to_owned(), dir.join("refs")];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(io(&folder)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(io(&folder))?;
            let path = entry.path();
            if folder != *dir && entry.file_type().map_err(io(&path))?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "lock") {
                while age(&path).is_some_and(|age| age < STALE) {
                    std::thread::sleep(Duration::from_millis(100));
                }
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(io(&path)(error));
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// How long ago a file was written; none where it is gone.
fn age(path: &Path) -> Option<Duration> {
    let written = std::fs::metadata(path).and_then(|meta| meta.modified()).ok()?;
    Some(written.elapsed().unwrap_or_default())
}

/// The object that a host says it does not have.
fn not_there(why: &str) -> Option<Oid> {
    let (_, rest) = why.split_once("not our ref ")?;
    rest.get(..40)?.parse().ok()
}

/// Whether a failure that git tells may pass: not one that the host means.
fn may_pass(why: &str) -> bool {
    // A port may have the digits of a status.
    let meant =
        ["not found", "error: 403", "error: 401", "Authentication", "not our ref", "longer than"];
    !meant.iter().any(|word| why.contains(word))
}

const FETCH: [&str; 5] =
    ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];

#[cfg(test)]
mod tests {
    use super::may_pass;

    #[test]
    fn a_port_is_no_status() {
        let at = "fatal: unable to access 'http://127.0.0.1:40171/o/r.git/': ";
        assert!(may_pass(&format!("{at}Recv failure: Connection reset by peer")));
        assert!(may_pass(&format!("{at}The requested URL returned error: 502")));
        assert!(!may_pass(&format!("{at}The requested URL returned error: 401")));
    }
}
