//! Pages, caps, limits and names.

use headwater_demo::ollama::names;
use headwater_demo::{BEHIND, COMMITS};
use headwater_testkit::{Host, Testkit};
use serde_json::Value;

use crate::client::{get, get_with};

const REPO: &str = "/repos/ollama/ollama";

fn start() -> (Testkit, String) {
    let kit = Testkit::start().unwrap();
    let url = format!("{}{REPO}", kit.url(Host::Api));
    (kit, url)
}

fn sha(kit: &Testkit, name: &str) -> String {
    kit.with_demo(|demo| demo.ollama.sha(name).unwrap().to_owned()).unwrap()
}

fn shas(commits: &Value) -> Vec<String> {
    commits.as_array().unwrap().iter().map(|c| c["sha"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_window_that_has_diverged_says_so() {
    let (kit, url) = start();
    let answer = get(&format!("{url}/compare/v0.6.0...v0.6.2")).json();
    assert_eq!(answer["status"], "diverged");
    assert_eq!(answer["ahead_by"], COMMITS);
    assert_eq!(answer["behind_by"], BEHIND);
    assert_eq!(answer["total_commits"], COMMITS);
    assert_eq!(answer["commits"].as_array().unwrap().len(), COMMITS);
    assert_eq!(answer["merge_base_commit"]["sha"], sha(&kit, names::FORK));
    assert_eq!(answer["commits"][COMMITS - 1]["sha"], sha(&kit, names::HEAD));
    let files = answer["files"].as_array().unwrap();
    let types = files.iter().find(|f| f["filename"] == "api/types.go").unwrap();
    assert!(types["patch"].as_str().unwrap().contains("-\t\tRepeatPenalty:    1.1,\n+\t\t"));
    let icon = files.iter().find(|f| f["filename"] == "app/icon.png").unwrap();
    assert!(icon.get("patch").is_none(), "binary files have no patch");
    for (range, status) in [
        ("v0.5.0...v0.5.1", "ahead"),
        ("v0.5.1...v0.5.0", "behind"),
        ("v0.5.1...v0.5.1", "identical"),
    ] {
        assert_eq!(get(&format!("{url}/compare/{range}")).json()["status"], status, "{range}");
    }
}

#[test]
fn comparisons_are_capped_without_pages_and_whole_with_them() {
    let (kit, url) = start();
    kit.caps(|caps| {
        caps.compare_commits = 5;
        caps.compare_files = 3;
    });
    let range = format!("{url}/compare/v0.6.0...v0.6.2");
    let capped = get(&range).json();
    assert_eq!(capped["total_commits"], COMMITS);
    assert_eq!(shas(&capped["commits"]).last(), Some(&sha(&kit, names::HEAD)), "the newest");
    assert_eq!(shas(&capped["commits"]).len(), 5);
    assert_eq!(capped["files"].as_array().unwrap().len(), 3, "and no mark that there are more");

    let mut next = Some(format!("{range}?per_page=8"));
    let (mut all, mut pages) = (Vec::new(), 0);
    while let Some(url) = next {
        let answer = get(&url);
        assert_eq!(answer.json().get("files").is_some(), pages == 0, "only on the first page");
        all.extend(shas(&answer.json()["commits"]));
        next = answer.link("next");
        pages += 1;
        if let Some(next) = &next {
            assert!(next.contains("/repositories/"), "{next}");
        }
    }
    assert_eq!((pages, all.len()), (3, COMMITS));
    let git = kit
        .with_demo(|d| d.ollama.git(&["rev-list", "--reverse", "v0.6.0..v0.6.2"]).unwrap())
        .unwrap();
    assert_eq!(all, git.lines().collect::<Vec<_>>());
}

#[test]
fn a_commit_has_pages_of_files_and_leaves_long_patches_out() {
    let (kit, url) = start();
    let one = format!("{url}/commits/{}", sha(&kit, names::QUOTED_PATHS));
    kit.caps(|caps| caps.commit_files = 2);
    let first = get(&one);
    assert_eq!(first.json()["files"].as_array().unwrap().len(), 2);
    assert!(first.link("last").unwrap().ends_with("page=3"));
    assert_eq!(first.json()["stats"]["total"], 4, "of all files");

    kit.caps(|caps| caps.patch_lines = 5);
    let penalty = get(&format!("{url}/commits/{}", sha(&kit, names::PENALTY))).json();
    assert!(penalty["files"][0].get("patch").is_none());
    assert_eq!(penalty["files"][0]["changes"], 2, "though it is no binary file");

    let diff = [("accept", "application/vnd.github.diff")];
    let full = get_with(&one, &diff);
    assert!(full.text().starts_with("diff --git a/integration/testdata/-rf"));
    kit.caps(|caps| caps.diff_lines = 5);
    let refused = get_with(&one, &diff);
    assert_eq!(refused.status, 406);
    assert_eq!(refused.json()["errors"][0]["code"], "too_large");
}

#[test]
fn media_types_are_other_representations() {
    let (kit, url) = start();
    let penalty = sha(&kit, names::PENALTY);
    let one = format!("{url}/commits/v0.6.1-rc0");
    let bare = get_with(&one, &[("accept", "application/vnd.github.sha")]);
    assert_eq!(bare.text(), penalty);
    assert_eq!(bare.header("etag"), format!("\"{penalty}\""));
    let json = get(&one);
    let diff = get_with(&one, &[("accept", "application/vnd.github.v3.diff")]);
    assert!(diff.header("content-type").starts_with("application/vnd.github.diff"));
    assert_ne!(json.header("etag"), diff.header("etag"));
    // Git's own patch, byte for byte.
    let git = kit
        .with_demo(|d| d.ollama.git(&["diff", &format!("{penalty}^"), &penalty]).unwrap())
        .unwrap();
    assert_eq!(diff.text().trim_end(), git);
}

#[test]
fn trees_and_lists_of_references_stop_at_their_caps() {
    let (kit, url) = start();
    let tree = |query: &str| get(&format!("{url}/git/trees/v0.6.2{query}")).json();
    let shown = |answer: &Value| answer["tree"].as_array().unwrap().len();
    let (top, all) = (tree(""), tree("?recursive=1"));
    assert!(shown(&top) < shown(&all), "{top}");
    assert_eq!((&top["truncated"], &all["truncated"]), (&false.into(), &false.into()));
    let tags = format!("{url}/git/matching-refs/tags/v0.6");
    let before = get(&tags).json().as_array().unwrap().len();
    kit.caps(|caps| (caps.tree_entries, caps.refs) = (3, 2));
    let cut = tree("?recursive=1");
    assert_eq!((shown(&cut), &cut["truncated"]), (3, &true.into()));
    let cut = get(&tags);
    assert!(before > 2 && cut.json().as_array().unwrap().len() == 2);
    assert!(cut.link("next").is_none(), "nothing says that there are more");
}

#[test]
fn the_web_host_gives_patches_and_archives() {
    let (kit, _) = start();
    let page = format!("{}/ollama/ollama", kit.url(Host::Web));
    let (docs, merge) = (sha(&kit, names::DOCS), sha(&kit, names::MERGE));
    let mails = get(&format!("{page}/compare/v0.6.0...v0.6.2.patch"));
    let begin = |sha: &str| format!("From {sha} Mon Sep 17 00:00:00 2001\n");
    assert!(mails.text().contains(&begin(&docs)));
    assert!(mails.text().contains("GIT binary patch"), "binary files come with their content");
    assert!(get(&format!("{page}/commit/{docs}.patch")).text().starts_with(&begin(&docs)));
    let diff = get(&format!("{page}/commit/{docs}.diff")).text();
    assert!(diff.starts_with("diff --git "), "{diff}");
    assert_eq!(get(&format!("{page}/commit/{merge}.patch")).text(), "", "no mail of a merge");
    assert!(get(&format!("{page}/commit/{merge}")).text().contains("<title>"), "a page");
    let archive = get(&format!("{page}/archive/{docs}.tar.gz"));
    assert_eq!((archive.status, &archive.body[..2]), (200, &[0x1f, 0x8b][..]));
    for nothing in ["compare/v0.6.0...v9.patch", "commit/v9.diff", "archive/v9.tar.gz"] {
        assert_eq!(get(&format!("{page}/{nothing}")).status, 404, "{nothing}");
    }
    kit.caps(|caps| caps.diff_lines = 5);
    assert_eq!(get(&format!("{page}/compare/v0.6.0...v0.6.2.patch")).status, 406);
}

#[test]
fn a_signed_commit_comes_with_what_was_signed() {
    let (kit, url) = start();
    let signed = kit
        .with_demo(|demo| {
            let plain = demo.ollama.git(&["cat-file", "commit", "v0.6.2"]).unwrap();
            let (head, message) = plain.split_once("\n\n").unwrap();
            let lines =
                "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----";
            let text = format!("{head}\n{lines}\n\n{message}");
            let file = demo.ollama.path().join("signed");
            std::fs::write(&file, text).unwrap();
            demo.ollama.git(&["hash-object", "-t", "commit", "-w", "signed"]).unwrap()
        })
        .unwrap();
    let one = get(&format!("{url}/commits/{signed}")).json();
    let told = &one["commit"]["verification"];
    assert!(told["payload"].as_str().unwrap().starts_with("tree "), "{told}");
    assert!(!told["payload"].as_str().unwrap().contains("gpgsig"), "{told}");
    let signature = told["signature"].as_str().unwrap();
    assert!(signature.contains("\n\nabcd\n-----END"), "{signature}");
}

#[test]
fn what_is_not_new_costs_nothing_to_those_who_say_who_they_are() {
    let (kit, url) = start();
    kit.allow_token("sesame");
    let tags = format!("{url}/tags");
    for (authorization, costs) in [("", 1), ("Bearer sesame", 0)] {
        let first = get_with(&tags, &[("authorization", authorization)]);
        let etag = first.header("etag").to_owned();
        let used: u64 = first.header("x-ratelimit-used").parse().unwrap();
        let again =
            get_with(&tags, &[("authorization", authorization), ("if-none-match", etag.as_str())]);
        assert_eq!(again.status, 304);
        assert_eq!(again.body, b"");
        assert_eq!(again.header("x-ratelimit-used").parse::<u64>().unwrap(), used + costs);
    }
    assert_eq!(kit.count(Host::Api), 4);
    assert_eq!(kit.count_conditional(Host::Api), 2);
    assert_eq!(get_with(&tags, &[("authorization", "Bearer wrong")]).status, 401);
    assert_eq!(kit.log().last().unwrap().authorization.as_deref(), Some("Bearer wrong"));
}

#[test]
fn the_allowance_ends_and_comes_back() {
    let (kit, url) = start();
    kit.limits(|limits| {
        limits.anonymous = 2;
        limits.window = 3600;
    });
    assert_eq!(get(&url).header("x-ratelimit-remaining"), "1");
    assert_eq!(get(&url).header("x-ratelimit-remaining"), "0");
    let refused = get(&url);
    assert_eq!(refused.status, 403);
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    let reset: i64 = refused.header("x-ratelimit-reset").parse().unwrap();
    assert!(reset > chrono::Utc::now().timestamp());
    let free = get(&format!("{}/rate_limit", kit.url(Host::Api)));
    assert_eq!((free.status, &free.json()["rate"]["remaining"]), (200, &Value::from(0)));
    kit.limits(|limits| limits.anonymous = 60);
    assert_eq!(get(&url).status, 200);
    assert_eq!(get_with(&url, &[("user-agent", "")]).status, 403, "no name, no answer");
}

#[test]
fn a_renamed_repository_redirects_to_its_number() {
    let (kit, _) = start();
    let api = kit.url(Host::Api);
    let old = format!("{api}/repos/ggerganov/llama.cpp/compare/b21...b34?per_page=2");
    let moved = get(&old);
    assert_eq!(moved.status, 301);
    let to = moved.header("location").to_owned();
    assert_eq!(to, format!("{api}/repositories/700000001/compare/b21...b34?per_page=2"));
    assert_eq!(get(&to).json()["total_commits"], 13);
    let root = get(&format!("{api}/repos/ggerganov/llama.cpp"));
    let now = get(root.header("location")).json();
    assert_eq!(now["full_name"], "ggml-org/llama.cpp");
    let web = get(&format!("{}/ggerganov/llama.cpp/releases.atom", kit.url(Host::Web)));
    assert!(web.header("location").ends_with("/ggml-org/llama.cpp/releases.atom"));
}

#[test]
fn releases_stop_at_a_cap_and_the_newest_final_one_is_latest() {
    let (kit, url) = start();
    assert_eq!(get(&format!("{url}/releases/latest")).json()["tag_name"], "v0.6.3");
    kit.caps(|caps| caps.releases = 20);
    assert_eq!(get(&format!("{url}/releases?per_page=10&page=2")).status, 200);
    let beyond = get(&format!("{url}/releases?per_page=10&page=3"));
    assert_eq!(beyond.status, 422);
    kit.releases("ollama/ollama", |releases| {
        for release in releases.iter_mut().filter(|r| r.tag == "v0.6.1") {
            release.body = "edited".to_owned();
        }
    });
    assert_eq!(get(&format!("{url}/releases/tags/v0.6.1")).json()["body"], "edited");
    let feed = get(&format!("{}/ollama/ollama/releases.atom", kit.url(Host::Web))).text();
    assert_eq!(feed.matches("<entry>").count(), 10);
    assert!(feed.contains("edited") && feed.contains("<title>v0.6.2</title>"));
    let web = get(&format!("{}/ollama/ollama/releases/latest", kit.url(Host::Web)));
    assert!(web.header("location").ends_with("/releases/tag/v0.6.3"));
    let nightly = get(&format!(
        "{}/ggml-org/llama.cpp/releases/download/v0.1.0/nightly-tag.txt",
        kit.url(Host::Web)
    ));
    assert_eq!(nightly.text(), "b40\n");
}

#[test]
fn pull_requests_are_found_even_where_no_subject_names_them() {
    let (kit, url) = start();
    let of = |name: &str| get(&format!("{url}/commits/{}/pulls", sha(&kit, name))).json();
    assert_eq!(of(names::PENALTY)[0]["number"], 24);
    assert_eq!(of(names::PIN_BUMP)[0]["number"], 29);
    assert_eq!(of(names::MLX_LAYER), serde_json::json!([]));
    let found = get(&format!(
        "{}/search/issues?q=repo:ollama/ollama+is:open+repeat_penalty",
        kit.url(Host::Api)
    ));
    assert_eq!(found.json()["total_count"], 1);
}

#[test]
fn upstream_goes_on_under_the_hosts() {
    let (kit, url) = start();
    let before = get(&format!("{url}/commits/main")).json()["sha"].clone();
    kit.with_demo(|demo| {
        demo.ollama.append(|h| {
            h.commit("next", "api: warmer", |c| {
                c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
            });
            h.tag("v0.6.4").branch_here();
        })
    })
    .unwrap()
    .unwrap();
    let after = get(&format!("{url}/compare/{}...main", before.as_str().unwrap())).json();
    assert_eq!(after["total_commits"], 1);
    let raw = get(&format!("{}/ollama/ollama/v0.6.4/api/types.go", kit.url(Host::Raw)));
    assert!(raw.text().contains("Temperature:      1.0,"));
    assert_eq!(get(&format!("{}/ollama/ollama/v0.6.4/none", kit.url(Host::Raw))).status, 404);
}
