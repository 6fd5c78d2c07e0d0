//! A window without git's protocol: the same records, whatever the hosts leave out, cut
//! or make up.

use std::time::Duration;

use headwater_demo::ollama::names;
use headwater_testkit::{Caps, Fault, Host, Rule};
use serde_json::Value;

use super::live::{Place, WINDOW, without_receipts};
use super::support;

const CRAWL: [&str; 5] = ["crawl", "ollama", WINDOW, "--via", "api"];

/// What the store says of the window that a git fetch brings.
fn by_git() -> Value {
    without_receipts(&Place::new().why("store", &[]))
}

fn gaps(place: &Place) -> String {
    place.why("store", &["--offline"])["window"]["coverage"]["gaps"].to_string()
}

/// Nobody spoke git's protocol.
fn without_git(place: &Place) -> bool {
    let is_git = |target: &str| target.contains("info/refs") || target.contains("upload-pack");
    !place.kit.log().iter().any(|one| is_git(&one.target))
}

#[test]
fn every_transport_leads_to_the_same_answers() {
    let place = Place::new();
    let api = place.why("api", &["--via", "api"]);
    assert!(place.kit.count(Host::Api) <= 12, "{:?}", place.kit.log());
    assert!(without_git(&place), "{:?}", place.kit.log());
    assert!(api["candidates"][0]["receipts"].to_string().contains("github-rest"), "{api}");
    let git = place.why("git", &[]);
    place.crawl_clones("whole");
    let whole = place.why("whole", &["--offline"]);
    assert_eq!(without_receipts(&api), without_receipts(&git));
    assert_eq!(without_receipts(&api), without_receipts(&whole));
    assert_eq!(api["window"]["coverage"]["gaps"], whole["window"]["coverage"]["gaps"]);
    // Other questions are answered from the same records, and files from the same objects.
    for args in [
        &["grep", "-e", r"RepeatPenalty:\s+1\.[01]", "--upstream", "ollama"][..],
        &["defaults", "ollama"],
        &["file", "ollama@v0.6.2:api/types.go"],
        &["pins", "ollama"],
    ] {
        let said = |store: &str| {
            let output = place.command_on(store, args).output().unwrap();
            // Each store says when it saw the branch.
            let text = support::succeeded(args, output);
            text.split(' ').filter(|word| !word.ends_with("Z;")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(said("api"), said("git"), "{args:?}");
    }
    // What was asked before is asked again for news alone.
    place.kit.clear_log();
    let again = place.command_on("api", &CRAWL).output().unwrap();
    assert!(String::from_utf8_lossy(&again.stdout).contains("nothing new"));
    assert!(place.all_requests() <= 3, "{:?}", place.kit.log());
    assert_eq!(place.kit.count_conditional(Host::Api), place.all_requests());
}

#[test]
fn the_caps_of_hosts_are_gone_around() {
    let wanted = by_git();
    let caps: [fn(&mut Caps); 5] = [
        // Pages of a comparison, and of what is before it.
        |caps| (caps.compare_commits, caps.per_page) = (3, 3),
        // A tree's list that is cut: folder by folder.
        |caps| caps.tree_entries = 30,
        // 406 for long patches: in halves, and what is too long alone by its tree.
        |caps| caps.diff_lines = 120,
        |caps| caps.diff_lines = 12,
        // Patches that are left out of the comparison's JSON are not read from there.
        |caps| (caps.patch_lines, caps.patch_bytes) = (1, 10),
    ];
    for (at, cap) in caps.into_iter().enumerate() {
        let place = Place::new();
        place.kit.caps(cap);
        place.kit.allow_token("t");
        let said = place.command_on("store", &CRAWL).env("GH_TOKEN", "t").output().unwrap();
        support::succeeded(&CRAWL, said);
        let own = place.why("store", &["--offline"]);
        assert_eq!(without_receipts(&own), wanted, "{at}");
        assert_eq!(own["window"]["coverage"]["gaps"].to_string(), "[]", "{at}");
    }
}

#[test]
fn a_list_that_is_cut_without_a_word_is_a_gap() {
    for kind in ["files-differ", "tags-capped"] {
        let place = Place::new();
        let many_tags = |demo: &mut headwater_demo::Demo| {
            let sha = demo.ollama.sha(names::ROOT).unwrap();
            let line = |n: usize| format!("create refs/tags/v0.6.0-x{n} {sha}\n");
            let lines: String = (0..1000).map(line).collect();
            let file = demo.ollama.path().join("tags");
            std::fs::write(&file, lines).unwrap();
            let fed = std::fs::File::open(&file).unwrap();
            let mut git = std::process::Command::new("git");
            git.arg("--git-dir").arg(demo.ollama.path()).args(["update-ref", "--stdin"]);
            assert!(git.stdin(fed).status().unwrap().success());
        };
        match kind {
            "files-differ" => place.kit.caps(|caps| caps.compare_files = 3),
            _ => place.kit.with_demo(many_tags).unwrap(),
        }
        place.ok(&CRAWL);
        let report = place.why("store", &["--offline"]);
        let gaps = report["window"]["coverage"]["gaps"].to_string();
        assert!(gaps.contains(kind), "{kind}: {gaps}");
        let weak = report["absences"].as_array().unwrap().iter().any(|absence| {
            absence["grade"] == "absent-partial" && absence["coverage"].to_string().contains(kind)
        });
        assert!(weak, "{kind}: {}", report["absences"]);
    }
}

#[test]
fn whichever_host_lies_what_is_kept_is_true() {
    let wanted = by_git();
    let lie = |host, path, from: &str, to: &str| {
        Rule::new(host, Fault::Replace { from: from.to_owned(), to: to.to_owned() }).path(path)
    };
    for rules in [
        // The patch of a range, and the patch of each commit.
        vec![lie(Host::Web, ".patch", "RepeatPenalty:    1.0", "RepeatPenalty:    1.2")],
        vec![
            lie(Host::Web, ".patch", "RepeatPenalty:    1.0", "RepeatPenalty:    1.2"),
            lie(Host::Web, ".diff", "RepeatPenalty:    1.0", "RepeatPenalty:    1.2"),
        ],
        // Patches, archives and files.
        vec![Rule::new(Host::Web, Fault::Status(503))],
        vec![Rule::new(Host::Web, Fault::Instead { kind: "text/html", body: "<html>".to_owned() })],
        vec![Rule::new(Host::Web, Fault::Truncate(4000)).path("/archive/")],
        vec![
            Rule::new(Host::Raw, Fault::Corrupt),
            Rule::new(Host::Web, Fault::Corrupt).path("/archive/"),
        ],
    ] {
        let place = Place::new();
        for rule in rules.clone() {
            place.kit.fault(rule);
        }
        place.kit.allow_token("t");
        let said = place.command_on("store", &CRAWL).env("GH_TOKEN", "t").output().unwrap();
        support::succeeded(&CRAWL, said);
        let own = without_receipts(&place.why("store", &["--offline"]));
        assert_eq!(own, wanted, "{rules:?}");
    }
}

#[test]
fn what_the_api_makes_up_is_not_kept_as_true() {
    // Another file in the list of the comparison: both are kept, and the difference told.
    let place = Place::new();
    let named = "\"filename\":\"api/types.go\"".to_owned();
    let to = "\"filename\":\"api/other.go\"".to_owned();
    place.kit.fault(Rule::new(Host::Api, Fault::Replace { from: named, to }).path("/compare/"));
    place.ok(&CRAWL);
    let told = gaps(&place);
    assert!(told.contains("files-differ") && told.contains("api/other.go"), "{told}");
    // Another message: its commit's id does not come out of it.
    let place = Place::new();
    let rule = Fault::Replace { from: "without a first".to_owned(), to: "with a last".to_owned() };
    place.kit.fault(Rule::new(Host::Api, rule));
    place.ok(&CRAWL);
    assert!(gaps(&place).contains("unproven-commit"), "{}", gaps(&place));
    // Another tree: nothing is made of it, and the next run goes on from there.
    let place = Place::new();
    let rule = Fault::Replace { from: "100644".to_owned(), to: "100755".to_owned() };
    place.kit.fault(Rule::new(Host::Api, rule).path("/git/trees/"));
    let line = place.error(&CRAWL);
    assert!(line.contains("/git/trees/") && line.contains("another id"), "{line}");
    assert!(place.error(&["why", "ollama", WINDOW, "--offline"]).contains("crawl"));
    place.kit.mend();
    place.ok(&CRAWL);
    assert_eq!(without_receipts(&place.why("store", &["--offline"])), by_git());
}

#[test]
fn fields_that_are_null_are_done_without_or_told() {
    let wanted = by_git();
    // What may be null by GitHub's own description, and what may not.
    for (name, comes) in [
        ("patch", true),
        ("blob_url", true),
        ("author", false),
        ("verification", true),
        ("parents", false),
        ("files", true),
        ("message", false),
    ] {
        let place = Place::new();
        place.kit.fault(Rule::new(Host::Api, Fault::Null(name)));
        if comes {
            place.ok(&CRAWL);
        } else {
            let line = place.error(&CRAWL);
            assert!(line.contains("did not answer as documented"), "{name}: {line}");
            assert!(place.error(&["why", "ollama", WINDOW, "--offline"]).contains("crawl"));
            place.kit.mend();
            place.ok(&CRAWL);
        }
        assert_eq!(without_receipts(&place.why("store", &["--offline"])), wanted, "{name}");
    }
}

#[test]
fn a_limit_ends_a_crawl_and_the_next_goes_on() {
    let place = Place::new();
    let limit = Fault::PrimaryLimit { reset_in: 1800 };
    place.kit.fault(Rule::new(Host::Api, limit).skip(4));
    let line = place.error(&CRAWL);
    assert!(line.contains("used up until") && line.contains("kept"), "{line}");
    let unanswered = place.error(&["why", "ollama", WINDOW, "--offline"]);
    assert!(unanswered.contains("crawl it"), "half a window is no window: {unanswered}");
    place.kit.mend();
    place.ok(&CRAWL);
    assert_eq!(without_receipts(&place.why("store", &["--offline"])), by_git());
}

#[test]
fn commits_whose_bytes_cannot_be_told_are_gaps_and_signed_ones_are_not() {
    // One of this window was written in another encoding, which the API does not tell.
    let place = Place::new();
    let odd = ["crawl", "ollama", "v0.5.0..v0.5.1", "--via", "api"];
    place.ok(&odd);
    let args =
        ["why", "ollama", "v0.5.0..v0.5.1", "--offline", "--as-of", "head", "--format", "json"];
    let api: Value = serde_json::from_str(&place.ok(&args)).unwrap();
    let git = Place::new();
    git.ok(&odd[..3]);
    let git: Value = serde_json::from_str(&git.ok(&args)).unwrap();
    let kinds = |report: &Value| {
        let all = report["window"]["coverage"]["gaps"].as_array().unwrap().clone();
        all.iter().map(|gap| gap["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((kinds(&api), kinds(&git)), (vec!["unproven-commit".to_owned()], Vec::new()));
    assert_eq!(without_receipts(&api)["candidates"], without_receipts(&git)["candidates"]);

    // A signature stands in the object, and comes with the API's answer.
    let place = Place::new();
    place
        .kit
        .with_demo(|demo| {
            let repository = &demo.ollama;
            let plain = repository.git(&["cat-file", "commit", "v0.6.2"]).unwrap();
            let (head, message) = plain.split_once("\n\n").unwrap();
            let signature =
                "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----\n ";
            let text = format!("{head}\n{signature}\n\n{message}\n");
            std::fs::write(repository.path().join("signed"), text).unwrap();
            let signed = repository.git(&["hash-object", "-t", "commit", "-w", "signed"]).unwrap();
            repository.git(&["update-ref", "refs/tags/v0.6.2", &signed]).unwrap();
        })
        .unwrap();
    place.ok(&CRAWL);
    assert_eq!(gaps(&place), "[]");
}

#[test]
fn annotated_tags_new_names_and_ends_that_are_not_there() {
    let place = Place::new();
    place.kit.rename("ollama/ollama", "ollama-org/ollama");
    place.ok(&["crawl", "ollama", "v0.6.2..v0.6.3", "--via", "api"]);
    let args = ["why", "ollama", "v0.6.2..v0.6.3", "--offline", "--format", "json"];
    let report: Value = serde_json::from_str(&place.ok(&args)).unwrap();
    let head = place.kit.with_demo(|d| d.ollama.git(&["rev-parse", "v0.6.3^{commit}"]).unwrap());
    assert_eq!(report["window"]["head_sha"].as_str().map(str::to_owned), head, "peeled");
    place.kit.clear_log();
    place.ok(&["crawl", "ollama", "v0.5.1..v0.6.0", "--via", "api"]);
    let old = place.kit.log().into_iter().find(|one| one.target.contains("/ollama/ollama"));
    assert_eq!(old, None, "the new name is remembered");

    let place = Place::new();
    let line = place.error(&["crawl", "ollama", "v0.6.0..v0.6.99", "--via", "api"]);
    assert!(line.contains("v0.6.99") && line.contains("v0.6."), "{line}");
    let line = place.error(&["crawl", "ollama", "--via", "api"]);
    assert!(line.contains("headwater clone ollama"), "{line}");
}

#[test]
fn whatever_a_host_does_the_window_comes_or_the_next_run_completes_it() {
    let wanted = by_git();
    let faults = [
        Fault::Status(502),
        Fault::Reset,
        Fault::Truncate(200),
        Fault::Instead { kind: "text/html", body: "<html>Sign in</html>".to_owned() },
        Fault::Slow(Duration::from_secs(30)),
        Fault::RedirectLoop,
        Fault::Endless,
        Fault::SecondaryLimit { status: 403, retry_after: Some(600) },
        Fault::SecondaryLimit { status: 429, retry_after: Some(600) },
    ];
    // Each fault at one place, and each place with a few.
    let (some, all) = (&faults[2..4], &faults[..]);
    for (host, path, faults) in [
        (Host::Api, "/matching-refs/", some),
        (Host::Api, "/compare/", all),
        (Host::Api, "/commits?", some),
        (Host::Api, "/git/trees/", some),
        (Host::Web, "/ollama/", &faults[..4]),
    ] {
        for fault in faults {
            let place = Place::new();
            place.kit.fault(Rule::new(host, fault.clone()).path(path));
            let output = place.run(&CRAWL);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let last = said.lines().last().unwrap_or_default();
            let told = output.status.code() == Some(2)
                && last.starts_with("headwater: ")
                && ["kept", "still answers"].iter().any(|word| last.contains(word));
            assert!(output.status.success() || told, "{host:?} {path} {fault:?}: {said}");
            assert!(
                host == Host::Web || told,
                "nothing is made up in the place of {path}: {fault:?}"
            );
            place.kit.mend();
            place.ok(&CRAWL);
            let own = without_receipts(&place.why("store", &["--offline"]));
            assert_eq!(own, wanted, "{host:?} {path} {fault:?}");
        }
    }
}
