//! What the miniature GitHub has beside the histories: releases, issues, an advisory.

use chrono::{DateTime, TimeDelta};
use headwater_demo::{Demo, DemoError, Repository, llama_cpp, ollama};

use crate::github::{Advisory, Issue, Release, Repo};
use crate::kit::Served;

/// A repository without anything beside its history.
pub(crate) fn plain(number: usize, served: &Served) -> Repo {
    let (owner, name) = served.full_name.split_once('/').unwrap_or(("owner", &served.full_name));
    Repo {
        id: 700_000_000 + number as u64,
        owner: owner.to_owned(),
        name: name.to_owned(),
        former: served.former.clone(),
        path: served.path.clone(),
        branch: served.branch.clone(),
        language: "C++",
        releases: Vec::new(),
        issues: Vec::new(),
        advisories: Vec::new(),
        pulls: Vec::new(),
    }
}

/// Both miniatures with what people wrote about them.
pub(crate) fn repos(demo: &Demo) -> Result<Vec<Repo>, DemoError> {
    let served = |full_name: &str, former: &[&str], repository: &Repository, branch: &str| Served {
        full_name: full_name.to_owned(),
        former: former.iter().map(|old| (*old).to_owned()).collect(),
        path: repository.path().to_owned(),
        branch: branch.to_owned(),
    };
    let mut one = plain(0, &served("ollama/ollama", &["jmorganca/ollama"], &demo.ollama, "main"));
    one.language = "Go";
    one.releases = releases(&demo.ollama, ollama_notes)?;
    one.issues = ollama_issues();
    one.advisories = vec![Advisory {
        id: "GHSA-mini-atur-e001".to_owned(),
        summary: "A crafted manifest may write outside the models' folder".to_owned(),
        vulnerable: "< 0.5.1".to_owned(),
        patched: "0.5.1".to_owned(),
        severity: "high".to_owned(),
        published: "2026-02-20T12:00:00Z".to_owned(),
    }];
    // The silent change came with a pull request, which its subject does not name.
    if let Some(sha) = demo.ollama.sha(ollama::names::PENALTY) {
        one.pulls.push((sha.to_owned(), 24));
    }
    let former = ["ggerganov/llama.cpp"];
    let mut two = plain(1, &served("ggml-org/llama.cpp", &former, &demo.llama_cpp, "master"));
    two.releases = releases(&demo.llama_cpp, llama_cpp_notes)?;
    two.issues = llama_cpp_issues(demo);
    Ok(vec![one, two])
}

/// A release for every tag, two hours after its commit.
fn releases(
    repository: &Repository,
    notes: fn(&str) -> Option<String>,
) -> Result<Vec<Release>, DemoError> {
    let format = "--format=%(refname:strip=2) %(creatordate:unix) %(subject)";
    let text = repository.git(&["for-each-ref", format, "refs/tags"])?;
    let one = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (tag, seconds) = (words.next()?, words.next()?.parse().ok()?);
        let subject = words.next().unwrap_or_default();
        let time = DateTime::from_timestamp(seconds, 0)?;
        let print = |time: DateTime<chrono::Utc>| time.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let nightly = tag == "v0.1.0" && subject.starts_with("llama.cpp");
        Some(Release {
            tag: tag.to_owned(),
            name: tag.to_owned(),
            body: notes(tag).unwrap_or_else(|| subject.to_owned()),
            prerelease: tag.contains("-rc") || tag.contains("-ci"),
            created: print(time),
            published: print(time + TimeDelta::hours(2)),
            assets: if nightly {
                vec![("nightly-tag.txt".to_owned(), "b40\n".to_owned())]
            } else {
                Vec::new()
            },
        })
    };
    Ok(text.lines().filter_map(one).collect())
}

fn ollama_notes(tag: &str) -> Option<String> {
    let notes = match tag {
        "v0.6.1" => {
            "## What's Changed\n* Models that set no `repeat_penalty` of their own now run without one\n* openai: search the web in responses by @kim in https://github.com/ollama/ollama/pull/27\n* Faster on several cards by @pat in https://github.com/ollama/ollama/pull/29\n\n**Full Changelog**: https://github.com/ollama/ollama/compare/v0.5.1...v0.6.1-rc0\n"
        }
        "v0.6.2" => {
            "## What's Changed\n* launch: add Teapot by @pat in https://github.com/ollama/ollama/pull/33\n* Prompts of Qwen 3.8 by @pat in https://github.com/ollama/ollama/pull/36\n\n**Full Changelog**: https://github.com/ollama/ollama/compare/v0.6.1...v0.6.2\n"
        }
        _ => return None,
    };
    Some(notes.to_owned())
}

fn llama_cpp_notes(tag: &str) -> Option<String> {
    (tag == "v0.1.0").then(|| "The first version that people can read. Nightly: b40.\n".to_owned())
}

fn ollama_issues() -> Vec<Issue> {
    vec![
        Issue {
            number: 39,
            title: "Everything is faster since 0.6.1, and answers differ".to_owned(),
            body: "Upgraded from 0.6.0 to 0.6.2. gemma4:26b on one CUDA card is half as fast again. What changed?".to_owned(),
            author: "reader".to_owned(),
            created: "2026-03-06T09:00:00Z".to_owned(),
            closed: None,
        },
        Issue {
            number: 40,
            title: "repeat_penalty: small models loop without it".to_owned(),
            body: "A default of 1.0 makes an old 1b model repeat itself. Please bring 1.1 back. <script>alert(1)</script>".to_owned(),
            author: "looper".to_owned(),
            created: "2026-03-07T09:00:00Z".to_owned(),
            closed: None,
        },
        Issue {
            number: 19,
            title: "Docs say that seed is 0".to_owned(),
            body: "The code says -1.".to_owned(),
            author: "reader".to_owned(),
            created: "2026-02-12T09:00:00Z".to_owned(),
            closed: Some("2026-02-14T09:00:00Z".to_owned()),
        },
    ]
}

fn llama_cpp_issues(demo: &Demo) -> Vec<Issue> {
    let culprit = demo.llama_cpp.sha(llama_cpp::names::EXPERTS).unwrap_or_default();
    vec![Issue {
        number: 39,
        title: "CUDA: wrong output with large batches since b32".to_owned(),
        body: format!("Bisected to {culprit}. b31 is fine."),
        author: "bisector".to_owned(),
        created: "2026-03-12T09:00:00Z".to_owned(),
        closed: Some("2026-03-16T09:00:00Z".to_owned()),
    }]
}
