//! Searches of a store of our own making.

use chrono::DateTime;
use headwater_store::exact::PatternOptions;
use headwater_store::model::{ChangeStatus, Commit, FileChange, Person};
use headwater_store::pack::Packer;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{NewChange, NewCommit, Oid, Place, Store, UpstreamId, WriteCaches};

use super::{Detail, Filter, GrepRequest, Within, commits, grep};

pub(crate) fn change(path: &str, old_path: Option<&str>, hunks: &str) -> NewChange {
    let packed = Packer::new().unwrap().pack(hunks.as_bytes()).unwrap();
    let change = FileChange {
        path: path.into(),
        old_path: old_path.map(Into::into),
        status: ChangeStatus::Modified,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_blob: Oid::ZERO,
        new_blob: Oid::ZERO,
        added: 0,
        deleted: 0,
        binary: false,
        gap: false,
        hunks: Vec::new(),
    };
    NewChange { change, hunks: Some((hunks.len(), packed)), deferred: false }
}

pub(crate) fn commit(number: u8, author: &str, message: &str, files: Vec<NewChange>) -> NewCommit {
    let person = Person { name: author.into(), email: format!("{author}@example.org") };
    let committed = DateTime::from_timestamp(i64::from(number) * 86_400, 0).unwrap();
    NewCommit {
        commit: Commit {
            oid: Oid::from_bytes([number; 20]),
            tree: Oid::ZERO,
            parents: if number > 1 { vec![Oid::from_bytes([number - 1; 20])] } else { Vec::new() },
            author: person.clone(),
            authored: committed,
            committer: person,
            committed,
            message: message.into(),
        },
        patch_id: None,
        files,
        unproven: false,
    }
}

/// Four commits, the last one off the branch.
fn store(dir: &std::path::Path) -> Store {
    let mut store = Store::open_or_create(dir).unwrap();
    let upstream = store.ensure_upstream("ollama").unwrap();
    let receipt = store.add_receipt(upstream, "git", "d", DateTime::UNIX_EPOCH).unwrap();
    let mut caches = WriteCaches::default();
    let mut writer = store.writer(upstream, receipt, &mut caches).unwrap();
    let news = [
        commit(
            1,
            "ada",
            "begin\n\nwith a default",
            vec![change("a/one.go", None, "@@ -0,0 +1,2 @@\n+penalty: 1.1,\n+other(penalty)\n")],
        ),
        commit(
            2,
            "bob",
            "move the default",
            vec![
                change(
                    "a/one.go",
                    None,
                    "@@ -1,2 +1,2 @@ func f()\n-penalty: 1.1,\n+penalty: 1.0,\n other(penalty)\n",
                ),
                change("b/two.md", Some("b/old.md"), "@@ -1 +1 @@\n-text \\ penalty\n+text\n"),
            ],
        ),
        commit(
            3,
            "ada",
            "swap",
            vec![change(
                "a/one.go",
                None,
                "@@ -1,2 +1,2 @@\n-penalty: 1.0,\n-x\n+x\n+penalty: 1.0,\n",
            )],
        ),
        commit(
            4,
            "eve",
            "elsewhere",
            vec![change("c.go", None, "@@ -0,0 +1 @@\n+penalty: 9.9,\n")],
        ),
    ];
    for new in &news {
        writer.add_commit(new).unwrap();
    }
    writer.add_branch("main", Oid::from_bytes([3; 20]), DateTime::UNIX_EPOCH).unwrap();
    writer.commit().unwrap();
    settle(&mut store, upstream, receipt);
    store
}

/// Gives commits their places, the fourth one off the branch, and ends the crawl.
pub(crate) fn settle(store: &mut Store, upstream: UpstreamId, receipt: i64) {
    let ids = store.commit_ids_after(upstream, headwater_store::CommitId::NONE).unwrap();
    let places: Vec<_> = ids
        .into_iter()
        .zip(1..)
        .map(|(id, reachable)| {
            let place = Place {
                on_branch: reachable != 4,
                reachable,
                first_tag: Some(format!("v{reachable}")),
                first_final_tag: None,
                first_shipped: None,
                first_final_shipped: None,
            };
            (id, place)
        })
        .collect();
    store.replace_places(upstream, b"test", &places).unwrap();
    let crawl = store.begin_crawl(upstream, "whole", receipt, 4).unwrap();
    store.finish_crawl(crawl).unwrap();
}

fn request<'a>(upstream: &'a Upstream, pattern: &str) -> GrepRequest<'a> {
    GrepRequest {
        patterns: vec![pattern.to_owned()],
        options: PatternOptions::default(),
        upstreams: vec![upstream],
        filter: Filter::default(),
        within: Within::Changes,
        occurrences: false,
        context: 0,
        most: None,
        detail: Detail::Lines,
        jobs: 2,
    }
}

/// The commits by number, as `commits` and as `grep` tell them, which must agree.
fn numbers(store: &Store, request: &GrepRequest<'_>) -> Vec<u8> {
    let mut found: Vec<u8> =
        commits(store, request).unwrap().commits.iter().map(|oid| oid.as_bytes()[0]).collect();
    let (hits, _) = grep(store, request).unwrap();
    let mut told: Vec<u8> = hits.iter().map(|hits| hits.sha.as_bytes()[0]).collect();
    found.sort();
    told.sort();
    assert_eq!(found, told);
    found
}

