//! A miniature on disk: a bare repository that grew from a [`History`].

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{DemoError, History};

/// A bare repository, its history, and the ids of its commits by name.
#[derive(Debug)]
pub struct Repository {
    path: PathBuf,
    marks: PathBuf,
    history: History,
    shas: BTreeMap<String, String>,
}

impl AsRef<Path> for Repository {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl Repository {
    /// Makes `dir/name` and imports the history.
    ///
    /// # Errors
    /// A history that contradicts itself, a directory that cannot be written, or git.
    pub fn create(dir: &Path, name: &str, history: History) -> Result<Self, DemoError> {
        let path = dir.join(name);
        std::fs::create_dir_all(&path)
            .map_err(|source| DemoError::Write { path: path.clone(), source })?;
        let branch = format!("--initial-branch={}", history.branch());
        git(&path, &["init", "--quiet", "--bare", "--template=", &branch], &[])?;
        let marks = dir.join(format!("{name}.marks"));
        let mut made = Repository { path, marks, history, shas: BTreeMap::new() };
        made.import()?;
        Ok(made)
    }

    /// Writes more of the history, as upstream goes on: commits, tags, and where the
    /// default branch ends (`branch_here`).
    ///
    /// # Errors
    /// As [`Repository::create`].
    pub fn append(&mut self, write: impl FnOnce(&mut History)) -> Result<(), DemoError> {
        write(&mut self.history);
        self.import()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The full id of the commit of this name.
    pub fn sha(&self, name: &str) -> Option<&str> {
        self.shas.get(name).map(String::as_str)
    }

    /// All names of commits with their ids.
    pub fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.shas.iter().map(|(name, sha)| (name.as_str(), sha.as_str()))
    }

    /// What git prints for these arguments, trimmed at the end.
    ///
    /// # Errors
    /// When git cannot be run, or fails.
    pub fn git(&self, args: &[&str]) -> Result<String, DemoError> {
        let out = git(&self.path, args, &[])?;
        Ok(String::from_utf8_lossy(&out).trim_end().to_owned())
    }

    /// Takes an object away, as a damaged clone lacks one; gives its id. `revision`
    /// is anything that names it, such as `v0.6.2:README.md`.
    ///
    /// # Errors
    /// When there is no such object, or git fails.
    pub fn lose(&self, revision: &str) -> Result<String, DemoError> {
        let id = self.git(&["rev-parse", "--verify", "--end-of-options", revision])?;
        let write = |path: &Path, source| DemoError::Write { path: path.to_owned(), source };
        let packs = self.path.join("objects/pack");
        let entries = std::fs::read_dir(&packs).map_err(|e| write(&packs, e))?;
        for entry in entries {
            let file = entry.map_err(|e| write(&packs, e))?.path();
            if file.extension().is_some_and(|ext| ext == "pack") {
                // Objects that are in a pack are not unpacked beside it.
                let data = std::fs::read(&file).map_err(|e| write(&file, e))?;
                for part in ["pack", "idx", "rev"] {
                    let part = file.with_extension(part);
                    if part.exists() {
                        std::fs::remove_file(&part).map_err(|e| write(&part, e))?;
                    }
                }
                git(&self.path, &["unpack-objects", "-q"], &data)?;
            }
        }
        let (folder, file) = id.split_at(2);
        let loose = self.path.join("objects").join(folder).join(file);
        std::fs::remove_file(&loose).map_err(|e| write(&loose, e))?;
        Ok(id)
    }

    fn import(&mut self) -> Result<(), DemoError> {
        let stream = self.history.render()?;
        let marks = self.marks.display();
        let (old, new) =
            (format!("--import-marks-if-exists={marks}"), format!("--export-marks={marks}"));
        let args = ["fast-import", "--quiet", "--force", "--done"];
        git(&self.path, &[&args[..], &[&old, &new]].concat(), &stream)?;
        let text = std::fs::read_to_string(&self.marks)
            .map_err(|source| DemoError::Write { path: self.marks.clone(), source })?;
        let by_mark: BTreeMap<&str, &str> =
            text.lines().filter_map(|line| line.strip_prefix(':')?.split_once(' ')).collect();
        for (name, mark) in self.history.marks() {
            if let Some(sha) = by_mark.get(mark.to_string().as_str()) {
                self.shas.insert(name.to_owned(), (*sha).to_owned());
            }
        }
        Ok(())
    }
}

/// Runs git in a bare repository, free of the user's configuration and environment.
fn git(repository: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, DemoError> {
    let command = || args.first().copied().unwrap_or_default().to_owned();
    let start = |source| DemoError::Start { command: command(), source };
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            git.env_remove(name);
        }
    }
    let mut child = git
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_DIR", ".")
        .env("LC_ALL", "C")
        .current_dir(repository)
        .args(["-c", "fastimport.unpackLimit=0"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    // The stream is small next to what git prints before it has read it all: nothing.
    let sent = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(input));
    let done = child.wait_with_output().map_err(start)?;
    if !done.status.success() {
        let message = String::from_utf8_lossy(&done.stderr).trim().to_owned();
        return Err(DemoError::Git { command: command(), message });
    }
    sent.map_err(start)?;
    Ok(done.stdout)
}
