//! Every extractor's own examples: what must give an event, and what must not.

use super::check::sample_path;
use super::*;

fn told(events: &[Event]) -> Vec<String> {
    events.iter().map(check::told).collect()
}

#[test]
fn every_example_gives_its_events_and_no_other() {
    let extractors = Extractors::built_in().unwrap();
    assert_eq!(check_examples(&extractors), []);
    for (n, compiled) in extractors.all.iter().enumerate() {
        let upstream = compiled.rule.upstreams.first().map_or("any", String::as_str);
        let path = sample_path(&compiled.rule.paths[0]);
        assert!(extractors.reading(upstream, &path).contains(&n), "{}: {path}", compiled.rule.id);
    }
}

#[test]
fn an_example_that_is_wrong_or_lacking_is_told() {
    let mut extractors = Extractors::built_in().unwrap();
    let own = |id: &str, rest: &str| {
        format!(
            "[[extractor]]\nid = \"{id}\"\nupstreams = [\"x\"]\npaths = [\"a/*.h\"]\nscope = \"context\"\n{rest}[[extractor.holds]]\nkind = \"struct\"\nname = \"^knobs$\"\n"
        )
    };
    let example = |events: &str| {
        format!(
            "[[extractor.examples]]\nshows = \"a move\"\nbefore = \"struct knobs {{ int heat = 1; }};\"\nafter = \"struct knobs {{ int heat = 2; }};\"\nevents = [{events}]\n"
        )
    };
    extractors.add("good.toml", &own("good", &example("\"knobs.heat 1 -> 2\""))).unwrap();
    extractors.add("bad.toml", &own("bad", &example("\"knobs.heat 1 -> 3\""))).unwrap();
    extractors.add("bare.toml", &own("bare", "")).unwrap();
    let failures = check_examples(&extractors);
    let told: Vec<_> = failures.iter().map(|one| (one.file.as_str(), one.rule.as_str())).collect();
    assert_eq!(told, [("bad.toml", "bad"), ("bare.toml", "bare")]);
    assert!(failures[0].what.contains("knobs.heat 1 -> 2"), "{}", failures[0].what);
}

#[test]
fn a_way_back_may_be_for_some_old_values_alone() {
    let mut extractors = Extractors::built_in().unwrap();
    let text = "[[extractor]]\nid = \"own\"\nupstreams = [\"x\"]\npaths = [\"a.h\"]\nscope = \"context\"\nrestore = [{ consumer = \"x\", text = \"--no-{dashed}\", old = '^false$' }]\n[[extractor.holds]]\nkind = \"struct\"\nname = \"^knobs$\"\n";
    extractors.add("own.toml", text).unwrap();
    let mut session = Session::new(&extractors);
    let mut ways = |old: bool| {
        let mut table = |value: bool| {
            let text = format!("struct knobs {{ bool warm_start = {value}; }};");
            session.table("x", "a.h", text.as_bytes())
        };
        let path = Some("a.h".to_owned());
        let (before, after) = (table(old), table(!old));
        let file = FileTables { old_path: path.clone(), path, before, after };
        let events = extractors.events(&[file]);
        let ways = extractors.restore(&events[0], &Spellings::default(), None);
        ways.into_iter().map(|way| way.text).collect::<Vec<_>>()
    };
    assert_eq!(ways(false), ["--no-warm-start"]);
    assert_eq!(ways(true), [""; 0]);
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
    assert_eq!(told(&events), ["common_params.b 2 -> 3"]);
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
fn an_old_value_that_means_something_else_by_now_is_no_way_back() {
    let extractors = Extractors::built_in().unwrap();
    let ways = |id: &str, knob: &str, old: &str, new: &str| {
        let compiled = extractors.all.iter().find(|c| c.rule.id == id).unwrap();
        let event = Event {
            extractor: id.to_owned(),
            knob: knob.to_owned(),
            scope: compiled.rule.scope,
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
            path: String::new(),
            line: 1,
            before: None,
            how: How::Literal,
            names: vec!["--verbosity".to_owned()],
        };
        extractors.restore(&event, &Spellings::default(), None).len()
    };
    let options = "request-options";
    assert_eq!(ways(options, "main_gpu", "0", "nil"), 0);
    assert_eq!(ways(options, "main_gpu", "1", "nil"), 2);
    assert_eq!(ways("environment", "OLLAMA_NUM_PARALLEL", "0", "1"), 0);
    assert_eq!(ways("environment", "OLLAMA_NUM_PARALLEL", "4", "1"), 1);
    assert_eq!(ways("common-params", "common_params.verbosity", "0", "3"), 0);
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
    assert_eq!(told(&extractors.events(&[first, second])), [""; 0]);
}
