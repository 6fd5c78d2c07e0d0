//! Crawls: nothing twice, nothing half, nothing made up.

use std::process::Stdio;
use std::time::Duration;

use crate::support::{Place, dump};

#[test]
fn a_second_crawl_takes_only_what_is_new() {
    let mut place = Place::crawled();
    let path = place.demo.ollama.path().display().to_string();
    let again = place.ok(&["crawl", "ollama", "--from-git", &path]);
    assert!(again.contains(" 0 new; 0 new tags"), "{again}");
    let before = dump(&place.store());
    assert_eq!(before, dump(&place.store()), "a dump changes nothing");

    place
        .demo
        .ollama
        .append(|h| {
            h.commit("later", "api: later", |c| {
                c.write("later.txt", "later\n");
            });
            h.tag("v9.0.0").branch_here();
        })
        .unwrap();
    let after = place.ok(&["crawl", "ollama", "--from-git", &path]);
    assert!(after.contains(" 1 new; 1 new tags"), "{after}");
    let shown = place.json(&["show", "ollama", "v9.0.0"]);
    assert_eq!(shown["first_tag"], "v9.0.0");
    assert_eq!(shown["subject"], "api: later");
}

#[test]
fn a_killed_crawl_is_completed_by_the_next() {
    let place = Place::crawled();
    let whole = dump(&place.store());
    let mut unfinished = 0;
    for step in 0..24_u64 {
        let store = place.dir.path().join(format!("killed-{step}"));
        for (name, repository) in
            [("ollama", &place.demo.ollama), ("llama.cpp", &place.demo.llama_cpp)]
        {
            let path = repository.path().display().to_string();
            let args = ["crawl", name, "--from-git", path.as_str()];
            let mut child = place
                .command_on(&store, &args)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(3 + step * 9));
            // SIGKILL: no handler could tidy up.
            unfinished += u32::from(child.try_wait().unwrap().is_none());
            child.kill().unwrap();
            child.wait().unwrap();
            let output = place.command_on(&store, &args).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        assert!(dump(&store) == whole, "killed after step {step}: the dump differs");
    }
    assert!(unfinished > 0, "no crawl was still running when it was to be killed");
}

#[test]
fn one_window_can_be_crawled_alone_and_grow() {
    let place = Place::new();
    let path = place.demo.ollama.path().display().to_string();
    let window = place.demo.window();
    place.ok(&["crawl", "ollama", &window, "--from-git", &path]);
    let report = place.json(&["why", "ollama", &window]);
    assert_eq!(report["window"]["commits"], headwater_demo::COMMITS);
    assert_eq!(report["window"]["already_shipped"], headwater_demo::ALREADY_SHIPPED);
    // The nested window is a gap, since llama.cpp was not crawled.
    let nested = report["nested"].as_array().unwrap();
    let llama = nested.iter().find(|n| n["pin"] == "llama.cpp").unwrap();
    assert!(llama["gap"].as_str().unwrap().contains("headwater crawl llama.cpp"), "{llama}");

    place.crawl();
    let report = place.json(&["why", "ollama", &window]);
    assert_eq!(report["window"]["commits"], headwater_demo::COMMITS);
    let whole = Place::crawled();
    let without_crawls = |text: String| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with("ref")).map(str::to_owned).collect()
    };
    assert_eq!(without_crawls(dump(&place.store())), without_crawls(dump(&whole.store())));
}

