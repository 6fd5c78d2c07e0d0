//! What bad input gets: one line, what to do, status 2.

use headwater_demo::{BASE, HEAD};

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
