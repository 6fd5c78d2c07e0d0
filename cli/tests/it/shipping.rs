//! `headwater contains` and `headwater lag`.

use super::support::Place;
use headwater_demo::{BASE, HEAD, PIN_BASE, PIN_HEAD, llama_cpp, ollama};

#[test]
fn a_release_holds_what_its_pin_holds_and_twins_of_its_own() {
    let place = Place::crawled();
    let asked = |args: &[&str], code: i32| {
        let output = place.run(&[&["contains"], args].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        text
    };
    let penalty = place.ollama(ollama::names::PENALTY);
    asked(&["ollama", HEAD, &penalty[..9]], 0);
    let told = asked(&["ollama", BASE, &penalty[..9]], 1);
    assert!(told.contains("does not hold"), "{told}");
    // A candidate for a release is no release, and is told as what it is.
    let fork = place.ollama(ollama::names::FORK);
    let told = asked(&["ollama", BASE, &fork[..9]], 0);
    let words = format!("it is first in {BASE}-rc1, and in {BASE} of the final releases");
    assert!(told.contains(&words), "{told}");
    let one = &place.json(&["contains", "ollama", BASE, &fork[..9]])["commits"][0];
    assert_eq!(one["first_final_shipped"], BASE);
    // The newest commit of the nested window came with the pin, and not before.
    let graph = place.llama_cpp(llama_cpp::names::LOAD_MODE);
    let told = asked(&["ollama", HEAD, &graph[..9]], 0);
    assert!(told.contains(PIN_HEAD) && told.contains("merge-base --is-ancestor"), "{told}");
    let told = asked(&["ollama", BASE, &format!("llama.cpp@{graph}")], 1);
    assert!(told.contains(PIN_BASE), "{told}");
    // A cherry-pick that BASE has under another id.
    let shipped = place.json(&["why", "ollama", &format!("{BASE}..{HEAD}")]);
    let candidates = shipped["candidates"].as_array().unwrap();
    let twin = candidates
        .iter()
        .find(|c| c["reasons"].to_string().contains("shipped in"))
        .and_then(|c| c["sha"].as_str())
        .unwrap();
    let told = asked(&["ollama", BASE, &twin[..10]], 0);
    assert!(told.contains("as its twin"), "{told}");
}

#[test]
fn a_change_that_is_not_stored_is_not_known_and_no_no() {
    let place = Place::crawled();
    let named = place.run(&["contains", "ollama", "latest", "#999999"]);
    assert!(String::from_utf8_lossy(&named.stderr).contains("ollama#999999"));
    assert!(place.error(&["pins", "ollama", "--tag", "v9.9.9"]).contains("nearest tags"));
    let line = place.error(&["contains", "ollama", HEAD, "#999999"]);
    assert!(line.contains("ollama#999999"), "{line}");
    let line = place.error(&["contains", "ollama", HEAD, "what"]);
    assert!(line.contains("llama.cpp#26802"), "{line}");
}

#[test]
fn each_release_is_behind_by_days_and_commits() {
    let place = Place::crawled();
    let lag = place.json(&["lag", "ollama"]);
    let rows = lag["releases"].as_array().unwrap();
    assert!(rows.len() > 2);
    let head = rows.iter().find(|row| row["tag"] == HEAD && row["pin"] == "llama.cpp").unwrap();
    assert_eq!(head["value"], PIN_HEAD);
    // Counted by git: what the branch had when the release's commit was made.
    let repository = &place.demo.llama_cpp;
    let date = place.demo.ollama.git(&["log", "-1", "--format=%cI", HEAD]).unwrap();
    let until = format!("--until={}", date.trim());
    let count = repository
        .git(&["rev-list", "--count", &until, &format!("refs/tags/{PIN_HEAD}..master")])
        .unwrap();
    assert_eq!(head["commits"].to_string(), count.trim());
    let newest = rows[0]["value"].as_str().unwrap();
    let lacked = format!("refs/tags/{newest}..master");
    let now = repository.git(&["rev-list", "--count", &lacked]).unwrap();
    assert_eq!(lag["now"]["llama.cpp"].to_string(), now.trim());
    let table = place.ok(&["lag"]);
    assert!(table.contains("DAYS BEHIND"), "{table}");
    // A pin of an upstream that nobody declared has no row, and that is said.
    let notes: Vec<&str> = table.lines().filter(|line| line.starts_with("note: ")).collect();
    assert!(notes.iter().any(|note| note.contains(" pins mlx 0.3")), "{notes:?}");
    assert!(notes.iter().all(|note| note.contains("docs/upstreams.md")), "{notes:?}");
}