#[test]
fn filters_narrow_and_flags_widen() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let ask = |pattern: &str, change: &dyn Fn(&mut GrepRequest<'_>)| {
        let mut request = request(ollama, pattern);
        change(&mut request);
        numbers(&store, &request)
    };
    assert_eq!(ask("penalty", &|_| ()), [1, 2, 3]);
    assert_eq!(ask(r"penalty:\s1\.1", &|_| ()), [1, 2]);
    assert_eq!(ask(r"penalty:\s1\.1", &|r| r.within = Within::Added), [1]);
    assert_eq!(ask(r"penalty:\s1\.1", &|r| r.within = Within::Removed), [2]);
    assert_eq!(ask("default", &|r| r.within = Within::Message), [1, 2]);
    assert_eq!(ask("penalty", &|r| r.filter.all = true), [1, 2, 3, 4]);
    assert_eq!(ask("penalty", &|r| r.filter.paths = vec!["b".into()]), [2]);
    assert_eq!(ask("penalty", &|r| r.filter.paths = vec!["*/old.md".into()]), [2]);
    assert_eq!(ask("penalty", &|r| r.filter.author = Some("^ada <".into())), [1, 3]);
    assert_eq!(ask("penalty", &|r| r.filter.since = Some(2 * 86_400)), [2, 3]);
    assert_eq!(ask("penalty", &|r| r.filter.until = Some(2 * 86_400)), [1, 2]);
    // Moved within its file: the line changed, the number of matches did not.
    assert_eq!(ask(r"1\.0", &|_| ()), [2, 3]);
    assert_eq!(ask(r"1\.0", &|r| r.occurrences = true), [2]);
    assert_eq!(ask("PENALTY", &|r| r.options.ignore_case = true), [1, 2, 3]);
    assert_eq!(ask("1.0", &|r| r.options.fixed = true), [2, 3]);
    assert_eq!(ask("enalty", &|r| r.options.word = true), [] as [u8; 0]);
    assert_eq!(ask("penalty", &|r| r.filter.class = Some("sampler".into())), [] as [u8; 0]);
    // A sign is no part of a line, and a line of context has not changed.
    assert_eq!(ask(r"^-penalty|\+penalty", &|_| ()), [] as [u8; 0]);
    assert_eq!(ask("^other", &|_| ()), [1]);
    assert_eq!(ask(r"^\s*$|^x?$", &|_| ()), [3]);
}

#[test]
fn lines_are_numbered_and_an_absence_is_graded() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let mut asked = request(ollama, r"penalty: (1\.1)");
    asked.context = 1;
    let (hits, answer) = grep(&store, &asked).unwrap();
    let told: Vec<_> = hits[0]
        .lines
        .iter()
        .map(|hit| (hit.path.as_deref().unwrap(), hit.line, hit.text.as_str(), hit.spans.len()))
        .collect();
    assert_eq!(told, [("a/one.go", 1, "penalty: 1.1,", 1), ("a/one.go", 1, "penalty: 1.0,", 0)]);
    assert_eq!(hits[0].first_tag.as_deref(), Some("v2"));
    assert_eq!(answer.coverage[0].1.off_branch, 1);
    let (hits, absent) = grep(&store, &request(ollama, "nothing like it")).unwrap();
    assert!(hits.is_empty());
    assert_eq!(absent.coverage[0].1.grade.as_str(), "grep");
    assert!(absent.rederive[1].starts_with("git log --no-merges --oneline -G'nothing like it'"));
}

#[test]
fn lines_are_counted_by_file_as_fingers_expect() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let told = |detail: Detail, most: Option<usize>| {
        let mut asked = request(ollama, "penalty");
        (asked.detail, asked.most) = (detail, most);
        let (hits, _) = grep(&store, &asked).unwrap();
        let second = hits.iter().find(|hits| hits.sha.as_bytes()[0] == 2);
        second.map(|hits| (hits.count, hits.lines.len()))
    };
    // Two lines of a/one.go, one of b/two.md.
    assert_eq!(told(Detail::Lines, None), Some((3, 3)));
    assert_eq!(told(Detail::Lines, Some(1)), Some((2, 2)));
    assert_eq!(told(Detail::Count, None), Some((3, 0)));
    assert_eq!(told(Detail::Count, Some(1)), Some((2, 0)));
    assert_eq!(told(Detail::Files, None), Some((2, 2)));
    assert_eq!(told(Detail::Lines, Some(0)), None);
}

#[test]
fn commits_alone_are_told_with_what_was_searched() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let matching = commits(&store, &request(ollama, "penalty")).unwrap();
    let (found, coverage) = &matching.coverage[0];
    assert_eq!((*found, coverage.commits.commits_stored(), coverage.patches), (3, 3, 4));
    assert_eq!(coverage.grade.as_str(), "grep");
    let none = commits(&store, &request(ollama, "no such thing")).unwrap();
    assert_eq!(none.coverage[0].1.grade.as_str(), "grep");
}
