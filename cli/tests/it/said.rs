//! What people wrote: notes, pull requests, issues, advisories, from the miniature GitHub.

use std::process::Output;

use headwater_demo::ollama::names;
use headwater_testkit::{Advisory, Fault, Host, Rule, Testkit};
use serde_json::Value;

use super::support;

const WINDOW: &str = "v0.6.0..v0.6.2";

struct Place {
    dir: tempfile::TempDir,
    kit: Testkit,
}

impl Place {
    fn new() -> Self {
        Place { dir: tempfile::tempdir().unwrap(), kit: Testkit::start().unwrap() }
    }

    fn run(&self, args: &[&str]) -> Output {
        let home = self.dir.path();
        let mut command = support::headwater(home, &home.join("store"), args);
        command.env("HEADWATER_TIMEOUT", "1").envs(self.kit.env()).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        support::succeeded(args, self.run(args))
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[args, &["--format", "json"]].concat())).unwrap()
    }

    fn why(&self, extra: &[&str]) -> Value {
        let args = ["why", "ollama", WINDOW, "--model", headwater_demo::MODEL, "--backend", "cuda"];
        self.json(&[&args[..], extra].concat())
    }

    fn sha(&self, name: &str) -> String {
        self.kit.with_demo(|demo| demo.ollama.sha(name).unwrap().to_owned()).unwrap()
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[test]
fn a_fresh_window_comes_with_notes_a_looked_up_pull_request_and_advisories() {
    let place = Place::new();
    let report = place.why(&[]);
    assert!(place.kit.count(Host::Api) <= 6, "{:?}", place.kit.log());
    assert!(place.kit.log().len() <= 20, "{:?}", place.kit.log());
    let said = &report["said"];
    let penalty = place.sha(names::PENALTY);
    let releases = list(said, "releases");
    let tags: Vec<&Value> = releases.iter().map(|release| &release["tag"]).collect();
    assert_eq!(tags, ["v0.6.1", "v0.6.2"]);
    // A line names the silent change by its knob, whatever its subject says.
    let first = &releases[0];
    let line = list(first, "lines")
        .iter()
        .find(|line| list(line, "names").iter().any(|named| named["sha"] == penalty.as_str()))
        .unwrap();
    assert_eq!(line["names"][0]["how"], "knob");
    assert_eq!(first["feed_agrees"], true);
    assert_eq!(first["grade"], "record+");
    assert_eq!(first["range"]["base"], "v0.5.1");
    assert!(
        first["range"]["differs"].as_str().unwrap().contains("they start at v0.5.1"),
        "{first}"
    );
    assert_eq!(releases[1]["range"]["differs"], Value::Null);
    // The release came two hours after its commit.
    let time = |name: &str| first[name].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>();
    assert_eq!(time("published").unwrap() - time("tagged").unwrap(), chrono::TimeDelta::hours(2));
    let candidate = list(&report, "candidates")
        .iter()
        .find(|candidate| candidate["sha"] == penalty.as_str())
        .unwrap();
    assert_eq!(candidate["pr"], 24);
    assert_eq!(candidate["pull_source"], "looked-up");
    let silent = &said["silent"];
    assert!(silent["named"].as_u64().unwrap() >= 3, "{silent}");
    assert!(!list(silent, "commits").iter().any(|one| one["sha"] == penalty.as_str()), "{silent}");
    assert!(!list(silent, "commits").is_empty());
    let advisory = &list(said, "advisories")[0];
    assert_eq!(advisory["id"], "GHSA-mini-atur-e001");
    for version in list(advisory, "versions") {
        assert_eq!(version["affected"], "no", "{advisory}");
    }
    // Nothing of it again, and nothing of it as of the head.
    place.kit.clear_log();
    assert_eq!(place.why(&[])["said"]["releases"], said["releases"]);
    let head = place.why(&["--as-of", "head"]);
    assert!(head["said"]["left_out"].is_string() && list(&head["said"], "releases").is_empty());
    assert_eq!(place.kit.log().len(), 0);
    let screen = place.ok(&["why", "ollama", WINDOW]);
    assert!(screen.contains("What upstream says") && screen.contains("Silent: "), "{screen}");
}

#[test]
fn others_are_heard_when_asked_for_and_their_words_stay_theirs() {
    let place = Place::new();
    place.why(&[]);
    let report = place.why(&["--reports"]);
    let reports = list(&report["said"], "reports");
    let of = |upstream: &str, number: u64| {
        reports
            .iter()
            .find(|one| one["upstream"] == upstream && one["number"] == number)
            .unwrap_or_else(|| panic!("{upstream}#{number} in {reports:?}"))
    };
    assert!(reports.iter().all(|one| one["grade"] == "third-party"));
    let faster = of("ollama", 39);
    assert!(list(faster, "versions").iter().any(|v| v == "v0.6.2"), "{faster}");
    assert_eq!(of("ollama", 40)["disputes"], "repeat_penalty");
    assert_eq!(of("llama.cpp", 39)["names"][0]["how"], "commit");
    assert!(!reports.iter().any(|one| one["number"] == 19), "{reports:?}");
    // It stands beside the default, and its markup is text.
    let args = ["why", "ollama", WINDOW, "--offline"];
    let screen = place.ok(&args);
    assert!(screen.contains("disputed: ollama#40 (open)"), "{screen}");
    let html = place.ok(&[&args[..], &["--format", "html"]].concat());
    assert!(html.contains("#40") && !html.contains("<script>alert"), "{html}");
    let md = place.ok(&[&args[..], &["--format", "md"]].concat());
    assert!(!md.contains("@kim"), "{md}");
}

#[test]
fn a_store_of_one_window_tells_its_moved_defaults() {
    let place = Place::new();
    place.why(&[]);
    let digest = place.json(&["digest", "--week", "2026-W10"]);
    let moved = |one: &Value| one["knob"] == "repeat_penalty";
    assert!(list(&digest, "defaults").iter().any(moved), "{digest}");
    assert!(digest["headline"].as_str().unwrap().contains("not all of it is stored"), "{digest}");
    let history = place.json(&["defaults", "ollama", "--knob", "repeat_penalty", "--history"]);
    assert!(!list(&history, "events").is_empty(), "{history}");
}

#[test]
fn nothing_new_is_asked_for_under_condition_alone() {
    let place = Place::new();
    place.ok(&["crawl", "ollama", WINDOW]);
    place.kit.clear_log();
    place.ok(&["crawl", "ollama", WINDOW]);
    assert!(place.kit.count(Host::Api) <= 3, "{:?}", place.kit.log());
    assert_eq!(place.kit.count_conditional(Host::Api), place.kit.count(Host::Api));
}

#[test]
fn edited_notes_are_kept_beside_what_they_were() {
    let place = Place::new();
    place.ok(&["crawl", "ollama", "--notes"]);
    place.ok(&["crawl", "ollama", WINDOW]);
    place.kit.releases("ollama/ollama", |all| {
        let one = all.iter_mut().find(|one| one.tag == "v0.6.2").unwrap();
        one.body = "* The temperature defaults to 0.9 now\n".to_owned();
    });
    place.ok(&["crawl", "ollama", "--notes"]);
    let report = place.why(&["--offline"]);
    let release = &list(&report["said"], "releases")[1];
    assert_eq!(
        (&release["versions"], &release["lines"][0]["about"][0]),
        (&2.into(), &"defaults".into())
    );
    let found = place.json(&["grep", "--in", "notes", "temperature"]);
    assert_eq!(found["matches"][0]["tag"], "v0.6.2");
    assert_eq!(found["matches"][0]["sha"].as_str().unwrap().len(), 40);
    // What it said before is no longer what it says.
    let gone = place.run(&["grep", "--in", "notes", "Teapot"]);
    assert_eq!(gone.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&gone.stdout).contains("grade grep"), "{gone:?}");
    let narrowed = place.run(&[
        "grep",
        "--in",
        "notes",
        "temperature",
        "v0.6.0..v0.6.1",
        "--upstream",
        "ollama",
    ]);
    assert_eq!(narrowed.status.code(), Some(1));
    let search = place.json(&["search", "temperature", "defaults"]);
    assert!(list(&search, "statements").iter().any(|hit| hit["key"] == "v0.6.2"), "{search}");
}

