//! Crawling from hosts: the miniature GitHub with its caps, limits and faults.

use std::process::{Command, Output};
use std::time::Duration;

use headwater_testkit::{Fault, Host, Rule, Testkit};
use serde_json::Value;

use super::support;

pub(crate) const WINDOW: &str = "v0.6.0..v0.6.2";

/// An empty store, and hosts to fill it from.
pub(crate) struct Place {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) kit: Testkit,
}

impl Place {
    pub(crate) fn new() -> Self {
        Place { dir: tempfile::tempdir().unwrap(), kit: Testkit::start().unwrap() }
    }

    pub(crate) fn command_on(&self, store: &str, args: &[&str]) -> Command {
        let home = self.dir.path();
        let mut command = support::headwater(home, &home.join(store), args);
        command.env("HEADWATER_TIMEOUT", "1").envs(self.kit.env());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        let output = self.command_on("store", args).output().unwrap();
        support::keep(&output.stdout);
        output
    }

    pub(crate) fn ok(&self, args: &[&str]) -> String {
        support::succeeded(args, self.run(args))
    }

    /// Runs, expects status 2, and gives the last line on standard error.
    pub(crate) fn error(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        stderr.lines().last().unwrap_or_default().to_owned()
    }

    /// The answer of a store about the window, as of its head.
    pub(crate) fn why(&self, store: &str, extra: &[&str]) -> Value {
        let args = ["why", "ollama", WINDOW, "--model", headwater_demo::MODEL, "--backend", "cuda"];
        let args = [&args[..], &["--as-of", "head", "--format", "json"], extra].concat();
        let output = self.command_on(store, &args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {} {stderr}", output.status);
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A store made from clones of both miniatures.
    pub(crate) fn crawl_clones(&self, store: &str) {
        for (name, dir) in [("ollama", "ollama.git"), ("llama.cpp", "llama.cpp.git")] {
            let dir = self.kit.dir().unwrap().join(dir);
            let dir = dir.display().to_string();
            let made =
                self.command_on(store, &["crawl", name, "--from-git", &dir]).output().unwrap();
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        }
    }

    pub(crate) fn all_requests(&self) -> usize {
        self.kit.log().len()
    }
}

/// An answer without what says where its records came from, and without what lies beside
/// the window, which a store of one window does not hold.
pub(crate) fn without_receipts(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !["receipts", "coverage", "outside"].contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), without_receipts(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Array(all) => all.iter().map(without_receipts).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_fresh_machine_answers_as_one_with_clones() {
    let place = Place::new();
    let fresh = place.why("store", &[]);
    assert!(place.kit.count(Host::Api) <= 6, "{:?}", place.kit.log());
    assert!(place.all_requests() <= 20, "{:?}", place.kit.log());
    place.crawl_clones("whole");
    let whole = place.why("whole", &["--offline"]);
    assert_eq!(without_receipts(&fresh), without_receipts(&whole));
    assert_eq!(fresh["window"]["coverage"]["gaps"], whole["window"]["coverage"]["gaps"]);

    // The same question again asks nobody.
    place.kit.clear_log();
    assert_eq!(place.why("store", &[]), fresh);
    assert_eq!(place.all_requests(), 0);
}

#[test]
fn a_kept_report_lists_what_upstream_counted() {
    let place = Place::new();
    place.why("store", &["--save", "upgrade"]);
    let made = place.command_on("store", &["receipts", "upgrade", "--format", "json"]).output();
    let all: Value = serde_json::from_slice(&made.unwrap().stdout).unwrap();
    let counted: Vec<&Value> = all["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["transport"] == "github-rest")
        .collect();
    assert_eq!(counted.len(), 2, "{all}");
    for line in counted {
        assert!(line["of"].as_str().unwrap().ends_with("as upstream counts it"), "{line}");
        assert!(line["url"].as_str().unwrap().contains("/compare/"), "{line}");
        assert_eq!(line["hash"].as_str().unwrap().len(), "sha256:".len() + 64, "{line}");
    }
}

#[test]
fn a_crawl_with_nothing_new_asks_little_and_only_for_news() {
    let place = Place::new();
    let first = place.ok(&["crawl", "ollama", WINDOW]);
    assert!(first.contains("llama.cpp b21..b34"), "{first}");
    assert!(first.contains("requests to GitHub's API, "), "{first}");
    let before = support::dump(&place.dir.path().join("store"));
    place.kit.clear_log();
    // Without its prefix it is the same window.
    let again = place.ok(&["crawl", "ollama", "0.6.0..0.6.2"]);
    assert!(again.contains("nothing new"), "{again}");
    assert!(place.all_requests() <= 3, "{:?}", place.kit.log());
    assert_eq!(place.kit.count_conditional(Host::Api), place.all_requests());
    assert_eq!(support::dump(&place.dir.path().join("store")), before);
}

#[test]
fn a_window_grows_into_the_whole_and_goes_on() {
    let place = Place::new();
    place.ok(&["crawl", "ollama", WINDOW]);
    let window = place.why("store", &[]);
    place.ok(&["clone", "ollama"]);
    place.ok(&["clone", "llama.cpp"]);
    place.crawl_clones("whole");
    let (own, other) = (place.why("store", &["--offline"]), place.why("whole", &["--offline"]));
    assert_eq!(without_receipts(&own), without_receipts(&other));
    assert_eq!(without_receipts(&own), without_receipts(&window));

    place.kit.with_demo(|demo| {
        demo.ollama
            .append(|history| {
                history.commit("next", "api: warmer", |c| {
                    c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
                });
                history.tag("v0.6.4").branch_here();
            })
            .unwrap();
    });
    let news = place.ok(&["crawl", "ollama"]);
    assert!(news.contains(" 1 new;"), "{news}");
    let found = place.ok(&["grep", "--upstream", "ollama", "--commits", r"Temperature:\s+1\.0"]);
    assert_eq!(found.lines().count(), 1, "{found}");
}

#[test]
fn relative_ends_are_what_is_installed_and_what_is_newest() {
    let place = Place::new();
    place.kit.local(|version, _| *version = "0.6.0".to_owned());
    let asked = |args: &[&str]| {
        let args = [args, &["--format", "json"]].concat();
        let value: Value = serde_json::from_str(&place.ok(&args)).unwrap();
        let end = |name: &str| value["window"][name].as_str().unwrap_or_default().to_owned();
        (end("base"), end("head"))
    };
    let (base, newest) = asked(&["why", "ollama"]);
    assert_eq!(base, "v0.6.0");
    let (previous, latest) = asked(&["why", "ollama", "previous..latest"]);
    assert_eq!(latest, newest);
    assert!(previous < latest && previous >= base, "{previous} {latest}");
    place.kit.local(|version, _| *version = "not a version".to_owned());
    let line = place.error(&["why", "ollama"]);
    assert!(line.contains("name the version"), "{line}");
}

#[test]
fn a_token_is_shown_to_the_api_alone_and_kept_nowhere() {
    let place = Place::new();
    place.kit.allow_token("ghp_notARealOne");
    let mut command = place.command_on("store", &["crawl", "ollama", WINDOW]);
    let output = command.env("GH_TOKEN", "ghp_notARealOne").output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    let secret = b"ghp_notARealOne";
    assert!(!said.windows(secret.len()).any(|part| part == secret));
    for request in place.kit.log() {
        assert_eq!(request.authorization.is_some(), request.host == Host::Api, "{request:?}");
    }
    let mut folders = vec![place.dir.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                assert!(!bytes.windows(secret.len()).any(|part| part == secret), "{path:?}");
            }
        }
    }
    // Nor does it follow a redirect to another host.
    place.kit.clear_log();
    let to = format!("{}/api/version", place.kit.url(Host::Ollama));
    place.kit.fault(Rule::new(Host::Api, Fault::RedirectTo(to)));
    let mut command = place.command_on("other", &["crawl", "ollama", WINDOW]);
    command.env("GH_TOKEN", "ghp_notARealOne").output().unwrap();
    let log = place.kit.log();
    assert!(log.iter().any(|request| request.host == Host::Ollama), "{log:?}");
    assert!(log.iter().all(|one| one.host == Host::Api || one.authorization.is_none()), "{log:?}");
    // One that GitHub does not know is told, and no work is done without it in silence.
    let mut command = place.command_on("third", &["crawl", "ollama", WINDOW]);
    place.kit.mend();
    let output = command.env("GH_TOKEN", "ghp_unknown").output().unwrap();
    let line = String::from_utf8_lossy(&output.stderr);
    assert!(line.contains("GH_TOKEN") && !line.contains("ghp_unknown"), "{line}");
}

#[test]
fn a_renamed_repository_is_followed_and_remembered() {
    let place = Place::new();
    place.kit.rename("ollama/ollama", "ollama-org/ollama");
    place.ok(&["crawl", "ollama", WINDOW]);
    place.kit.clear_log();
    place.ok(&["crawl", "ollama", "v0.5.1..v0.6.0"]);
    let old: Vec<_> =
        place.kit.log().into_iter().filter(|one| one.target.contains("/ollama/ollama")).collect();
    assert!(old.is_empty(), "{old:?}");
}

#[test]
fn a_limit_at_the_api_leaves_the_count_unknown_and_says_until_when() {
    let place = Place::new();
    place.kit.fault(Rule::new(Host::Api, Fault::PrimaryLimit { reset_in: 1800 }));
    let said = place.ok(&["crawl", "ollama", WINDOW]);
    assert!(said.contains("is used up until"), "{said}");
    assert!(said.contains("token"), "{said}");
    let asked = place.kit.count(Host::Api);
    assert_eq!(asked, 2, "one request a window, and none again");
    let report = place.why("store", &["--offline"]);
    let gaps = report["window"]["coverage"]["gaps"].to_string();
    assert!(gaps.contains("count-unknown"), "{gaps}");
    let grades: Vec<&str> = report["absences"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|absence| absence["claim"].as_str().is_some_and(|c| c.contains("ollama")))
        .filter_map(|absence| absence["grade"].as_str())
        .collect();
    assert!(grades.iter().all(|grade| *grade == "absent-partial"), "{grades:?}");
    // When it is over, the count is asked for and the gap is filled.
    place.kit.mend();
    place.ok(&["crawl", "ollama", WINDOW]);
    let gaps = place.why("store", &["--offline"])["window"]["coverage"]["gaps"].to_string();
    assert!(!gaps.contains("count-unknown"), "{gaps}");
}

#[test]
fn a_short_pause_is_kept_and_a_long_one_is_told() {
    let place = Place::new();
    let limit = |retry_after| Fault::SecondaryLimit { status: 403, retry_after: Some(retry_after) };
    place.kit.fault(Rule::new(Host::Api, limit(1)).times(1));
    let said = place.ok(&["crawl", "ollama", WINDOW]);
    assert!(!said.contains("not known"), "{said}");
    let log = place.kit.log();
    let mut asked = log.iter().filter(|one| one.host == Host::Api);
    let (first, second) = (asked.next().unwrap(), asked.next().unwrap());
    assert!(second.at - first.at >= Duration::from_secs(1));

    let place = Place::new();
    place.kit.fault(Rule::new(Host::Api, limit(600)));
    let said = place.ok(&["crawl", "ollama", WINDOW]);
    assert!(said.contains("wait 600 seconds"), "{said}");
    assert_eq!(place.kit.count(Host::Api), 2);
}

#[test]
fn whatever_the_api_does_the_window_comes_and_its_count_is_not_made_up() {
    for fault in [
        Fault::Status(502),
        Fault::Reset,
        Fault::Truncate(40),
        Fault::Instead { kind: "text/html", body: "<html>Sign in</html>".to_owned() },
        Fault::Instead { kind: "application/json", body: "{\"ahead_by\": \"many\"".to_owned() },
        Fault::Slow(Duration::from_secs(30)),
        Fault::RedirectLoop,
        Fault::Endless,
        Fault::Replace { from: "\"ahead_by\":".to_owned(), to: "\"ahead_of\":".to_owned() },
    ] {
        let place = Place::new();
        place.kit.fault(Rule::new(Host::Api, fault.clone()));
        let said = place.ok(&["crawl", "ollama", WINDOW]);
        assert!(said.contains("how many upstream counts is not known"), "{fault:?}: {said}");
        let report = place.why("store", &["--offline"]);
        assert_eq!(report["window"]["commits"], headwater_demo::COMMITS, "{fault:?}");
        let gaps = report["window"]["coverage"]["gaps"].to_string();
        assert!(gaps.contains("count-unknown"), "{fault:?}: {gaps}");
    }
}

#[test]
fn a_host_that_counts_otherwise_is_shown_beside_what_git_says() {
    let place = Place::new();
    let lie = Fault::Replace {
        from: format!("\"ahead_by\":{}", headwater_demo::COMMITS),
        to: "\"ahead_by\":999".to_owned(),
    };
    place.kit.fault(Rule::new(Host::Api, lie));
    place.ok(&["crawl", "ollama", WINDOW]);
    let report = place.why("store", &["--offline"]);
    assert_eq!(report["window"]["commits"], headwater_demo::COMMITS);
    let coverage = &report["window"]["coverage"];
    assert!(coverage["gaps"].to_string().contains("999"), "{coverage}");
    assert_ne!(coverage["commits_stored"], coverage["commits_reported"], "{coverage}");
}

#[test]
fn a_git_host_that_fails_is_asked_again_and_then_told() {
    for (fault, path) in [
        (Fault::Status(502), "info/refs"),
        (Fault::Reset, "git-upload-pack"),
        (Fault::Truncate(200), "git-upload-pack"),
    ] {
        let place = Place::new();
        place.kit.fault(Rule::new(Host::Web, fault.clone()).path(path).times(1));
        place.ok(&["crawl", "ollama", WINDOW]);

        let place = Place::new();
        place.kit.fault(Rule::new(Host::Web, fault.clone()).path(path));
        let line = place.error(&["crawl", "ollama", WINDOW]);
        assert!(line.contains("ollama.git") && line.contains("kept"), "{fault:?}: {line}");
        assert!(line.contains("--via api"), "{line}");
        // Nothing half-fetched is told as whole, and the next run completes it.
        place.kit.mend();
        place.ok(&["crawl", "ollama", WINDOW]);
        assert_eq!(
            place.why("store", &["--offline"])["window"]["commits"],
            headwater_demo::COMMITS
        );
    }
}

#[test]
fn the_nested_window_that_fails_is_a_gap_until_it_comes() {
    let place = Place::new();
    place.kit.fault(Rule::new(Host::Web, Fault::Status(503)).path("/llama.cpp"));
    let line = place.error(&["crawl", "ollama", WINDOW]);
    assert!(line.contains("llama.cpp b21..b34 could not be fetched"), "{line}");
    let report = place.why("store", &["--offline"]);
    assert!(report["nested"][0]["gap"].is_string(), "{}", report["nested"][0]);
    place.kit.mend();
    let report = place.why("store", &[]);
    assert_eq!(report["nested"][0]["commits"], headwater_demo::NESTED_COMMITS);
}

#[test]
fn an_id_that_a_pin_cuts_short_is_looked_up() {
    let place = Place::new();
    let git = |demo: &mut headwater_demo::Demo| demo.llama_cpp.git(&["rev-parse", "refs/tags/b30"]);
    let sha = place.kit.with_demo(git).unwrap().unwrap();
    let window = format!("{}..b34", &sha[..9]);
    let line = place.ok(&["crawl", "llama.cpp", &window]);
    assert!(line.contains("commits in scope"), "{line}");
    let again = place.ok(&["crawl", "llama.cpp", &window]);
    assert!(again.contains("nothing new"), "{again}");
    let line = place.error(&["crawl", "llama.cpp", "123456789..b34"]);
    assert!(line.contains("must be given in full"), "{line}");
}

#[test]
fn a_git_host_without_filters_gives_the_same_answer() {
    let place = Place::new();
    let filtered = place.why("store", &[]);
    place.kit.fault(Rule::new(Host::Web, Fault::NoFilter));
    assert_eq!(without_receipts(&place.why("other", &[])), without_receipts(&filtered));
}

#[test]
fn a_reversed_window_is_told_before_it_is_fetched() {
    for via in ["git", "api"] {
        let place = Place::new();
        let line = place.error(&["why", "ollama", "v0.6.2..v0.6.0", "--via", via]);
        assert!(line.contains("swap them? v0.6.0..v0.6.2"), "{line}");
        assert_eq!(place.kit.count(Host::Web) + place.kit.count(Host::Api), 0);
        let line = place.error(&["why", "llama.cpp", "b34..b30", "--via", via]);
        assert!(line.contains("swap them? b30..b34"), "{line}");
        let fetched = |target: &str| target.contains("upload-pack") && !target.contains("info/");
        let packs = place.kit.log().iter().filter(|one| fetched(&one.target)).count();
        // git's list of refs is one such request.
        assert!(packs <= 1, "{:?}", place.kit.log());
    }
}

#[test]
fn an_end_that_upstream_does_not_have_is_told_with_the_nearest() {
    let place = Place::new();
    let line = place.error(&["why", "ollama", "v0.6.0..v0.6.99"]);
    assert!(line.contains("v0.6.99") && line.contains("v0.6."), "{line}");
    let line = place.error(&["crawl", "ollama"]);
    assert!(line.contains("headwater clone ollama"), "{line}");
}

#[test]
fn the_doctor_says_which_hosts_answer_as_they_are_read() {
    let place = Place::new();
    let hosts = |code: i32| -> Vec<Value> {
        let output = place.run(&["doctor", "--live", "--format", "json"]);
        assert_eq!(output.status.code(), Some(code));
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        value["hosts"].as_array().unwrap().clone()
    };
    place.kit.models(|models| {
        (models[0].name, models[0].tag) = ("all-minilm".to_owned(), "latest".to_owned());
    });
    let all = hosts(0);
    assert_eq!(all.len(), 6);
    assert!(all.iter().all(|one| one["as_expected"] == true), "{all:?}");
    assert_eq!(place.all_requests(), 6);
    let page = Fault::Instead { kind: "text/html", body: "<html>Sign in</html>".to_owned() };
    place.kit.fault(Rule::new(Host::Raw, page));
    let all = hosts(1);
    assert_eq!(all.iter().filter(|one| one["as_expected"] == false).count(), 1, "{all:?}");
}
