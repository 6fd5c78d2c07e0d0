//! Every extractor's own examples: what must give an event, and what must not.

use super::*;

fn told(extractors: &Extractors, events: &[Event]) -> Vec<String> {
    let _ = extractors;
    let side = |v: &Option<String>| v.clone().unwrap_or_else(|| "none".to_owned());
    events.iter().map(|e| format!("{} {} -> {}", e.knob, side(&e.old), side(&e.new))).collect()
}

/// A path that an extractor's globs match: the first, its stars filled in.
fn sample_path(pattern: &str) -> String {
    pattern.replace("**/", "").replace("/**", "/x").replace('*', "x")
}

#[test]
fn every_example_gives_its_events_and_no_other() {
    let extractors = Extractors::built_in().unwrap();
    let mut session = Session::new(&extractors);
    for (n, compiled) in extractors.all.iter().enumerate() {
        let rule = &compiled.rule;
        assert!(!rule.examples.is_empty(), "{} has no example", rule.id);
        assert!(
            rule.examples.iter().any(|e| !e.events.is_empty()),
            "{} has no example with an event",
            rule.id
        );
        let upstream = rule.upstreams.first().map_or("any", String::as_str);
        let path = sample_path(&rule.paths[0]);
        assert!(extractors.reading(upstream, &path).contains(&n), "{}: {path}", rule.id);
        for example in &rule.examples {
            let mut table = |text: &str| {
                let mut table = session.table(upstream, &path, text.as_bytes());
                table.retain(|e| e.extractor == n);
                table
            };
            let file = FileTables {
                old_path: Some(path.clone()),
                path: Some(path.clone()),
                before: table(&example.before),
                after: table(&example.after),
            };
            let mut got = told(&extractors, &extractors.events(&[file]));
            let mut want = example.events.clone();
            got.sort();
            want.sort();
            assert_eq!(got, want, "{}: {}", rule.id, example.shows);
        }
    }
}

#[test]
fn a_knob_that_moves_to_another_file_is_compared_with_itself() {
    let extractors = Extractors::built_in().unwrap();
    let mut session = Session::new(&extractors);
    let (old, new) = (
        "struct gpt_params { int a = 1; int b = 2; };",
        "struct common_params { int a = 1; int b = 3; };",
    );
    let before = session.table("llama.cpp", "examples/common.h", old.as_bytes());
    let after = session.table("llama.cpp", "common/common.h", new.as_bytes());
    let files = [
        FileTables { old_path: Some("examples/common.h".into()), before, ..FileTables::default() },
        FileTables { path: Some("common/common.h".into()), after, ..FileTables::default() },
    ];
    let events = extractors.events(&files);
    assert_eq!(told(&extractors, &events), ["common_params.b 2 -> 3"]);
    assert_eq!((events[0].path.as_str(), events[0].line), ("common/common.h", 1));
    assert_eq!(events[0].before, Some(("examples/common.h".to_owned(), 1)));
}

#[test]
fn a_knob_whose_homes_part_has_the_values_that_it_had() {
    let extractors = Extractors::built_in().unwrap();
    let mut session = Session::new(&extractors);
    let mut table = |path: &str, text: &str| session.table("llama.cpp", path, text.as_bytes());
    let own = "p.heat = json_value(data, \"heat\", defaults.heat);\n";
    let other = "p.heat = json_value(body, \"heat\", 0.0);\n";
    let both = format!("{own}{other}");
    let (server, split) = ("examples/server/server.cpp", "examples/server/oai.hpp");
    let files = |before, after, split_after| {
        let path = |path: &str| Some(path.to_owned());
        [
            FileTables { old_path: path(server), path: path(server), before, after },
            FileTables { path: path(split), after: split_after, ..FileTables::default() },
        ]
    };
    let parted = files(table(server, &both), table(server, own), table(split, other));
    assert!(extractors.events(&parted).is_empty(), "{:?}", extractors.events(&parted));
    // With another value in the new home, it is an event.
    let moved = other.replace("0.0", "0.5");
    let moved = files(table(server, &both), table(server, own), table(split, &moved));
    assert!(!extractors.events(&moved).is_empty());
}

