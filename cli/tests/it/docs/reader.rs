//! Somebody who reads a page and types what it shows: a home, a store, files, tools, hosts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use headwater_testkit::Testkit;

/// The longest that a command may take.
const LIMIT: Duration = Duration::from_secs(120);
/// What a client says first to `headwater mcp`.
const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","#,
    r#""capabilities":{},"clientInfo":{"name":"reader","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n"
);

/// How a command ended.
pub struct Ended {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// One reader of one page.
pub struct Reader<'a> {
    dir: tempfile::TempDir,
    kit: &'a Testkit,
}

impl<'a> Reader<'a> {
    /// A reader with a home in which the usual things lie, and no store.
    pub fn new(kit: &'a Testkit) -> Self {
        let reader = Reader { dir: tempfile::tempdir().unwrap(), kit };
        let home = reader.home();
        for dir in [
            "src",
            ".zfunc",
            ".config/fish/completions",
            ".local/share/bash-completion/completions",
        ] {
            std::fs::create_dir_all(home.join(dir)).unwrap();
        }
        for (name, clone) in [
            ("ollama", "ollama.git"),
            ("llama.cpp", "llama.cpp.git"),
            ("whisper.cpp.git", "llama.cpp.git"),
        ] {
            link(&kit.dir().unwrap().join(clone), &home.join("src").join(name));
        }
        // The pages name files of theirs from the source's root.
        link(&super::root().join("docs"), &home.join("docs"));
        for (place, text) in [
            (".ollama/logs/server.log", include_str!("files/server.log")),
            (".ollama/lib/cuda_v13/libggml-cuda.so", "backend"),
            ("speeds.csv", include_str!("files/speeds.csv")),
            ("samples.csv", include_str!("files/samples.csv")),
        ] {
            reader.write(place, text);
        }
        reader.tool(
            "journalctl",
            &format!("cat '{}'", home.join(".ollama/logs/server.log").display()),
        );
        reader.tool("nvidia-smi", "echo '580.65.06, NVIDIA GeForce RTX 5090'");
        reader
    }

    /// A reader whose store is a copy of this one.
    pub fn with_store(kit: &'a Testkit, store: &Path) -> Self {
        let reader = Self::new(kit);
        copy(store, &reader.store());
        reader
    }

    pub fn store(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Puts a file into the home.
    pub fn write(&self, place: &str, text: &str) {
        let path = self.home().join(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn tool(&self, name: &str, script: &str) {
        let place = format!("bin/{name}");
        self.write(&place, &format!("#!/bin/sh\n{script}\n"));
        let made = Command::new("chmod").arg("+x").arg(self.home().join(place)).status();
        assert!(made.unwrap().success());
    }

    /// Types a line into a shell. A server is stopped once it serves.
    pub fn types(&self, line: &str) -> Ended {
        let serves = is_command(line, "serve");
        let told = |name: &str| self.dir.path().join(name);
        let file = |name: &str| std::fs::File::create(told(name)).unwrap();
        std::fs::write(told("stdin"), if speaks(line) { HELLO } else { "" }).unwrap();
        let mut command = self.shell(line, serves);
        command
            .stdin(std::fs::File::open(told("stdin")).unwrap())
            .stdout(file("stdout"))
            .stderr(file("stderr"));
        let read = |name: &str| {
            String::from_utf8_lossy(&std::fs::read(told(name)).unwrap_or_default()).into_owned()
        };
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        let mut stopped = false;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if serves && read("stderr").contains("http://") {
                stopped = true;
                child.kill().unwrap();
            }
            assert!(begun.elapsed() < LIMIT, "{line}: still running");
            std::thread::sleep(Duration::from_millis(4));
        };
        let status = status.code().or(stopped.then_some(0));
        Ended { status, stdout: read("stdout"), stderr: read("stderr") }
    }

    fn shell(&self, line: &str, serves: bool) -> Command {
        // `exec`, so that the server itself is stopped and not the shell around it. Several
        // readers may serve at a time, each at a port of its own.
        let listen = if line.contains("--listen") { "" } else { " --listen 127.0.0.1:0" };
        let script = if serves { format!("exec {line}{listen}") } else { line.to_owned() };
        let mut command = Command::new("sh");
        let binary = Path::new(env!("CARGO_BIN_EXE_headwater")).parent().unwrap();
        let own = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{own}", self.home().join("bin").display(), binary.display());
        command
            .args(["-c", &script])
            .current_dir(self.home())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home())
            .env("HEADWATER_STORE", self.store())
            // Where PowerShell keeps completions.
            .env("PROFILE", self.home().join("profile.ps1"))
            .env("OLLAMA_LIBRARY_PATH", self.home().join(".ollama/lib"))
            .envs(self.kit.env())
            .stdin(Stdio::null());
        command
    }
}

/// Whether a line starts the server for agents.
pub fn speaks(line: &str) -> bool {
    is_command(line, "mcp")
}

fn is_command(line: &str, name: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("headwater") && words.next() == Some(name) && !line.contains("--help")
}

/// A store that holds both miniatures, whole, with models and what people wrote.
pub fn whole(kit: &Testkit) -> Reader<'_> {
    let reader = Reader::new(kit);
    for line in [
        "headwater crawl ollama --from-git src/ollama",
        "headwater crawl llama.cpp --from-git src/llama.cpp",
        "headwater crawl ollama --notes",
        "headwater crawl models gemma4:26b qwen3.6:27b",
    ] {
        let ended = reader.types(line);
        assert_eq!(ended.status, Some(0), "{line}: {}", ended.stderr);
    }
    reader
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-R").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

fn link(from: &Path, to: &Path) {
    let done = Command::new("ln").arg("-s").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}