#[test]
fn a_missing_blob_is_a_gap_and_no_text_stands_in_for_it() {
    let place = Place::new();
    let lost = place.demo.ollama.lose("v0.6.2:api/types.go").unwrap();
    place.crawl();
    let status = place.json(&["status"]);
    let ollama = &status["upstreams"][0];
    assert_eq!(ollama["upstream"], "ollama");
    let gaps = ollama["gaps"].as_array().unwrap();
    assert!(
        gaps.iter().any(|gap| gap[0] == "missing-blob" && gap[1].as_u64() > Some(0)),
        "{ollama}"
    );

    let penalty = place.ollama(headwater_demo::ollama::names::PENALTY);
    let shown = place.json(&["show", "ollama", &penalty]);
    assert!(!shown["gaps"].as_array().unwrap().is_empty(), "{shown}");
    for (at, text) in ["stands in for a missing object", "placeholder"].into_iter().enumerate() {
        let patch = shown["patch"].to_string();
        assert!(!patch.contains(text), "stand-in {at} reached the store");
    }
    // An absence over the window says what it could not see.
    let report = place.json(&["why", "ollama", &place.demo.window()]);
    let absences = report["absences"].as_array().unwrap();
    let of_window: Vec<_> =
        absences.iter().filter(|a| a["coverage"]["upstream"] == "ollama").collect();
    assert!(!of_window.is_empty());
    for absence in of_window {
        assert_eq!(absence["grade"], "absent-partial", "{absence}");
        assert!(!absence["coverage"]["gaps"].as_array().unwrap().is_empty());
    }
    assert_eq!(lost.len(), 40);
}

#[test]
fn a_build_number_without_its_tag_is_counted_and_says_so() {
    let place = Place::new();
    let llama = &place.demo.llama_cpp;
    for tag in llama.git(&["tag"]).unwrap().lines() {
        llama.git(&["tag", "-d", tag]).unwrap();
    }
    place.crawl();
    let pins = place.json(&["pins", "ollama", "--tag", headwater_demo::BASE]);
    let rows = pins["pins"].as_array().unwrap();
    let row = rows.iter().find(|row| row["pin"] == "llama.cpp").unwrap();
    assert_eq!(row["value"], headwater_demo::PIN_BASE);
    assert_eq!(row["build"], headwater_demo::PIN_BASE);
    assert_eq!(row["derived"], true);
    assert_eq!(row["target_sha"].as_str().unwrap().len(), 40);
}

#[test]
fn every_tag_is_accounted_for_in_pins() {
    let place = Place::crawled();
    let pins = place.json(&["pins", "ollama"]);
    let rows = pins["pins"].as_array().unwrap();
    let tags: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row["tag"].as_str().unwrap()).collect();
    let real = place.demo.ollama.git(&["tag"]).unwrap();
    let real: std::collections::BTreeSet<&str> = real.lines().collect();
    assert_eq!(tags, real);
    let homes: std::collections::BTreeSet<&str> =
        rows.iter().filter_map(|row| row["home"].as_str()).collect();
    for home in [
        "LLAMA_CPP_VERSION",
        "Makefile.sync",
        "llama/vendoring",
        "llama/vendoring.env",
        "llm/llama.cpp",
        "llm/llama.cpp/ggml",
        "llm/llama.cpp/gguf",
        "MLX_VERSION",
    ] {
        assert!(homes.contains(home), "{home} is no home of any tag: {homes:?}");
    }
    assert!(rows.iter().any(|row| row["value"].is_null()), "a tag that pins nothing says so");
    let unresolved: Vec<_> = rows
        .iter()
        .filter(|row| row["pin"] == "llama.cpp" && row["target_sha"].is_null())
        .collect();
    assert!(unresolved.is_empty(), "{unresolved:?}");
}

#[test]
fn patch_ids_are_those_of_git() {
    let place = Place::crawled();
    let repository = &place.demo.ollama;
    let store = headwater_store::Store::open(&place.store()).unwrap();
    let id = store.upstream("ollama").unwrap();
    let mut compared = 0;
    for sha in repository.git(&["rev-list", "--no-merges", "--all"]).unwrap().lines() {
        let patch = repository
            .git(&["diff-tree", "-p", "-M", "--root", "--full-index", "-r", sha])
            .unwrap();
        let file = place.dir.path().join("patch");
        std::fs::write(&file, format!("{patch}\n")).unwrap();
        let output = std::process::Command::new("git")
            .args(["patch-id", "--stable"])
            .stdin(std::fs::File::open(&file).unwrap())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let want = text.split(' ').next().filter(|id| id.len() == 40).map(str::to_owned);
        let commit = store.commit(id, sha.parse().unwrap()).unwrap().unwrap();
        // A diff that is not text in UTF-8 cannot go through the test's own string.
        if commit.patch_id().map(|id| id.to_string()) != want {
            assert!(patch.contains('\u{fffd}'), "{sha}: {:?} != {want:?}", commit.patch_id());
            continue;
        }
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}