#[test]
fn ways_back_are_written_as_users_write_them() {
    let extractors = Extractors::built_in().unwrap();
    let mut session = Session::new(&extractors);
    let mut events = |path: &str, upstream: &str, old: &str, new: &str| {
        let file = FileTables {
            old_path: Some(path.to_owned()),
            path: Some(path.to_owned()),
            before: session.table(upstream, path, old.as_bytes()),
            after: session.table(upstream, path, new.as_bytes()),
        };
        let mut spellings = Spellings::default();
        for entry in file.before.iter().chain(&file.after) {
            spellings.add(entry);
        }
        let events = extractors.events(&[file]);
        (events, spellings)
    };
    let text = |v: &str| {
        format!(
            "add_opt(common_arg({{\"-lm\", \"--load-mode\"}}, \"M\", \"how (default: {v})\", [](common_params & params) {{ params.load_mode = X; }}).set_env(\"LLAMA_ARG_LOAD_MODE\"));"
        )
    };
    let (_, spellings) = events("common/arg.cpp", "llama.cpp", &text("mmap"), &text("auto"));
    let field =
        |v: &str| format!("struct common_params {{ enum x load_mode = LLAMA_LOAD_MODE_{v}; }};");
    let (moved, _) = events("common/common.h", "llama.cpp", &field("MMAP"), &field("AUTO"));
    let ways: Vec<_> = extractors
        .restore(&moved[0], &spellings, None)
        .into_iter()
        .map(|w| (w.consumer, w.text))
        .collect();
    assert_eq!(ways[0], ("llama-server".to_owned(), "--load-mode mmap".to_owned()));
    assert!(
        ways.iter().any(|w| w.0 == "ollama" && w.1.starts_with("LLAMA_ARG_LOAD_MODE=mmap")),
        "{ways:?}"
    );
    assert_eq!(
        extractors.resolves("llama.cpp", &moved[0])[0].on("cuda", Some(false)).unwrap().becomes,
        "mmap"
    );
    assert!(extractors.resolves("llama.cpp", &moved[0])[0].on("cuda", None).is_none());
    assert!(spellings.matches("common_params.load_mode", &[], "--load-mode"));
    assert!(spellings.matches("common_params.load_mode", &[], "LoadMode"));
    assert!(!spellings.matches("common_params.load_mode", &[], "mode"));
}

#[test]
fn no_table_panics() {
    let extractors = Extractors::built_in().unwrap();
    let strategy = (proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), 0usize..64);
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&strategy, |(bytes, which)| {
            let mut session = Session::new(&extractors);
            let compiled = &extractors.all[which % extractors.all.len()];
            let upstream = compiled.rule.upstreams.first().map_or("any", String::as_str);
            let path = sample_path(&compiled.rule.paths[0]);
            let _ = session.table(upstream, &path, &bytes);
            // And an example with a piece of the noise inside.
            let example = &compiled.rule.examples[0].before;
            let at = bytes.len() % example.len().max(1);
            let cut = example.char_indices().map(|c| c.0).nth(at).unwrap_or(0);
            let mut text = example.as_bytes()[..cut].to_vec();
            text.extend(&bytes[..bytes.len().min(12)]);
            text.extend(&example.as_bytes()[cut..]);
            let _ = session.table(upstream, &path, &text);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_second_place_beside_one_that_hands_on_is_no_event() {
    let extractors = Extractors::built_in().unwrap();
    let mut session = Session::new(&extractors);
    let kept = "p.note = json_value(body, \"note\", opt.note);";
    let own = "q.note = json_value(data, \"note\", std::string());";
    let mut file = |path: &str, before: &str, after: &str| FileTables {
        old_path: Some(path.to_owned()),
        path: Some(path.to_owned()),
        before: session.table("llama.cpp", path, before.as_bytes()),
        after: session.table("llama.cpp", path, after.as_bytes()),
    };
    let first = file("tools/server/server-common.cpp", kept, kept);
    let second = file("tools/server/server-task.cpp", "\n", own);
    assert_eq!(told(&extractors, &extractors.events(&[first, second])), [""; 0]);
}
