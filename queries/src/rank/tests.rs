//! Rankings of miniature windows of our own writing.

use headwater_store::Oid;
use headwater_store::model::{ChangeStatus, Commit, CommitPatch, FileChange, Person};

use super::*;

/// A commit with one hunk in one file.
fn commit(byte: u8, message: &str, path: &str, lines: &[&str]) -> CommitPatch {
    let person = Person { name: "A".to_owned(), email: "a@example.org".to_owned() };
    let when = chrono::DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let (added, deleted) = lines.iter().fold((0u32, 0u32), |(a, d), line| {
        if line.starts_with('+') { (a + 1, d) } else { (a, d + 1) }
    });
    let hunks = format!("@@ -1,{deleted} +1,{added} @@ void work() {{\n{}\n", lines.join("\n"));
    CommitPatch {
        commit: Commit {
            oid: Oid::from_bytes([byte; 20]),
            tree: Oid::ZERO,
            parents: vec![Oid::ZERO],
            author: person.clone(),
            authored: when,
            committer: person,
            committed: when,
            message: message.to_owned(),
        },
        files: vec![FileChange {
            path: path.to_owned(),
            old_path: None,
            status: ChangeStatus::Modified,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            old_blob: Oid::ZERO,
            new_blob: Oid::ZERO,
            added,
            deleted,
            binary: false,
            gap: false,
            hunks: hunks.into_bytes(),
        }],
    }
}

fn window() -> Vec<CommitPatch> {
    vec![
        commit(1, "docs : how to build", "docs/build.md", &["+Use cmake for the metal build"]),
        commit(
            2,
            "metal : other threadgroups for mul_mv (#41)",
            "ggml/src/ggml-metal/ggml-metal.metal",
            &["-constant int n = 4;", "+constant int n = 8;"],
        ),
        commit(
            3,
            "vulkan : split the flash attention shader (#42)",
            "ggml/src/ggml-vulkan/vulkan-shaders/flash_attn.comp",
            &["+if (row < 4) { barrier(); }", "+// flash attention"],
        ),
        commit(
            4,
            "server : say why a slot is busy (#43)",
            "tools/server/server.cpp",
            &["+SRV_ERR(\"no idle slot was found for the task\");"],
        ),
        commit(
            5,
            "Revert \"metal : other threadgroups for mul_mv (#41)\"\n\nIt was slower.",
            "ggml/src/ggml-metal/ggml-metal.metal",
            &["+constant int n = 4;", "-constant int n = 8;"],
        ),
    ]
}

fn ranked(query: &Query, patches: &[CommitPatch], later: &[Later]) -> Ranking {
    let facets = Facets::shipped().unwrap();
    let weights = Weights::shipped().unwrap();
    let mut reader = Reader::new(&facets).unwrap();
    let features: Vec<CommitFeatures> = patches.iter().map(|patch| reader.read(patch)).collect();
    let mut corpus = CorpusStats::default();
    features.iter().for_each(|commit| corpus.add(commit));
    let question = QuestionReader::new(&facets).unwrap().read(query, &weights).unwrap();
    let candidates: Vec<Candidate<'_>> = features
        .iter()
        .map(|commit| {
            let later = if commit.oid == Oid::from_bytes([2; 20]) { later } else { &[] };
            Candidate { later, ..Candidate::new(commit, &corpus) }
        })
        .collect();
    rank(&question, &candidates, &facets, &weights)
}

fn query(symptom: &str, backend: Option<&str>) -> Query {
    Query { symptom: symptom.to_owned(), backend: backend.map(str::to_owned), ..Query::default() }
}

fn order(ranking: &Ranking) -> Vec<u8> {
    ranking.commits.iter().map(|c| c.oid.as_bytes()[0]).collect()
}

