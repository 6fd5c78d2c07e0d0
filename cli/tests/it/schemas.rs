//! The JSON schemas: that docs/schemas is what the binary writes. What the other tests make
//! the binary print is held against them by `clients/documents.py`.

use std::path::Path;

use crate::support::Place;

#[test]
fn the_schemas_in_docs_are_those_of_the_binary() {
    let place = Place::new();
    let written = place.dir.path().join("schemas");
    place.ok(&["schema", "--write", &written.display().to_string()]);
    let kept = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/schemas"));
    let names = |dir: &Path| {
        let entries = std::fs::read_dir(dir).into_iter().flatten();
        let mut all: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        all.sort();
        all
    };
    assert_eq!(names(kept), names(&written), "run: headwater schema --write docs/schemas");
    for name in names(&written) {
        let text = |dir: &Path| std::fs::read_to_string(dir.join(&name)).unwrap();
        assert!(
            text(kept) == text(&written),
            "{name:?} is not up to date: headwater schema --write docs/schemas"
        );
    }
}

#[test]
fn a_schema_is_found_by_its_documents_name() {
    let place = Place::new();
    let list = place.json(&["schema"]);
    assert_eq!(list["schema"], "headwater/schemas/1");
    let why = place.json(&["schema", "why"]);
    assert_eq!(why, place.json(&["schema", "headwater/why/1"]));
    assert_eq!(why["title"], "headwater/why/1");
    assert_eq!(why["properties"]["schema"]["const"], "headwater/why/1");
    let required = why["required"].as_array().unwrap();
    assert!(required.iter().any(|name| name == "candidates"), "{required:?}");
    assert!(!required.iter().any(|name| name == "mine"), "left out where it was not asked for");
    let line = place.error(&["schema", "wy"]);
    assert!(line.contains("\"wy\"") && line.contains("rules-test"), "{line}");
}
