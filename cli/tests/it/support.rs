//! A place to run headwater in.

use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use headwater_demo::Demo;
use serde_json::Value;

/// The miniature upstreams, a store, and a home of its own.
pub struct Place {
    pub dir: tempfile::TempDir,
    pub demo: Demo,
}

impl Place {
    /// Upstreams, and no store yet.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let demo = headwater_demo::build(&dir.path().join("upstreams")).unwrap();
        Place { dir, demo }
    }

    /// Upstreams, both crawled.
    pub fn crawled() -> Self {
        let place = Place::new();
        place.crawl();
        place
    }

    pub fn crawl(&self) {
        for (name, repository) in
            [("ollama", &self.demo.ollama), ("llama.cpp", &self.demo.llama_cpp)]
        {
            self.ok(&["crawl", name, "--from-git", &repository.path().display().to_string()]);
        }
    }

    pub fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    /// A command on the default store.
    pub fn command(&self, args: &[&str]) -> Command {
        self.command_on(&self.store(), args)
    }

    pub fn command_on(&self, store: &Path, args: &[&str]) -> Command {
        let mut command = headwater(&self.dir.path().join("home"), store, args);
        command
            // Nobody is there: what a test asks of a host, it starts itself.
            .env("HEADWATER_GITHUB_API_URL", "http://127.0.0.1:1")
            .env("HEADWATER_GITHUB_WEB_URL", "http://127.0.0.1:1");
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().unwrap();
        keep(&output.stdout);
        output
    }

    /// Runs, expects status 0, and gives standard output.
    pub fn ok(&self, args: &[&str]) -> String {
        succeeded(args, self.run(args))
    }

    /// As [`Self::ok`], as JSON.
    pub fn json(&self, args: &[&str]) -> Value {
        let mut all = args.to_vec();
        all.extend(["--format", "json"]);
        serde_json::from_str(&self.ok(&all)).unwrap()
    }

    /// Runs, expects status 2, and gives the one line on standard error.
    pub fn error(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(line.trim_end().lines().count(), 1, "{line}");
        line
    }

    pub fn ollama(&self, name: &str) -> String {
        self.demo.ollama.sha(name).unwrap().to_owned()
    }

    pub fn llama_cpp(&self, name: &str) -> String {
        self.demo.llama_cpp.sha(name).unwrap().to_owned()
    }
}

/// A command with a home and a store of its own, and nothing else of the environment.
pub fn headwater(home: &Path, store: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_headwater"));
    command
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("HEADWATER_STORE", store);
    command
}

/// Keeps a document that a command printed, where `HEADWATER_TEST_DOCUMENTS` names a
/// directory: `clients/documents.py` holds them all against the schemas.
pub fn keep(stdout: &[u8]) {
    let Some(dir) = std::env::var_os("HEADWATER_TEST_DOCUMENTS") else { return };
    // A stream names its schema in its last line.
    let last = stdout.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let (document, ending) = match serde_json::from_slice::<Value>(stdout) {
        Ok(document) => (document, "json"),
        Err(_) => match serde_json::from_slice::<Value>(last) {
            Ok(last) => (last, "ndjson"),
            Err(_) => return,
        },
    };
    let Some(name) = document["schema"].as_str() else { return };
    let mut hash = std::hash::DefaultHasher::new();
    stdout.hash(&mut hash);
    let file = format!("{}-{:016x}.{ending}", name.replace('/', "-"), hash.finish());
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(Path::new(&dir).join(file), stdout).unwrap();
}

/// What a command that must have ended well printed.
pub fn succeeded(args: &[&str], output: Output) -> String {
    keep(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {} {stderr}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The canonical dump of a store.
pub fn dump(store: &Path) -> String {
    let mut out = Vec::new();
    headwater_store::Store::open(store).unwrap().dump(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}
