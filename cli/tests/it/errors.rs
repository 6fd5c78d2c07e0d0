//! What bad input gets: one line, what to do, status 2.

use headwater_demo::{BASE, HEAD, ollama};

use crate::support::Place;

#[test]
fn no_store_says_how_to_make_one() {
    let place = Place::new();
    assert!(place.error(&["status"]).contains("headwater crawl"));
}

#[test]
fn an_unknown_tag_names_the_nearest() {
    let place = Place::crawled();
    let line = place.error(&["why", "ollama", "v0.6.00..v0.6.2"]);
    assert!(line.contains("v0.6.00") && line.contains("v0.6.0"), "{line}");
}

#[test]
fn a_reversed_window_offers_the_swap() {
    let place = Place::crawled();
    let line = place.error(&["why", "llama.cpp", "b34..b21"]);
    assert!(line.contains("b21..b34"), "{line}");
    // Both sides of a release branch hold something.
    let line = place.error(&["why", "ollama", &format!("{HEAD}..{BASE}")]);
    assert!(line.contains(&place.demo.window()), "{line}");
}

#[test]
fn a_clone_of_something_else_is_refused_and_nothing_of_it_is_stored() {
    let place = Place::crawled();
    let before = crate::support::dump(&place.store());
    let other = place.dir.path().join("other");
    for args in [
        &["init", "-q", "-b", "main"][..],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
    ] {
        std::fs::create_dir_all(&other).unwrap();
        let git = std::process::Command::new("git").args(args).current_dir(&other).status();
        assert!(git.unwrap().success());
    }
    let other = other.display().to_string();
    let line = place.error(&["crawl", "ollama", "--from-git", &other]);
    assert!(line.contains("ollama/ollama") && line.contains("shares no commit"), "{line}");
    assert!(before == crate::support::dump(&place.store()), "the store changed");
}

#[test]
fn a_tag_or_a_pin_that_is_none_is_told() {
    let place = Place::crawled();
    assert!(place.error(&["pins", "ollama", "--tag", "v9"]).contains("v9"));
    assert!(place.error(&["pins", "ollama", "--pin", "nosuch"]).contains("llama.cpp"));
    let bare = HEAD.trim_start_matches('v');
    assert!(place.ok(&["pins", "ollama", "--tag", bare]).contains(HEAD));
}

#[test]
fn the_start_of_no_commit_is_told_and_a_bare_number_may_be_a_build() {
    let place = Place::crawled();
    let line = place.error(&["show", "deadbeef"]);
    assert!(line.contains("no stored commit starts with deadbeef"), "{line}");
    let line = place.error(&["show", "34"]);
    assert!(line.contains("b34 is a build of llama.cpp: headwater show b34"), "{line}");
    assert!(place.ok(&["show", "b34", "--no-patch"]).contains("llama.cpp"));
}

#[test]
fn a_commit_is_found_by_its_pull_request_and_effects_says_what_show_says() {
    let place = Place::crawled();
    let shown = place.json(&["show", "ollama", "#25"]);
    assert_eq!(shown["pr"], 25);
    assert_eq!(shown, place.json(&["show", "ollama#25"]));
    // A cherry-pick has its number too.
    let line = place.error(&["show", "ollama#22"]);
    let ids = [ollama::names::NEMOTRON, ollama::names::NEMOTRON_TWIN];
    for id in ids.map(|name| place.ollama(name)) {
        assert!(line.contains(&id[..9]), "{line}");
    }
    let line = place.error(&["show", "#999999"]);
    assert!(line.contains("no stored commit is #999999") && line.contains("--notes"), "{line}");
    let line = place.error(&["effects", "deadbeef"]);
    assert!(line.contains("no stored commit starts with deadbeef"), "{line}");
    assert_eq!(place.json(&["effects", "ollama", "#25"])["subject"], shown["subject"]);
}

