//! The window holds what its story says, as git itself counts it.

use headwater_demo::{
    ALREADY_SHIPPED, BASE, BEHIND, COMMITS, Demo, HEAD, NESTED_COMMITS, PIN_BASE, PIN_HEAD, build,
    llama_cpp, ollama,
};

fn demo() -> (tempfile::TempDir, Demo) {
    let dir = tempfile::tempdir().unwrap();
    let demo = build(dir.path()).unwrap();
    (dir, demo)
}

#[test]
fn the_window_has_diverged_and_one_commit_was_already_shipped() {
    let (_dir, demo) = demo();
    let git = |args: &[&str]| demo.ollama.git(args).unwrap();
    let two = format!("{BASE}..{HEAD}");
    let three = format!("{BASE}...{HEAD}");
    assert_eq!(git(&["rev-list", "--count", &two]), COMMITS.to_string());
    assert_eq!(git(&["rev-list", "--count", &format!("{HEAD}..{BASE}")]), BEHIND.to_string());
    let marked =
        git(&["log", "--cherry-mark", "--left-right", "--no-merges", "--format=%m %H", &three]);
    let same: Vec<&str> = marked.lines().filter_map(|l| l.strip_prefix("= ")).collect();
    assert_eq!(same.len(), 2 * ALREADY_SHIPPED, "{marked}");
    for name in [ollama::names::NEMOTRON, ollama::names::NEMOTRON_TWIN] {
        assert!(same.contains(&demo.ollama.sha(name).unwrap()), "{name}");
    }
    assert_eq!(git(&["rev-list", "--count", "--merges", &two]), "1");
    assert_eq!(git(&["for-each-ref", "--format=%(refname)", "refs/heads"]), "refs/heads/main");
}

#[test]
fn the_silent_change_is_two_characters_of_code() {
    let (_dir, demo) = demo();
    let sha = demo.ollama.sha(ollama::names::PENALTY).unwrap();
    let patch = demo.ollama.git(&["show", "--format=", sha, "--", "api/types.go"]).unwrap();
    let changed: Vec<&str> = patch
        .lines()
        .filter(|l| {
            (l.starts_with('-') || l.starts_with('+'))
                && !l.starts_with("--- ")
                && !l.starts_with("+++ ")
        })
        .collect();
    assert_eq!(changed, ["-\t\tRepeatPenalty:    1.1,", "+\t\tRepeatPenalty:    1.0,"]);
    let tags = demo.ollama.git(&["tag", "--contains", sha, "--sort=creatordate"]).unwrap();
    assert_eq!(tags.lines().next(), Some("v0.6.1-rc0"));
}

#[test]
fn pins_open_a_nested_window_and_builds_count_commits() {
    let (_dir, demo) = demo();
    for (tag, pin) in [(BASE, PIN_BASE), (HEAD, PIN_HEAD)] {
        let file = demo.ollama.git(&["show", &format!("{tag}:LLAMA_CPP_VERSION")]).unwrap();
        assert_eq!(file, pin);
    }
    let nested = format!("refs/tags/{PIN_BASE}..refs/tags/{PIN_HEAD}");
    let git = |args: &[&str]| demo.llama_cpp.git(args).unwrap();
    assert_eq!(git(&["rev-list", "--count", &nested]), NESTED_COMMITS.to_string());
    let inside = git(&["rev-list", &nested]);
    for name in [
        llama_cpp::names::LOAD_MODE,
        llama_cpp::names::EXPERTS,
        llama_cpp::names::RWKV,
        llama_cpp::names::SAMPLER,
        llama_cpp::names::HEAD,
    ] {
        assert!(inside.contains(demo.llama_cpp.sha(name).unwrap()), "{name}");
    }
    assert!(!inside.contains(demo.llama_cpp.sha(llama_cpp::names::BASE).unwrap()));
    let tags = git(&["tag", "--list", "b*"]);
    assert!(tags.lines().count() > 25, "{tags}");
    for tag in tags.lines() {
        let count = git(&["rev-list", "--count", &format!("refs/tags/{tag}")]);
        assert_eq!(tag, format!("b{count}"));
    }
    assert!(!tags.lines().any(|tag| tag == "b29"), "some builds have no tag");
    assert_eq!(git(&["cat-file", "-t", "refs/tags/v0.1.0"]), "tag");
}

#[test]
fn every_home_of_the_pin_appears_with_a_version_that_exists() {
    let (_dir, demo) = demo();
    let at = |tag: &str, path: &str| {
        demo.ollama.git(&["rev-parse", "--verify", &format!("{tag}:{path}")]).ok()
    };
    let known = |sha: Option<String>| {
        let kind = demo.llama_cpp.git(&["cat-file", "-t", &sha.unwrap()]).unwrap();
        assert_eq!(kind, "commit");
    };
    for (tag, path) in [
        ("v0.0.2", "llama/ggml.h"),
        ("v0.0.3", "llm/ggml.h"),
        ("v0.2.0-ci1", "llama/vendoring.env"),
        ("v0.2.0", "llama/vendoring"),
        ("v0.3.0", "Makefile.sync"),
        ("v0.4.0", "Makefile.sync"),
        ("v0.5.0", "LLAMA_CPP_VERSION"),
    ] {
        assert!(at(tag, path).is_some(), "{tag} has no {path}");
    }
    known(at("v0.0.4", "llm/llama.cpp/ggml"));
    known(at("v0.0.4", "llm/llama.cpp/gguf"));
    known(at("v0.1.0", "llm/llama.cpp"));
    let makefile = demo.ollama.git(&["show", "v0.3.0:Makefile.sync"]).unwrap();
    let short = makefile.lines().find_map(|l| l.strip_prefix("FETCH_HEAD=")).unwrap();
    assert_eq!(short.len(), 9);
    known(Some(short.to_owned()));
    for path in ["llama/ggml.h", "LLAMA_CPP_VERSION", "llm/llama.cpp"] {
        assert!(at("v0.0.1", path).is_none(), "v0.0.1 pins nothing");
    }
}

#[test]
fn upstream_goes_on() {
    let (_dir, mut demo) = demo();
    let before = demo.ollama.git(&["rev-parse", "main"]).unwrap();
    demo.ollama
        .append(|h| {
            h.commit("next", "api: warmer", |c| {
                c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
            });
            h.tag("v0.7.0").delete_tag("v0.6.3-rc0").branch_here();
            // A tag that moves, as upstreams' tags do.
            h.from(ollama::names::HOSTILE).tag("v0.6.2");
        })
        .unwrap();
    let git = |args: &[&str]| demo.ollama.git(args);
    assert_eq!(git(&["rev-parse", "main^"]).unwrap(), before);
    assert_eq!(git(&["rev-parse", "v0.7.0"]).unwrap(), demo.ollama.sha("next").unwrap());
    assert_eq!(
        git(&["rev-parse", "v0.6.2"]).unwrap(),
        demo.ollama.sha(ollama::names::HOSTILE).unwrap()
    );
    assert!(git(&["rev-parse", "--verify", "refs/tags/v0.6.3-rc0"]).is_err());
}

#[test]
fn a_blob_can_be_lost() {
    let (_dir, demo) = demo();
    let id = demo.ollama.lose("v0.6.2:api/types.go").unwrap();
    assert!(demo.ollama.git(&["cat-file", "-e", &id]).is_err());
    assert!(demo.ollama.git(&["cat-file", "-e", "v0.6.0:api/types.go"]).is_ok());
}