#[test]
fn words_and_backend_put_the_right_commit_first_with_its_reasons() {
    let asked = query("Prefill with -fa became slow", Some("vulkan"));
    let ranking = ranked(&asked, &window(), &[]);
    assert_eq!(order(&ranking)[0], 3);
    let first = &ranking.commits[0];
    assert!(first.reasons.iter().any(|r| r.words == "the backend in question: vulkan"));
    assert!(first.reasons.iter().any(|r| r.words.contains("flash attention")), "{first:?}");
    assert!(first.reasons.windows(2).all(|r| r[0].points.abs() >= r[1].points.abs()));
    let sum: f64 = first.reasons.iter().map(|r| r.points).sum();
    assert!((sum - first.score).abs() < 1e-9);
    let metal = ranking.commits.iter().find(|c| c.oid.as_bytes()[0] == 2).unwrap();
    assert!(metal.contradicted && !first.contradicted);
}

#[test]
fn where_a_commit_stands_does_not_count() {
    let asked = query("the server says that no idle slot was found", None);
    let mut patches = window();
    let before = order(&ranked(&asked, &patches, &[]));
    patches.reverse();
    assert_eq!(before, order(&ranked(&asked, &patches, &[])));
    assert_eq!(before[0], 4);
}

#[test]
fn what_the_report_says_is_fine_is_not_looked_for() {
    let asked = query("Answers are noise with flash attention; slots are fine.", None);
    let ranking = ranked(&asked, &window(), &[]);
    assert_eq!(order(&ranking)[0], 3);
    let server = ranking.commits.iter().find(|c| c.oid.as_bytes()[0] == 4).unwrap();
    assert!(server.reasons.iter().all(|r| !r.words.contains("slot")), "{server:?}");
}

#[test]
fn a_change_that_is_undone_in_the_window_falls_with_its_revert() {
    let ranking = ranked(&query("mul_mv is slow", Some("metal")), &window(), &[]);
    for byte in [2, 5] {
        let commit = ranking.commits.iter().find(|c| c.oid.as_bytes()[0] == byte).unwrap();
        assert!(commit.reasons.iter().any(|r| r.words.starts_with("undone within")), "{commit:?}");
    }
}

#[test]
fn a_later_revert_is_a_reason_of_its_own() {
    let patches = &window()[..4];
    let asked = query("noise", None);
    let points = |later: &[Later]| {
        let ranking = ranked(&asked, patches, later);
        let found = ranking.commits.iter().find(|c| c.oid.as_bytes()[0] == 2).unwrap();
        (found.score, found.reasons.clone())
    };
    let later = [Later {
        by: Oid::from_bytes([9; 20]),
        kind: MentionKind::Revert,
        place: "in b77".to_owned(),
    }];
    let (without, with) = (points(&[]), points(&later));
    assert!(with.0 > without.0 + 1.0);
    assert!(with.1.iter().any(|r| r.words == "reverted by 090909090 in b77"), "{with:?}");
}

#[test]
fn a_window_of_documents_holds_nothing() {
    let patches = &window()[..1];
    assert_eq!(ranked(&query("metal is slow", None), patches, &[]).outlook, Outlook::Nothing);
    assert_eq!(ranked(&query("zzz", None), &window()[1..2], &[]).outlook, Outlook::Faint);
    assert_eq!(ranked(&query("mul_mv", None), &window()[1..2], &[]).outlook, Outlook::Open);
    assert_eq!(ranked(&query("", None), &window()[1..2], &[]).outlook, Outlook::Open);
}

#[test]
fn the_maps_of_areas_are_guarded_by_their_examples() {
    let facets = Facets::shipped().unwrap();
    for area in &facets.areas {
        let asks = |report: &str| {
            facets.area_names(facets.asked_areas(report)).contains(&area.name.as_str())
        };
        for report in &area.must {
            assert!(asks(report), "{} must be asked for by {report:?}", area.name);
        }
        for report in &area.must_not {
            assert!(!asks(report), "{} must not be asked for by {report:?}", area.name);
        }
    }
}

#[test]
fn a_backend_is_told_by_its_machine() {
    let facets = Facets::shipped().unwrap();
    let told = |report: &str| -> Vec<String> {
        facets.hinted(report).unwrap().into_iter().map(|(name, _)| name.to_owned()).collect()
    };
    assert_eq!(told("slow on an RTX 3060"), ["cuda"]);
    assert_eq!(told("with RADV on Linux"), ["vulkan"]);
    assert_eq!(told("noise on an M4 Pro"), ["metal"]);
    assert_eq!(told("ROCm 6.4, gfx1030"), ["hip"]);
    assert_eq!(told("it is slow"), Vec::<String>::new());
}

