//! Running git in a way that no configuration of the user's can change.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Git could not be run, or failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git is not to be run at all.
    #[error("cannot run git: {0}; headwater needs git 2.30 or later on PATH")]
    Start(std::io::Error),
    /// Git ended with an error.
    #[error("git {what} failed in {dir}: {message}")]
    Failed {
        /// The command, in short.
        what: String,
        /// Where it ran.
        dir: PathBuf,
        /// The last lines that git printed on standard error.
        message: String,
    },
    /// Git printed what it never should.
    #[error("git {what} printed what headwater cannot read: {detail}")]
    Unreadable {
        /// The command, in short.
        what: String,
        /// What was wrong.
        detail: String,
    },
}

/// A git command in `git_dir`, with the user's and the system's configuration, replace
/// refs of other repositories, prompts and lazy fetches switched off.
pub fn git(git_dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(git_dir);
    isolate(&mut command);
    command
}

/// Switches off what would make git's answers depend on the user's set-up.
pub fn isolate(command: &mut Command) {
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_ATTR_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        // Nothing is fetched unless a command says from where, whatever git finds missing.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env_remove("GIT_OBJECT_DIRECTORY")
        .env_remove("GIT_ALTERNATE_OBJECT_DIRECTORIES")
        .env_remove("GIT_EXTERNAL_DIFF")
        .env_remove("GIT_DIFF_OPTS")
        .env_remove("GIT_NO_REPLACE_OBJECTS")
        .env_remove("GIT_TRACE")
        .env_remove("GIT_CONFIG_PARAMETERS")
        .env_remove("GIT_CONFIG_COUNT")
        .stdin(Stdio::null());
}

/// Runs git in `git_dir` with `args` and returns what it printed.
///
/// # Errors
/// Where it cannot be started, or ends with a status other than 0.
pub fn output<S: AsRef<OsStr>>(git_dir: &Path, args: &[S]) -> Result<Vec<u8>, GitError> {
    let mut command = git(git_dir);
    command.args(args);
    finish(command, git_dir, &describe(args))
}

/// Runs git in `git_dir` with `input` on its standard input.
///
/// # Errors
/// As [`output`].
pub fn output_with_input<S: AsRef<OsStr>>(
    git_dir: &Path,
    args: &[S],
    input: Vec<u8>,
) -> Result<Vec<u8>, GitError> {
    let mut command = git(git_dir);
    command.args(args);
    finish_with_input(command, git_dir, &describe(args), input)
}

/// Runs a prepared command with `input` on its standard input and checks its status.
///
/// # Errors
/// As [`output`].
pub fn finish_with_input(
    mut command: Command,
    dir: &Path,
    what: &str,
    input: Vec<u8>,
) -> Result<Vec<u8>, GitError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(GitError::Start)?;
    // Written from a thread of its own: git may answer before it has read everything.
    let stdin = child.stdin.take();
    let writer = std::thread::spawn(move || {
        use std::io::Write as _;
        stdin.map_or(Ok(()), |mut pipe| pipe.write_all(&input))
    });
    let output = child.wait_with_output().map_err(GitError::Start)?;
    drop(writer.join());
    checked(output, dir, what)
}

/// Runs a prepared command to its end and checks its status.
///
/// # Errors
/// As [`output`].
pub fn finish(mut command: Command, dir: &Path, what: &str) -> Result<Vec<u8>, GitError> {
    checked(command.output().map_err(GitError::Start)?, dir, what)
}

fn checked(output: std::process::Output, dir: &Path, what: &str) -> Result<Vec<u8>, GitError> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(GitError::Failed {
        what: what.to_owned(),
        dir: dir.to_owned(),
        message: last_lines(&output.stderr),
    })
}

/// The end of what git said, on one line and without control characters.
pub fn last_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    let joined = lines.into_iter().rev().collect::<Vec<_>>().join("; ");
    joined.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn describe<S: AsRef<OsStr>>(args: &[S]) -> String {
    args.first().map_or_else(String::new, |arg| arg.as_ref().to_string_lossy().into_owned())
}
