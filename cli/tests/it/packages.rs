//! What packages ship beside the program, and what the GitHub action runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::support::Place;

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging")
}

/// The commands that help lists, by their words ("rig", "rig init").
fn commands(place: &Place, above: &[&str]) -> Vec<String> {
    let help = place.ok(&[above, &["--help"]].concat());
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let mut all = Vec::new();
    for name in names.filter_map(|line| line.split_whitespace().next()) {
        if name != "help" {
            let words = [above, &[name]].concat();
            all.push(words.join(" "));
            all.extend(commands(place, &words));
        }
    }
    all
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let place = Place::new();
    let all = commands(&place, &[]);
    assert!(all.len() > 30 && all.contains(&"rig init".to_owned()), "{all:?}");
    let dir = place.dir.path().join("man");
    place.ok(&["man", &dir.display().to_string()]);
    let pages: BTreeSet<String> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    let mut wanted: BTreeSet<String> =
        all.iter().map(|words| format!("headwater-{}.1", words.replace(' ', "-"))).collect();
    wanted.insert("headwater.1".to_owned());
    assert_eq!(pages, wanted);
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let digest = read("headwater-digest.1");
    assert!(digest.contains("headwater 0.1.0") && digest.contains("[OPTIONS]"), "{digest}");
    // Its own options come before those of every command, and examples keep their columns.
    let at = |words: &str| digest.find(words).unwrap_or_else(|| panic!("{words} in {digest}"));
    assert!(at("\\-\\-since\\-last\\fR\n") < at("\\-\\-store\\fR"), "{digest}");
    assert!(at(".nf\n") < at("  headwater digest"), "{digest}");
    let root = read("headwater.1");
    for section in ["ENVIRONMENT", "FILES", "Exit status: 0 done", "headwater\\-why(1)"] {
        assert!(root.contains(section), "{section}");
    }
    assert!(root.contains("HEADWATER_STORE") && !root.contains("rank\\-check"), "{root}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let text = place.ok(&["completions", shell]);
        for words in &all {
            let name = words.split(' ').next_back().unwrap();
            assert!(text.contains(name), "{words} for {shell}");
        }
        assert!(text.contains("since-last") && !text.contains("rank-check"), "{shell}");
    }
}

/// Inputs may hold anything: they are values of the environment and never part of a script.
#[test]
fn no_input_of_the_action_stands_in_a_script() {
    let action = std::fs::read_to_string(packaging().join("../action.yml")).unwrap();
    let mut seen = 0;
    for line in action.lines().filter(|line| line.contains("${{")) {
        let key = line.trim().split(": ").next().unwrap();
        let named = key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        assert!(named && !key.is_empty() && key != "run", "{line}");
        seen += 1;
    }
    assert!(seen > 10, "{action}");
}

/// The scripts as the action runs them, against the miniature hosts.
#[cfg(unix)]
#[test]
fn the_action_tells_what_moved_and_fails_as_it_was_asked() {
    use std::process::Command;

    let hosts = super::live::Place::new();
    let at = |name: &str| hosts.dir.path().join(name);
    let run = |script: &str, own: &[(&str, &str)]| {
        for file in ["output", "summary"] {
            std::fs::write(at(file), "").unwrap();
        }
        let mut command = Command::new("bash");
        for (name, value) in hosts.command_on("store", &[]).get_envs() {
            command.env(name, value.unwrap());
        }
        let output = command
            .arg(packaging().join("github").join(script))
            .current_dir(hosts.dir.path())
            .env("HEADWATER", env!("CARGO_BIN_EXE_headwater"))
            .env("GITHUB_OUTPUT", at("output"))
            .env("GITHUB_STEP_SUMMARY", at("summary"))
            .env("OUT", at("out"))
            .env("INTO", at("into"))
            .envs(own.iter().copied())
            .output()
            .unwrap();
        let mut told = String::from_utf8(output.stdout).unwrap();
        told.push_str(&String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap(), told)
    };
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    let output = |name: &str| {
        let all = read("output");
        let line = all.lines().find(|line| line.starts_with(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("{name} in {all}"))[name.len() + 1..].to_owned()
    };
    // What is given is data.
    for (name, bad) in
        [("UPSTREAMS", "ollama $(touch owned)"), ("FORMAT", "md; touch owned"), ("BRIEF", "yes")]
    {
        let (status, told) = run("look", &[(name, bad)]);
        assert_eq!(status, 2, "{told}");
        assert!(told.contains("::error::") && read("output").is_empty(), "{told}");
    }
    let (_, told) = run("look", &[("WEEK", "$(touch owned)"), ("UPSTREAMS", "ollama")]);
    assert_eq!(output("status"), "2", "{told}");
    assert!(!at("owned").exists());
    // A first run takes all of history, a later one what is new.
    let week = [("WEEK", "2026-W10"), ("FORMAT", "html")];
    let (status, told) = run("look", &week);
    assert_eq!((status, output("status").as_str(), output("moved").as_str()), (0, "0", "2"));
    assert!(told.contains("$ clone llama.cpp") && told.contains("$ crawl ollama\n"), "{told}");
    assert!(std::fs::read_to_string(output("digest")).unwrap().contains("<html"));
    assert!(output("headline").starts_with("2026-W10: 2 defaults moved"));
    assert!(read("summary").contains("ollama repeat\\_penalty: 1.1 → 1.0"));
    // Then the host is away: what is stored still answers, and that a step failed is told.
    hosts.kit.fault(headwater_testkit::Rule::new(
        headwater_testkit::Host::Web,
        headwater_testkit::Fault::Status(503),
    ));
    let (status, told) = run("look", &week);
    assert_eq!((status, output("status").as_str(), output("moved").as_str()), (0, "2", "2"));
    assert!(told.contains("headwater crawl ended with 2"), "{told}");
    assert!(read("summary").contains("A step ended with status 2"));
    let moved = [("MOVED", "2"), ("HEADLINE", "two"), ("STATUS", "0")];
    let verdict = |more: (&'static str, &'static str)| {
        let own = [&moved[..], &[more]].concat();
        run("verdict", &own).0
    };
    assert_eq!(verdict(("FAIL_ON_MOVED", "false")), 0);
    assert_eq!(verdict(("FAIL_ON_MOVED", "true")), 1);
    assert_eq!((verdict(("STATUS", "2")), verdict(("STATUS", "3"))), (2, 3));
    // A program that is there is taken; a package is taken by its bytes alone.
    let (status, _) = run("install", &[("BINARY", env!("CARGO_BIN_EXE_headwater"))]);
    assert_eq!((status, output("program").as_str()), (0, env!("CARGO_BIN_EXE_headwater")));
    std::fs::write(at("other.deb"), "other").unwrap();
    let package = at("other.deb").display().to_string();
    let other = [("DEB", package.as_str()), ("DEB_SHA256", &"0".repeat(64))];
    let (status, told) = run("install", &other);
    assert!(status == 2 && told.contains("not the one"), "{told}");
}
