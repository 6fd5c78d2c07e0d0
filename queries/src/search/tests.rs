//! Searches of a store of our own making.

use chrono::DateTime;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store, WriteCaches};

use super::{SearchAnswer, SearchRequest, Where, search};
use crate::QueryError;
use crate::grep::Filter;
use crate::grep::tests::{change, commit, settle};

/// Six commits, the fourth one off the branch.
fn store(dir: &std::path::Path) -> Store {
    let mut store = Store::open_or_create(dir).unwrap();
    let upstream = store.ensure_upstream("ollama").unwrap();
    let receipt = store.add_receipt(upstream, "git", "d", DateTime::UNIX_EPOCH).unwrap();
    let mut caches = WriteCaches::default();
    let mut writer = store.writer(upstream, receipt, &mut caches).unwrap();
    let one =
        |path: &str, line: &str| vec![change(path, None, &format!("@@ -0,0 +1 @@\n+{line}\n"))];
    let news = [
        commit(
            1,
            "ada",
            "sampling: lower the repeat_penalty",
            one("api/types.go", "RepeatPenalty: 1.0,"),
        ),
        commit(2, "bob", "cuda: force tiles", one("ggml/cuda.cu", "#ifdef GGML_CUDA_FORCE_MMQ")),
        commit(
            3,
            "ada",
            "server: pass an option (#17679)",
            one("llm/server.go", "args = append(args, \"--flash-attn\")"),
        ),
        commit(4, "eve", "elsewhere: repeat_penalty", one("c.go", "x")),
        commit(
            5,
            "eve",
            "release v0.32.13\n\nSlow attention is fast again: flash it.",
            one("version.go", "y"),
        ),
        commit(6, "bob", "docs: the penalty of repeats", one("docs/a.md", "text")),
    ];
    for new in &news {
        writer.add_commit(new).unwrap();
    }
    writer.add_branch("main", Oid::from_bytes([6; 20]), DateTime::UNIX_EPOCH).unwrap();
    writer.commit().unwrap();
    settle(&mut store, upstream, receipt);
    store
}

fn ask(store: &Store, upstream: &Upstream, query: &str, filter: Filter) -> SearchAnswer {
    let query = query.to_owned();
    let upstreams = vec![upstream];
    search(store, &SearchRequest { query, upstreams, filter, limit: 10, jobs: 2 }).unwrap()
}

/// The commits that have every word, by number, best first.
fn numbers(answer: &SearchAnswer) -> Vec<u8> {
    answer.hits.iter().filter(|hit| hit.every_word).map(|hit| hit.sha.as_bytes()[0]).collect()
}

#[test]
fn names_are_found_whole_and_by_part() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    for (query, expected) in [
        ("repeat_penalty", vec![1, 6]),
        ("RepeatPenalty", vec![1, 6]),
        ("REPEATPENALTY", vec![1]),
        ("GGML_CUDA_FORCE_MMQ", vec![2]),
        ("FORCE_MMQ", vec![2]),
        ("mmq", vec![2]),
        ("--flash-attn", vec![3]),
        ("flash-attn", vec![3]),
        ("attn", vec![3]),
        ("v0.32.13", vec![5]),
        ("0.32.13", vec![5]),
        ("0.32", vec![5]),
        ("#17679", vec![3]),
        ("17679", vec![3]),
    ] {
        let mut found = numbers(&ask(&store, ollama, query, Filter::default()));
        if let Some(best) = found.first() {
            assert_eq!(*best, expected[0], "{query}");
        }
        found.sort();
        assert_eq!(found, expected, "{query}");
    }
    assert_eq!(numbers(&ask(&store, ollama, "penalty", Filter::default())).len(), 2);
    let all = Filter { all: true, ..Filter::default() };
    assert!(numbers(&ask(&store, ollama, "repeat_penalty", all)).contains(&4));
}

#[test]
fn fields_phrases_and_filters_narrow() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let plain = |query: &str| numbers(&ask(&store, ollama, query, Filter::default()));
    // The word itself before a name that has it as a part.
    assert_eq!(plain("subject:penalty"), [6, 1]);
    assert_eq!(plain("added:penalty"), [1]);
    assert_eq!(plain("path:cuda"), [2]);
    assert_eq!(plain("author:eve"), [5]);
    assert_eq!(plain("message:flash"), [5]);
    assert_eq!(plain(r#""flash it""#), [5]);
    assert_eq!(plain(r#""it flash""#), [] as [u8; 0]);
    assert_eq!(plain("upstream:ollama mmq"), [2]);
    let filter = Filter { author: Some("^bob ".into()), ..Filter::default() };
    assert_eq!(numbers(&ask(&store, ollama, "penalty", filter)), [6]);
    let filter = Filter { paths: vec!["docs".into()], ..Filter::default() };
    assert_eq!(numbers(&ask(&store, ollama, "penalty", filter)), [6]);
    let filter = Filter { until: Some(5 * 86_400), ..Filter::default() };
    assert_eq!(numbers(&ask(&store, ollama, "penalty", filter)), [1]);
}

#[test]
fn some_words_come_after_every_word_and_nothing_proves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let answer = ask(&store, ollama, "the penalty of docs", Filter::default());
    assert_eq!(numbers(&answer), [6]);
    assert_eq!(answer.with_every_word, 1);
    assert!(answer.hits[1..].iter().any(|hit| hit.sha.as_bytes()[0] == 1));
    let none = ask(&store, ollama, "zebra", Filter::default());
    assert!(none.hits.is_empty() && none.note.contains("proves nothing"));
    assert_eq!(none.prove[0], "headwater grep -i -F -e zebra");
    let request = SearchRequest {
        query: "., ;".into(),
        upstreams: vec![ollama],
        filter: Filter::default(),
        limit: 3,
        jobs: 1,
    };
    assert!(matches!(search(&store, &request), Err(QueryError::NoWords(_))));
}

#[test]
fn snippets_show_the_words_where_they_stand() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let upstreams = Upstreams::built_in().unwrap();
    let ollama = upstreams.get("ollama").unwrap();
    let answer = ask(&store, ollama, "flash-attn", Filter::default());
    let snippet = answer.hits[0].snippets.iter().find(|s| s.at == Where::Added).unwrap();
    assert_eq!((snippet.path.as_deref(), snippet.line), (Some("llm/server.go"), Some(1)));
    let [start, end] = snippet.spans[0];
    assert!(snippet.text[start..end].ends_with("flash-attn"), "{snippet:?}");
}
