//! An upstream of the user's own: the files in docs/examples, on a miniature of our own.

use std::path::Path;

use headwater_demo::{History, Repository};
use serde_json::{Value, json};

use crate::support::Place;

/// The commits of ggml that the miniature's tags name.
const GGML: [&str; 3] = [
    "1111111111111111111111111111111111111111",
    "2222222222222222222222222222222222222222",
    "3333333333333333333333333333333333333333",
];

/// A whisper.cpp in miniature, with the tags of the worked example in docs/upstreams.md.
pub fn whisper(dir: &Path) -> Repository {
    let mut h = History::new("master");
    h.clock("2024-04-01T10:00:00+00:00");
    h.commit("first", "whisper : first", |c| {
        c.write("extra/sync-ggml.last", &format!("{}\n", GGML[0]))
            .write(
                "examples/main/main.cpp",
                "struct whisper_params {\n    int32_t beam_size = 2;\n    bool flash_attn = false;\n};\n",
            )
            .write(
                "whisper.cpp",
                "struct whisper_context_params whisper_context_default_params() {\n    struct whisper_context_params result = {\n        /*.flash_attn =*/ false,\n    };\n    return result;\n}\n",
            );
    });
    h.tag("v1.5.4");
    h.commit("moved", "files : to their places", |c| {
        c.rename("extra/sync-ggml.last", "scripts/sync-ggml.last")
            .rename("examples/main/main.cpp", "examples/cli/cli.cpp")
            .rename("whisper.cpp", "src/whisper.cpp")
            .write("scripts/sync-ggml.last", &format!("{}\n", GGML[1]));
    });
    h.tag("v1.7.6").tag("1.7.6-binding");
    h.commit("eager", "whisper : quicker attention (#41)", |c| {
        c.edit("examples/cli/cli.cpp", "flash_attn = false", "flash_attn = true").edit(
            "src/whisper.cpp",
            "flash_attn =*/ false",
            "flash_attn =*/ true",
        );
    });
    h.commit("beams", "cli : more beams (#42)", |c| {
        c.edit("examples/cli/cli.cpp", "beam_size = 2", "beam_size = 5");
    });
    h.commit("sync", "sync : ggml", |c| {
        c.write("scripts/sync-ggml.last", &format!("{}\n", GGML[2]));
    });
    h.tag("v1.8.0").branch_here();
    Repository::create(dir, "whisper.cpp.git", h).unwrap()
}

/// Copies docs/examples to where headwater looks for the user's files.
pub fn configure(place: &Place) {
    fn copy(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let target = to.join(path.file_name().unwrap());
            if path.is_dir() {
                copy(&path, &target);
            } else {
                std::fs::copy(&path, target).unwrap();
            }
        }
    }
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples"));
    copy(examples, &place.dir.path().join("home/.config/headwater"));
}

#[test]
fn an_upstream_of_ones_own_is_a_file() {
    let place = Place::new();
    configure(&place);
    let clone = whisper(place.dir.path());
    let told = place.ok(&["rules", "test"]);
    assert!(told.contains("2 of them yours\n") && told.contains(" 0 failures"), "{told}");
    place.ok(&["crawl", "whisper.cpp", "--from-git", &clone.path().display().to_string()]);

    // Each home of the pin is read, by the tags that have it.
    let pins = place.json(&["pins", "whisper.cpp"]);
    let row = |tag: &str| {
        let rows = pins["pins"].as_array().unwrap();
        let row = rows.iter().find(|row| row["tag"] == tag).unwrap();
        (row["value"].clone(), row["home"].clone())
    };
    assert_eq!(row("v1.5.4"), (json!(GGML[0]), json!("extra/sync-ggml.last")));
    assert_eq!(row("v1.7.6"), (json!(GGML[1]), json!("scripts/sync-ggml.last")));

    let file = place.json(&["file", "whisper.cpp@v1.7.6:scripts/sync-ggml.last"]);
    assert_eq!(
        (&file["text"], &file["grade"]),
        (&json!(format!("{}\n", GGML[1])), &json!("record"))
    );

    // The defaults that moved come first, with their ways back; what the pin brings is a gap.
    let why = place.json(&["why", "whispercpp", "1.7.6..1.8.0", "--offline"]);
    let mut first = [&why["candidates"][0]["sha"], &why["candidates"][1]["sha"]];
    let mut moved = ["eager", "beams"].map(|name| clone.sha(name).unwrap());
    first.sort_by_key(|sha| sha.as_str());
    moved.sort_unstable();
    assert_eq!(first.map(|sha| sha.as_str().unwrap_or_default()), moved);
    let events = why["default_events"].as_array().unwrap();
    let way = |knob: &str| {
        let event = events.iter().find(|event| event["knob"] == knob).unwrap();
        event["restore"].as_array().unwrap().iter().map(|way| way["text"].clone()).collect()
    };
    let ways: Vec<Value> = way("whisper_params.flash_attn");
    assert_eq!(ways, [json!("--no-flash-attn")]);
    let ways: Vec<Value> = way("whisper_params.beam_size");
    assert_eq!(ways, [json!("--beam-size 2")]);
    let nested = &why["nested"][0];
    assert_eq!((&nested["pin_base"], &nested["pin_head"]), (&json!(GGML[1]), &json!(GGML[2])));
    assert!(nested["gap"].as_str().unwrap().contains("ggml is not tracked"), "{nested}");

    // Where a way back is not known, none is claimed not to be.
    let library = "whisper_context_params.flash_attn";
    let history = place.ok(&["defaults", "whisper.cpp", "--knob", library, "--history"]);
    assert!(history.contains("no way back known"), "{history}");

    // How far behind it is cannot be told, and that is said.
    let lag = place.json(&["lag", "whisper.cpp"]);
    assert_eq!(lag["releases"], json!([]));
    let note = lag["notes"][0].as_str().unwrap();
    assert!(note.contains(GGML[2]) && note.contains("not tracked"), "{note}");
}

#[test]
fn extractors_of_ones_own_are_held_to_their_examples() {
    let place = Place::new();
    configure(&place);
    let file = place.dir.path().join("home/.config/headwater/rules/defaults/whisper.cpp.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("eager false -> true", "eager true -> false")).unwrap();
    let output = place.run(&["rules", "test"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("whisper-cli: on \""), "{told}");
    assert!(told.contains("whisper_params.eager false -> true; its example says"), "{told}");

    // An upstream that nobody declares is a slip of the pen.
    std::fs::write(&file, text.replace("[\"whisper.cpp\"]", "[\"whispr.cpp\"]")).unwrap();
    let told = String::from_utf8(place.run(&["rules", "test"]).stdout).unwrap();
    assert!(told.contains("whispr.cpp"), "{told}");
}