#[test]
fn a_backend_goes_by_its_other_names_and_another_is_told_the_known() {
    let place = Place::crawled();
    let window = place.demo.window();
    for (given, meant) in [("rocm", "hip"), ("NVIDIA", "cuda"), ("apple", "metal")] {
        let report = place.json(&["why", "ollama", &window, "--offline", "--backend", given]);
        let question = report["question"].as_str().unwrap();
        assert!(question.ends_with(&format!("--backend {meant}")), "{given}: {question}");
    }
    let early =
        place.json(&["why", "ollama", &window, "--offline", "--as-of", "2000-01-01", "--top", "1"]);
    assert!(early["window"]["notes"].to_string().contains("before v0.6.2 was committed"));
    let output = place.run(&["plan", "ollama", &window, "--backend", "abacus"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("abacus") && told.contains("cuda, hip, musa"), "{told}");
}

#[test]
fn an_empty_window_is_told_as_such_and_nothing_is_missing_from_it() {
    let place = Place::crawled();
    let empty = format!("{HEAD}..{HEAD}");
    let report = place.json(&["why", "ollama", &empty, "--offline"]);
    assert_eq!(report["absences"], serde_json::json!([]));
    assert_eq!(report["open"], serde_json::json!([]));
    let screen = place.ok(&["why", "ollama", &empty, "--offline"]);
    assert!(screen.contains("both ends are"), "{screen}");
    assert!(!screen.contains("not found") && !screen.contains("Candidates"), "{screen}");
}

#[test]
fn without_a_command_there_is_help_and_no_hidden_command() {
    let place = Place::new();
    for args in [&[][..], &["--color", "never"], &["--help"]] {
        let output = place.run(args);
        let told = [output.stdout, output.stderr].concat();
        let told = String::from_utf8(told).unwrap();
        assert!(told.contains("headwater demo") && told.contains("Exit status"), "{told}");
        assert!(!told.contains("rank-check"), "{told}");
        assert_eq!(output.status.code(), Some(if args == ["--help"] { 0 } else { 2 }));
    }
}

#[test]
fn a_command_that_brings_nothing_leaves_no_store() {
    let place = Place::new();
    for args in [
        &["crawl", "ollama", "v0.6.0..v0.6.2"][..],
        &["crawl", "ollama", "--from-git", "/nowhere"],
        &["crawl", "ollama", "previous..latest", "--via", "api"],
        &["clone", "ollama"],
        &["why", "ollama"],
    ] {
        assert_eq!(place.run(args).status.code(), Some(2), "{args:?}");
        assert!(!place.store().exists(), "{args:?} left a store");
    }
    assert!(place.error(&["status"]).contains("there is no store"));
}

#[test]
fn without_a_network_it_is_said_what_there_is_to_do() {
    let place = Place::crawled();
    let window = place.demo.window();
    let told = |args: &[&str]| {
        let output = place.run(args);
        let line = String::from_utf8(output.stderr).unwrap();
        let line = line.lines().last().unwrap_or_default().to_owned();
        (output.status.code(), line, String::from_utf8(output.stdout).unwrap())
    };
    // Nobody answered, though all of the window is stored.
    let (code, line, lines) = told(&["crawl", "ollama", &window]);
    assert_eq!(code, Some(2), "{line}");
    assert!(lines.contains("stored; whether upstream still counts the same is not known"));
    assert!(line.contains("--offline") && line.contains("--from-git"), "{line}");
    let (code, line, _) = told(&["crawl", "ollama", "--notes"]);
    assert_eq!(code, Some(2), "{line}");
    assert!(line.contains("nothing was had"), "{line}");
    let (code, line, _) = told(&["crawl", "ollama", "previous..latest"]);
    assert_eq!(code, Some(2), "{line}");
    assert!(line.contains("--offline") && line.contains("--from-git"), "{line}");
    // All of history came from a clone: that is read again, and nobody is asked.
    let (code, _, lines) = told(&["crawl", "ollama"]);
    assert_eq!(code, Some(0), "{lines}");
    let clone = place.demo.ollama.path().display().to_string();
    assert!(lines.contains("no host was asked") && lines.contains(&clone), "{lines}");
    // An answer from what is stored is one.
    assert_eq!(told(&["why", "ollama", &window]).0, Some(0));
}

#[test]
fn a_pin_that_is_new_is_asked_for_by_a_command_that_git_takes() {
    let place = Place::crawled();
    let report = place.json(&["why", "ollama", "v0.4.2..v0.5.0", "--offline"]);
    let nested = report["nested"].as_array().unwrap();
    let mlx = nested.iter().find(|one| one["pin"] == "mlx").unwrap();
    assert_eq!(mlx["pin_base"], serde_json::Value::Null);
    let open = report["open"].as_array().unwrap();
    let open = open.iter().find(|one| one["question"].to_string().contains("mlx 0.30.1")).unwrap();
    assert_eq!(open["rederive"], serde_json::json!(["git -C DIR log --oneline 0.30.1"]));
    assert!(!report["open"].to_string().contains("none.."), "{}", report["open"]);
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    let place = Place::new();
    let mut command = place.command(&["completions", "fish"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_window_that_is_none_shows_how_to_write_one() {
    let place = Place::crawled();
    assert!(place.error(&["why", "ollama", "v0.6.0"]).contains("BASE..HEAD"));
}

#[test]
fn an_unknown_upstream_names_the_declared() {
    let place = Place::crawled();
    assert!(place.error(&["why", "olama", "a..b"]).contains("ollama, llama.cpp"));
}

#[test]
fn a_directory_that_is_no_clone_is_told() {
    let place = Place::new();
    let dir = place.dir.path().display().to_string();
    let line = place.error(&["crawl", "ollama", "--from-git", &dir]);
    assert!(line.contains("not a git repository"), "{line}");
}

#[test]
fn an_upstream_that_is_not_crawled_says_what_to_crawl() {
    let place = Place::crawled();
    let config = place.dir.path().join("home/.config/headwater/upstreams");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(
        config.join("whisper.toml"),
        "name = 'whisper.cpp'\nrepository = 'ggml-org/whisper.cpp'\nbranch = 'master'\nfinal_tag = '^v'\n",
    )
    .unwrap();
    let line = place.error(&["why", "whisper.cpp", "v1..v2"]);
    assert!(line.contains("headwater crawl whisper.cpp"), "{line}");
}

#[test]
fn ends_may_be_given_without_the_prefix_and_as_two_arguments() {
    let place = Place::crawled();
    let base = BASE.trim_start_matches('v');
    let short = place.json(&["why", "ollama", base, HEAD]);
    assert_eq!(short["window"]["base"], BASE);
    assert_eq!(short["window"]["head"], HEAD);
}