#[test]
fn hip_shares_code_with_cuda_but_not_with_vulkan() {
    let facets = Facets::shipped().unwrap();
    let rules = FileRules::new(&facets).unwrap();
    let files = |path: &str| rules.files([(path, false)]).backends;
    let wanted = facets.wanted("hip");
    assert_ne!(files("ggml/src/ggml-cuda/mmq.cu") & wanted, 0);
    assert_eq!(files("ggml/src/ggml-vulkan/ggml-vulkan.cpp") & wanted, 0);
    // It is built from CUDA's code, and CUDA from none of its own.
    let cuda = facets.wanted("cuda");
    assert_ne!(files("ggml/src/ggml-cuda/mmq.cu") & cuda, 0);
    assert_eq!(files("ggml/src/ggml-hip/CMakeLists.txt") & cuda, 0);
    assert_eq!(facets.wanted("nonsense"), 0);
}

fn reasons(ranking: &Ranking, byte: u8) -> Vec<ReasonKind> {
    let found = ranking.commits.iter().find(|c| c.oid.as_bytes()[0] == byte).unwrap();
    found.reasons.iter().map(|reason| reason.kind).collect()
}

#[test]
fn what_only_adds_stands_behind_what_changes() {
    let many: Vec<String> = (0..40).map(|n| format!("+int table_{n} = {n};")).collect();
    let mut lines: Vec<&str> = many.iter().map(String::as_str).collect();
    let path = "ggml/src/ggml-vulkan/ggml-vulkan.cpp";
    let adds = commit(1, "vulkan : tables of waves (#1)", path, &lines);
    lines.extend(["-int old_a = 1;", "-int old_b = 2;"]);
    let changes = commit(2, "vulkan : tables of waves (#2)", path, &lines);
    let ranking = ranked(&query("slow", Some("vulkan")), &[adds, changes], &[]);
    assert_eq!(order(&ranking), [2, 1]);
    assert!(reasons(&ranking, 1).contains(&ReasonKind::AddsOnly));
    assert!(!reasons(&ranking, 2).contains(&ReasonKind::AddsOnly));
}

#[test]
fn new_links_are_no_change() {
    let path = "ggml/src/ggml-metal/ggml-metal.m";
    let lines = ["-// see https://a.example/1", "+// see https://b.example/1"];
    let links = commit(1, "metal : new links", path, &lines);
    let ranking = ranked(&query("metal crashes", Some("metal")), &[links], &[]);
    assert!(ranking.commits[0].inert, "{ranking:?}");
    assert_eq!(reasons(&ranking, 1)[0], ReasonKind::InertFiles);
}

#[test]
fn a_backend_does_not_count_where_all_are_hit() {
    let of = |symptom: &str| reasons(&ranked(&query(symptom, Some("metal")), &window(), &[]), 2);
    assert!(of("mul_mv is wrong with Metal").contains(&ReasonKind::Backend));
    assert!(!of("mul_mv is wrong with both Metal and CPU").contains(&ReasonKind::Backend));
}

#[test]
fn programs_that_fail_alike_do_not_say_where() {
    let of = |symptom: &str| reasons(&ranked(&query(symptom, None), &window(), &[]), 4);
    assert!(of("llama-server fails at start").contains(&ReasonKind::Part));
    assert!(!of("llama-server and llama-bench fail at start").contains(&ReasonKind::Part));
}

#[test]
fn less_of_what_helps_did_not_break_it() {
    let path = "ggml/src/ggml-cuda/ggml-cuda.cu";
    let lines = ["-a();", "+b();"];
    let skips = commit(1, "cuda : skip fusion of bias (#1)", path, &lines);
    let fuses = commit(2, "cuda : more fusion of norms (#2)", path, &lines);
    let asked = query("crashes at once; disabling fusion avoids it", Some("cuda"));
    assert_eq!(order(&ranked(&asked, &[skips, fuses], &[])), [2, 1]);
}