#[test]
fn a_list_that_stops_at_a_cap_is_told_and_weakens_the_absence() {
    let place = Place::new();
    place.kit.caps(|caps| {
        caps.per_page = 2;
        caps.releases = 4;
    });
    let told = place.ok(&["crawl", "ollama", "--notes"]);
    assert!(told.contains("the host lists no more"), "{told}");
    // Tags make the absence speak of releases that are not stored.
    place.ok(&["crawl", "ollama", WINDOW]);
    let none = place.run(&["grep", "--in", "notes", "no such words", "--upstream", "ollama"]);
    assert_eq!(none.status.code(), Some(1));
    let text = String::from_utf8_lossy(&none.stdout).into_owned();
    assert!(text.contains("absent-partial") && text.contains("--notes"), "{text}");
}

#[test]
fn what_does_not_come_is_told_and_the_answer_stands() {
    let page = || Fault::Instead { kind: "text/html", body: "<html>Sign in</html>".to_owned() };
    for fault in [Fault::Status(502), page(), Fault::Truncate(40), Fault::Reset] {
        let place = Place::new();
        place.kit.fault(Rule::new(Host::Api, fault.clone()).path("/releases"));
        place.kit.fault(Rule::new(Host::Api, fault.clone()).path("/pulls"));
        place.kit.fault(Rule::new(Host::Web, fault.clone()).path("/releases.atom"));
        let report = place.why(&[]);
        let said = &report["said"];
        assert!(list(said, "releases").is_empty() && said["silent"].is_null(), "{fault:?} {said}");
        let unasked = list(said, "unasked");
        let lacks =
            |words: &str| unasked.iter().any(|one| one["what"].as_str().unwrap().contains(words));
        assert!(lacks("release notes of ollama") && lacks("were not looked up"), "{unasked:?}");
        assert_eq!(
            list(&report, "candidates").len(),
            headwater_demo::COMMITS + headwater_demo::NESTED_COMMITS
        );
        place.kit.mend();
        assert_eq!(list(&place.why(&["--notes"])["said"], "releases").len(), 2, "{fault:?}");
    }
}

