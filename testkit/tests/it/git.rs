//! Git over HTTP, with git itself as the client.

use std::path::Path;
use std::process::{Command, Output};

use headwater_testkit::{Fault, Host, Rule, Testkit};

fn git(dir: &Path, args: &[&str]) -> Output {
    Command::new("git")
        .args(["-c", "protocol.version=2"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .unwrap()
}

fn count(dir: &Path, args: &[&str]) -> usize {
    let out = git(dir, args);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).lines().count()
}

#[test]
fn a_repository_can_be_cloned_whole_also_under_its_old_name() {
    let kit = Testkit::start().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let url = format!("{}/ggerganov/llama.cpp.git", kit.url(Host::Web));
    let out = git(dir.path(), &["clone", "--quiet", "--bare", &url, "whole.git"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(count(&dir.path().join("whole.git"), &["rev-list", "HEAD"]), 40);
    assert_eq!(kit.count(Host::Api), 0);
    assert!(kit.log().iter().any(|one| one.target.ends_with("/git-upload-pack")));
}

#[test]
fn a_partial_fetch_brings_commits_without_files_then_files_by_id() {
    let kit = Testkit::start().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let url = format!("{}/ollama/ollama.git", kit.url(Host::Web));
    let at = dir.path().join("part.git");
    let clone = ["clone", "--quiet", "--bare", "--filter=blob:none", "--depth=3", &url, "part.git"];
    let out = git(dir.path(), &clone);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(count(&at, &["rev-list", "HEAD"]), 3);
    let missing = count(&at, &["rev-list", "--objects", "--missing=print", "HEAD"]);
    assert!(missing > 10);
    // A blob by its id, in a request of its own.
    let types = git(&at, &["show", "HEAD:api/types.go"]);
    assert!(String::from_utf8_lossy(&types.stdout).contains("func DefaultOptions()"));
}

#[test]
fn a_server_may_refuse_filters_or_die_half_way() {
    let kit = Testkit::start().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let url = format!("{}/ollama/ollama.git", kit.url(Host::Web));
    kit.fault(Rule::new(Host::Web, Fault::NoFilter));
    let out = git(dir.path(), &["clone", "--bare", "--filter=blob:none", &url, "no-filter.git"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && said.contains("filtering not recognized"), "{said}");

    kit.mend();
    kit.fault(
        Rule::new(Host::Web, Fault::Truncate(4000)).path("/git-upload-pack").skip(1).times(1),
    );
    let out = git(dir.path(), &["clone", "--bare", &url, "dies.git"]);
    assert!(!out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let out = git(dir.path(), &["clone", "--bare", &url, "again.git"]);
    assert!(out.status.success(), "the fault struck once");
}
