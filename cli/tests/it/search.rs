//! Full-text search, from outside.

use headwater_demo::ollama::names;
use serde_json::Value;

use crate::support::Place;

fn search(place: &Place, words: &[&str]) -> Value {
    let args = [&["search", "--format", "json"][..], words].concat();
    serde_json::from_str(&place.ok(&args)).unwrap()
}

#[test]
fn names_are_found_whole_and_by_part() {
    let mut place = Place::crawled();
    place
        .demo
        .ollama
        .append(|h| {
            h.commit("names", "server: honour --flash-attn, see v0.32.13 (#17679)", |c| {
                c.write("llm/odd.txt", "#ifdef GGML_CUDA_FORCE_MMQ\nrepeat_penalty\n");
            });
            h.branch_here();
        })
        .unwrap();
    place.crawl();
    let sha = place.ollama("names");
    for words in [
        &["repeat_penalty"][..],
        &["GGML_CUDA_FORCE_MMQ"],
        &["force_mmq"],
        &["flash-attn"],
        &["--", "--flash-attn"],
        &["v0.32.13"],
        &["0.32.13"],
        &["#17679"],
        &["17679"],
        &["subject:flash", "path:llm"],
        &["server", "honour"],
        &["\"server: honour\""],
    ] {
        let found = search(&place, words);
        let hits = found["hits"].as_array().unwrap();
        let hit = hits.iter().find(|hit| hit["sha"] == sha.as_str());
        assert!(hit.is_some_and(|hit| hit["every_word"] == true), "{words:?}: {found}");
    }
    // Newer than every tag.
    let hit = &search(&place, &["#17679"])["hits"][0];
    assert_eq!((&hit["sha"], &hit["first_tag"]), (&Value::from(sha), &Value::Null));
    let snippet = &hit["snippets"][0];
    let (start, end) = (&snippet["spans"][0][0], &snippet["spans"][0][1]);
    let (start, end) = (start.as_u64().unwrap() as usize, end.as_u64().unwrap() as usize);
    assert_eq!(&snippet["text"].as_str().unwrap()[start..end], "#17679");
}

#[test]
fn the_screen_says_what_it_is_not_for_and_names_the_proof() {
    let place = Place::crawled();
    let found = place.ok(&["search", "repeat_penalty"]);
    assert!(found.contains("api/types.go:"), "{found}");
    assert!(found.contains("proves nothing"), "{found}");
    let proof = found.lines().find_map(|line| line.strip_prefix("exact: headwater ")).unwrap();
    let args: Vec<&str> = proof.split(' ').collect();
    assert_eq!(place.run(&args).status.code(), Some(0), "{proof}");
    let none = place.run(&["search", "no_such_word_anywhere"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&none.stdout).contains("proves nothing"));
    assert!(place.error(&["search", ".,;"]).contains("no word to look for"));
    assert!(place.error(&["search", "x", "--class", "no-such"]).contains("no-such"));
    let md = place.ok(&["search", "repeat_penalty", "--format", "md"]);
    assert!(md.contains("| rank |") && md.contains("repeat\\_penalty"), "{md}");
}

#[test]
fn flags_narrow_and_a_tag_is_told() {
    let place = Place::crawled();
    let sha = place.ollama(names::PENALTY);
    let has = |args: &[&str]| {
        let answer = search(&place, args);
        answer["hits"].as_array().unwrap().iter().any(|hit| hit["sha"] == sha.as_str())
    };
    assert!(has(&["RepeatPenalty", "-n", "50"]));
    assert!(has(&[
        "RepeatPenalty",
        "--upstream",
        "ollama",
        "--path",
        "api",
        "--class",
        "default-change"
    ]));
    assert!(has(&["RepeatPenalty", "--window", "v0.6.0..v0.6.1", "--upstream", "ollama"]));
    let output = place.run(&["search", "RepeatPenalty", "--path", "cmake"]);
    assert_eq!(output.status.code(), Some(1));
    let output = place.run(&["search", "RepeatPenalty", "--until", "2020-01-01"]);
    assert_eq!(output.status.code(), Some(1));
    let tag = search(&place, &["0.6.1"]);
    assert_eq!(tag["tags"][0]["tag"], "v0.6.1");
}