#[test]
fn an_advisory_is_compared_with_the_window_and_what_is_installed() {
    let place = Place::new();
    place.kit.advisories("ollama/ollama", |all| {
        all.push(Advisory {
            id: "GHSA-mini-atur-e002".to_owned(),
            summary: "A prompt may \u{1b}[31mread other prompts".to_owned(),
            vulnerable: ">= 0.6.0, < 0.6.2".to_owned(),
            patched: "0.6.2".to_owned(),
            severity: "low".to_owned(),
            published: "2026-03-20T12:00:00Z".to_owned(),
        });
    });
    let report = place.why(&[]);
    let advisory = list(&report["said"], "advisories")
        .iter()
        .find(|one| one["id"] == "GHSA-mini-atur-e002")
        .unwrap();
    let told: Vec<(&Value, &Value)> =
        list(advisory, "versions").iter().map(|v| (&v["role"], &v["affected"])).collect();
    assert_eq!(told[0], (&"base".into(), &"yes".into()));
    assert_eq!(told[1], (&"head".into(), &"no".into()));
    // The local server runs 0.6.0.
    assert_eq!(told[2], (&"installed".into(), &"yes".into()));
    let screen = place.ok(&["why", "ollama", WINDOW]);
    assert!(screen.contains("GHSA-mini-atur-e002") && !screen.contains('\u{1b}'), "{screen}");
    // The older one is about neither version.
    assert!(!screen.contains("GHSA-mini-atur-e001"), "{screen}");
}

#[test]
fn a_number_that_no_subject_names_is_contained_once_it_was_looked_up() {
    let place = Place::new();
    place.why(&[]);
    let answer = place.json(&["contains", "ollama", "v0.6.2", "#24"]);
    assert_eq!(answer["contained"], true);
    assert_eq!(answer["commits"][0]["sha"], place.sha(names::PENALTY).as_str());
}

#[test]
fn releases_with_files_that_part_what_is_left_are_named() {
    let place = Place::new();
    place.kit.releases("ollama/ollama", |all| {
        for release in all.iter_mut().filter(|one| one.tag == "v0.6.1") {
            release.assets = vec![("ollama-linux-amd64.tgz".to_owned(), String::new())];
        }
    });
    let report = place.why(&[]);
    let own = list(&report, "bisect").iter().find(|one| one["upstream"] == "ollama").unwrap();
    let [build] = &list(own, "to_try")[..] else { panic!("{own}") };
    assert_eq!((&build["tag"], &build["files"]), (&"v0.6.1".into(), &1.into()));
    let of = |name: &str| build[name].as_u64().unwrap();
    // Merges are candidates too, and no commits to bisect.
    assert!(of("before") > 0 && of("after") > 0, "{build}");
    let shown = place.ok(&["why", "ollama", WINDOW, "--offline"]);
    assert!(shown.contains("v0.6.1 can be downloaded (1 files)"), "{shown}");
}
