//! The histories hold each thing that readers of git may stumble over.

use std::collections::BTreeMap;

use headwater_demo::{Repository, build, llama_cpp, ollama::names};

#[test]
fn ids_are_the_same_everywhere() {
    let one = tempfile::tempdir().unwrap();
    let two = tempfile::tempdir().unwrap();
    let (one, two) = (build(one.path()).unwrap(), build(two.path()).unwrap());
    for (a, b) in [(&one.ollama, &two.ollama), (&one.llama_cpp, &two.llama_cpp)] {
        let (a, b): (BTreeMap<_, _>, BTreeMap<_, _>) = (a.names().collect(), b.names().collect());
        assert_eq!(a, b);
        assert!(a.len() > 39);
    }
    let refs = |r: &Repository| r.git(&["for-each-ref"]).unwrap();
    assert_eq!(refs(&one.ollama), refs(&two.ollama));
    assert_eq!(refs(&one.llama_cpp), refs(&two.llama_cpp));
    // On any machine: whoever changes the histories changes these.
    let newest = one.ollama.sha(names::NEWEST);
    assert_eq!(newest, Some("2b3bc797164892034fecfff3a7c1e4f8e57bd641"));
    let newest = one.llama_cpp.sha(llama_cpp::names::NEWEST);
    assert_eq!(newest, Some("9ba529c9fcdf5df3f7b7b64fa612314c6f0c9e1d"));
}

#[test]
fn git_finds_nothing_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let demo = build(dir.path()).unwrap();
    for repository in [&demo.ollama, &demo.llama_cpp] {
        let said = repository.git(&["fsck", "--full", "--strict", "--no-dangling"]).unwrap();
        assert_eq!(said, "");
    }
}

#[test]
fn each_oddity_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let demo = build(dir.path()).unwrap();
    let raw = |name: &str| {
        let sha = demo.ollama.sha(name).unwrap();
        demo.ollama.git(&["show", "--format=", "--raw", "-M", "--abbrev=4", sha]).unwrap()
    };
    let patch = |name: &str| {
        let sha = demo.ollama.sha(name).unwrap();
        demo.ollama.git(&["show", "--format=%s%n%b", "-M", sha]).unwrap()
    };
    let status = |name: &str| {
        raw(name).lines().filter_map(|l| l.split(' ').nth(4)?.chars().next()).collect::<String>()
    };
    assert!(raw(names::RENAME).contains("docs/faq.mdx\tdocs/help/faq.mdx"));
    assert_eq!(status(names::RENAME), "R");
    assert!(!raw(names::RENAME).contains(" R100"), "with edits");
    assert!(patch(names::BINARY).contains("Binary files"));
    assert!(patch(names::MODE).contains("new mode 100755"));
    assert!(!patch(names::MODE).contains("@@"));
    assert!(patch(names::CRLF).contains("+Copy-Item -Force * $dir\r"));
    assert!(patch(names::NO_NEWLINE).contains("\\ No newline at end of file"));
    assert!(raw(names::SYMLINK).contains(" 120000 "));
    assert_eq!(status(names::TYPE_CHANGE), "TA");
    assert!(patch(names::NON_ASCII).starts_with("docs: Grüße, 世界"));
    assert!(raw(names::NON_ASCII).contains("gr\\303\\274"), "git quotes the path");
    assert!(patch(names::LATIN1).starts_with("docs: les mots français"), "git recodes");
    assert!(patch(names::HEADER_LINES).contains("\n--- a/chats\n+++ b/chats\n"));
    assert_eq!(raw(names::QUOTED_PATHS).lines().count(), 5);
    assert_eq!(status(names::EMPTY), "");
    let silent = demo.ollama.sha(names::SILENT).unwrap();
    assert_eq!(demo.ollama.git(&["show", "-s", "--format=[%an|%B]", silent]).unwrap(), "[|]");
    let hostile = patch(names::HOSTILE);
    for part in
        ["\u{1b}[31m", "\u{1b}]52;", "\u{202e}", "<script>", "@someone", "\n--- a/api/types.go\n"]
    {
        assert!(hostile.contains(part), "{part:?}");
    }
}
