//! What a model or a backend cannot meet, and what is undone within the window.

use headwater_demo::{History, Repository};
use serde_json::Value;

use crate::support::Place;

const LIST: &str = "fs/ggml/ggml.go";
const KERNEL: &str = "ml/backend/ggml/ggml/src/ggml-cuda/memory.cu";
const SCAN: &str = "ml/backend/ggml/ggml/src/ggml-cuda/ssm-scan.cu";
const ENV: &str = "envconfig/config.go";
const NAMES: [&str; 6] = ["list", "own", "hip", "scan", "up", "down"];

fn flash(names: &[&str]) -> String {
    let names: String = names.iter().map(|name| format!("\t\t\"{name}\",\n")).collect();
    format!(
        "package ggml\n\nfunc (f GGML) FlashAttention() bool {{\n\treturn slices.Contains([]string{{\n{names}\t}}, f.KV().String(\"general.architecture\"))\n}}\n"
    )
}

fn memory(condition: &str) -> String {
    format!("void f() {{\n    a();\n#if {condition}\n    b();\n#endif // {condition}\n}}\n")
}

fn env(parallel: u32) -> String {
    format!("package envconfig\n\nvar NumParallel = Uint(\"OLLAMA_NUM_PARALLEL\", {parallel})\n")
}

fn upstream(place: &Place) -> Repository {
    let mut h = History::new("main");
    h.clock("2026-01-05T10:00:00+00:00");
    h.commit("first", "ollama: first", |c| {
        c.write(LIST, &flash(&["gemma2", "qwen3"]))
            .write(KERNEL, &memory("defined(__linux__)"))
            .write(SCAN, "void scan() {\n    a(1);\n}\n")
            .write(ENV, &env(1))
            .write("runner/ollamarunner/runner.go", "package ollamarunner\n");
    });
    h.tag("v0.1.0");
    h.commit("list", "ggml: laguna", |c| {
        c.write(LIST, &flash(&["gemma2", "laguna", "qwen3"]));
    });
    h.commit("own", "ggml: gemma", |c| {
        c.write(LIST, &flash(&["gemma2", "gemma3", "laguna", "qwen3"]));
    });
    h.commit("hip", "cuda: another way for HIP", |c| {
        c.write(KERNEL, &memory("defined(__linux__) && !defined(GGML_USE_HIP)"));
    });
    h.commit("scan", "cuda: a faster scan", |c| {
        c.write(SCAN, "void scan() {\n    a(2);\n}\n");
    });
    h.commit("up", "envconfig: more at once", |c| {
        c.write(ENV, &env(4));
    });
    h.commit("down", "envconfig: as it was", |c| {
        c.write(ENV, &env(1));
    });
    h.tag("v0.1.1").branch_here();
    Repository::create(place.dir.path(), "ollama.git", h).unwrap()
}

/// The verdict on each commit, by its name, and why.
fn verdicts(report: &Value, clone: &Repository) -> Vec<(String, String)> {
    let all = report["candidates"].as_array().unwrap();
    let of = |name: &str| {
        let sha = clone.sha(name).unwrap();
        let found = all.iter().find(|one| one["sha"] == sha).unwrap();
        let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        (text("verdict"), text("verdict_reason"))
    };
    NAMES.map(of).to_vec()
}

#[test]
fn what_cannot_be_met_and_what_is_undone_is_ruled_out_with_its_reason() {
    let place = Place::new();
    let clone = upstream(&place);
    place.ok(&["crawl", "ollama", "--from-git", &clone.path().display().to_string()]);
    let ask = |rest: &[&str]| place.json(&[&["why", "ollama", "v0.1.0..v0.1.1"], rest].concat());

    let report = ask(&["--model", "gemma3:4b", "--backend", "cuda"]);
    let found = verdicts(&report, &clone);
    let expected = [
        ("excluded", "for other architectures, not gemma3"),
        ("candidate", ""),
        ("off-path", "not compiled for cuda"),
        ("excluded", "state-space and gated recurrent layers"),
        (
            "excluded",
            "all of the 2 changed lines are put back, and at v0.1.1 its files are what they were at v0.1.0",
        ),
        ("excluded", "takes back"),
    ];
    for ((name, (verdict, why)), (is, says)) in NAMES.iter().zip(&found).zip(expected) {
        assert_eq!(verdict, is, "{name}: {why}");
        assert!(why.contains(says), "{name}: {why}");
    }
    let events = report["default_events"].as_array().unwrap();
    let event = |name: &str| {
        let sha = clone.sha(name).unwrap();
        events.iter().find(|one| one["sha"] == sha).unwrap()
    };
    assert_eq!(event("list")["not_met"], "the change names laguna, not gemma3");
    assert_eq!(event("own")["not_met"], Value::Null);
    assert_eq!(event("up")["back_by"], "v0.1.1");
    let screen = place.ok(&["why", "ollama", "v0.1.0..v0.1.1", "--model", "gemma3:4b"]);
    assert!(
        screen.contains("back again: OLLAMA_NUM_PARALLEL moved, and at v0.1.1 as before"),
        "{screen}"
    );
    assert!(screen.contains("not met: ollama FlashAttention"), "{screen}");

    // Of a model whose architecture nobody knows nothing is ruled out, nor for another backend.
    let found = verdicts(&ask(&["--model", "solar:10b", "--backend", "hip"]), &clone);
    let open = found.iter().filter(|(verdict, _)| verdict == "candidate").count();
    assert_eq!(open, 4, "{found:?}");
}
