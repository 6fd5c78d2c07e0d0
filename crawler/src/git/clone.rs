//! The user's clone: where it lies and which refs it has.

use std::path::{Path, PathBuf};
use std::process::Command;

use chrono::Utc;
use headwater_store::git;
use headwater_store::model::{Tag, TagObservation};
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, StoreError};

use crate::CrawlError;
use crate::transport::{Brought, Refs, Transport, Wanted};

/// A bare or ordinary clone of an upstream.
#[derive(Debug, Clone)]
pub struct Clone {
    git_dir: PathBuf,
    upstream: String,
}

impl Clone {
    /// Finds the git directory of the clone at `dir`.
    ///
    /// # Errors
    /// [`CrawlError::NotARepository`].
    pub fn open(dir: &Path, upstream: &Upstream) -> Result<Self, CrawlError> {
        let not_a_repository = |why: String| CrawlError::NotARepository {
            dir: dir.to_owned(),
            upstream: upstream.name.clone(),
            why,
        };
        if !dir.is_dir() {
            return Err(not_a_repository("there is no such directory".to_owned()));
        }
        let mut command = Command::new("git");
        command.arg("-C").arg(dir).args([
            "rev-parse",
            "--path-format=absolute",
            "--git-common-dir",
        ]);
        git::isolate(&mut command);
        let printed = git::finish(command, dir, "rev-parse").map_err(|error| match error {
            git::GitError::Failed { message, .. } => not_a_repository(message),
            other => other.into(),
        })?;
        let git_dir = PathBuf::from(String::from_utf8_lossy(&printed).trim_end());
        Ok(Clone { git_dir, upstream: upstream.name.clone() })
    }

    /// The git directory.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Its directory of objects.
    pub fn objects_dir(&self) -> PathBuf {
        self.git_dir.join("objects")
    }

    /// Where its history was cut, if it is shallow.
    pub fn shallow_file(&self) -> Option<PathBuf> {
        Some(self.git_dir.join("shallow")).filter(|path| path.exists())
    }

    /// The head of the upstream's branch: as last fetched from upstream where the clone
    /// tells, else as the clone's own branch.
    ///
    /// # Errors
    /// [`CrawlError::NoBranch`].
    pub fn branch_head(&self, branch: &str) -> Result<Oid, CrawlError> {
        let remote = format!("refs/remotes/origin/{branch}");
        let local = format!("refs/heads/{branch}");
        let printed = git::output(
            &self.git_dir,
            &["for-each-ref", "--format=%(refname) %(objectname)", &remote, &local],
        )?;
        let text = String::from_utf8_lossy(&printed);
        let find = |name: &str| -> Option<Oid> {
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
        };
        find(&remote).or_else(|| find(&local)).ok_or_else(|| CrawlError::NoBranch {
            dir: self.git_dir.clone(),
            branch: branch.to_owned(),
        })
    }

    /// Its tags, annotated ones peeled. Objects are not looked at, which with thousands of
    /// tags takes longer than all the rest of a crawl with nothing new.
    ///
    /// # Errors
    /// Those of git.
    pub fn tags(&self) -> Result<Vec<TagObservation>, CrawlError> {
        let mut command = git::git(&self.git_dir);
        command.args(["show-ref", "--tags", "--dereference"]);
        let output = command.output().map_err(git::GitError::Start)?;
        // Status 1 without a word says that there are no tags.
        if !output.status.success() && !output.stderr.is_empty() {
            return Err(git::GitError::Failed {
                what: "show-ref".to_owned(),
                dir: self.git_dir.clone(),
                message: git::last_lines(&output.stderr),
            }
            .into());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(peeled(text.lines().filter_map(|line| line.split_once(" refs/tags/"))))
    }

    /// Whether it has any of these objects.
    ///
    /// # Errors
    /// Those of git.
    pub fn has_any(&self, oids: impl Iterator<Item = Oid>) -> Result<bool, CrawlError> {
        let input: String = oids.map(|oid| format!("{oid}\n")).collect();
        let args = ["cat-file", "--batch-check=%(objecttype)"];
        let printed = git::output_with_input(&self.git_dir, &args, input.into_bytes())?;
        Ok(String::from_utf8_lossy(&printed).lines().any(|line| line == "commit"))
    }

    /// The commit that a window's end names: a tag, a branch or an object id. A tag wins
    /// over an abbreviated id, since `b8179` can be both.
    ///
    /// # Errors
    /// [`CrawlError::NoRevision`].
    pub fn resolve(&self, name: &str) -> Result<Oid, CrawlError> {
        let candidates =
            [format!("refs/tags/{name}"), format!("refs/remotes/origin/{name}"), name.to_owned()];
        let usable = !name.starts_with('-') && !name.contains(char::is_whitespace);
        for candidate in candidates.iter().filter(|_| usable) {
            let spec = format!("{candidate}^{{commit}}");
            let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &spec];
            if let Ok(printed) = git::output(&self.git_dir, &args)
                && let Ok(oid) = String::from_utf8_lossy(&printed).trim().parse()
            {
                return Ok(oid);
            }
        }
        Err(CrawlError::NoRevision {
            dir: self.git_dir.clone(),
            name: name.to_owned(),
            nearest: String::new(),
        })
    }

    /// The upstream that it is a clone of.
    pub fn upstream(&self) -> &str {
        &self.upstream
    }
}

impl Transport for Clone {
    fn name(&self) -> &'static str {
        "git"
    }

    fn place(&self) -> String {
        self.git_dir.display().to_string()
    }

    fn refs(&self, upstream: &Upstream, _ends: Option<[&str; 2]>) -> Result<Refs, CrawlError> {
        let branch = Some(self.branch_head(&upstream.branch)?);
        Ok(Refs { branch, tags: self.tags()?, all: true })
    }

    /// Its objects are borrowed, never copied.
    fn history(&self, objects: &ObjectStore, _wanted: &Wanted<'_>) -> Result<Brought, CrawlError> {
        objects.borrow_from(&self.objects_dir())?;
        // A shallow clone's history ends where it says; the object store must know.
        let own = objects.dir().join("shallow");
        let shared = match self.shallow_file() {
            Some(file) => std::fs::copy(file, &own).map(drop),
            None if own.exists() => std::fs::remove_file(&own),
            None => Ok(()),
        };
        let io = |source| CrawlError::Store(StoreError::Io { path: own, source });
        shared.map(|()| Brought::default()).map_err(io)
    }

    /// What it lacks is found when it is read.
    fn files(&self, _objects: &ObjectStore, _blobs: &[Oid]) -> Result<Vec<Oid>, CrawlError> {
        Ok(Vec::new())
    }
}

/// Tags out of pairs of an object id and a name, as git lists them: what an annotated tag
/// names comes after it, with `^{}` at the name's end.
pub(super) fn peeled<'l>(listed: impl Iterator<Item = (&'l str, &'l str)>) -> Vec<TagObservation> {
    let observed = Utc::now();
    let mut tags: Vec<Tag> = Vec::new();
    for (oid, name) in listed {
        let Ok(oid) = oid.parse::<Oid>() else { continue };
        match (name.strip_suffix("^{}"), tags.last_mut()) {
            (Some(peeled), Some(tag)) if tag.name == peeled => {
                tag.object = Some(tag.commit);
                tag.commit = oid;
            }
            _ => tags.push(Tag { name: name.to_owned(), commit: oid, object: None }),
        }
    }
    let seen = |tag: Tag| TagObservation { name: tag.name.clone(), tag: Some(tag), observed };
    tags.into_iter().map(seen).collect()
}
