//! Asking a program of the machine, for a bounded time and a bounded answer.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;

/// More of an answer is not read.
const MOST: u64 = 256 << 10;
/// How often it is asked whether a program has ended.
const PAUSE: Duration = Duration::from_millis(20);

/// What the first of these programs that is there prints.
pub(super) fn first(
    programs: &[String],
    args: &[&str],
    patience: Duration,
) -> Result<String, String> {
    let mut missing = String::new();
    for program in programs {
        match ask(program, args, patience) {
            Err(Failure::Missing(why)) if missing.is_empty() => missing = why,
            Err(Failure::Missing(_)) => {}
            Err(Failure::Failed(why)) => return Err(why),
            Ok(text) => return Ok(text),
        }
    }
    Err(missing)
}

enum Failure {
    Missing(String),
    Failed(String),
}

fn ask(program: &str, args: &[&str], patience: Duration) -> Result<String, Failure> {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_owned();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::Missing(format!("{name} is not there")),
            _ => Failure::Failed(format!("{name} cannot be run: {error}")),
        })?;
    let until = Instant::now() + patience;
    let (sender, receiver) = crossbeam_channel::bounded(1);
    if let Some(stdout) = child.stdout.take() {
        // It outlives this call where a child of the child holds the pipe.
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(MOST).read_to_end(&mut bytes);
            let _ = sender.send(read.map(|_| bytes));
        });
    }
    let answer = receiver.recv_deadline(until);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if answer.is_ok() && Instant::now() < until => std::thread::sleep(PAUSE),
            _ => break None,
        }
    };
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
    }
    match (answer, status) {
        (Ok(Ok(bytes)), Some(status)) if status.success() => {
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        (Ok(Ok(_)), Some(status)) => Err(Failure::Failed(format!("{name} failed ({status})"))),
        (Ok(Err(error)), _) => Err(Failure::Failed(format!("{name} cannot be read: {error}"))),
        (Err(RecvTimeoutError::Timeout), _) | (Ok(Ok(_)), None) => Err(Failure::Failed(format!(
            "{name} did not answer within {} seconds",
            patience.as_secs()
        ))),
        (Err(RecvTimeoutError::Disconnected), _) => {
            Err(Failure::Failed(format!("{name} printed nothing")))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str, patience: Duration) -> Result<String, String> {
        first(&["/bin/sh".to_owned()], &["-c", script], patience)
    }

    #[test]
    fn a_program_is_asked_within_bounds() {
        let long = Duration::from_secs(60);
        assert_eq!(sh("echo yes", long).unwrap(), "yes\n");
        assert!(sh("echo no; exit 9", long).unwrap_err().contains("sh failed"));
        let nobody = ["/nowhere/nvcc".to_owned(), "/bin/echo".to_owned()];
        assert_eq!(first(&nobody, &["x"], long).unwrap(), "x\n");
        assert_eq!(first(&nobody[..1], &[], long).unwrap_err(), "nvcc is not there");
        let short = Duration::from_millis(200);
        assert!(sh("sleep 30", short).unwrap_err().contains("did not answer"));
        // One that never stops is cut off, and its pipe broken.
        let endless = sh("while :; do echo aaaaaaaaaaaaaaaaaaaaaaaa; done", long);
        assert!(endless.is_err(), "{endless:?}");
    }
}
