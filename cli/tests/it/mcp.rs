//! The server for agents, spoken to in the protocol itself and by the official clients.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use headwater_demo::ollama::names;
use headwater_demo::{BACKEND, MODEL};
use serde_json::{Map, Value, json};

use crate::live;
use crate::support::Place;

/// What a client saw.
struct Seen {
    greeting: Value,
    tools: Vec<Value>,
    results: Vec<Value>,
}

/// A value in which 1.0 is 1: JavaScript knows one kind of number.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64().unwrap()),
        Value::Array(all) => all.iter().map(plain).collect(),
        Value::Object(all) => all
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

impl Seen {
    /// The structured answer to a call.
    fn answer(&self, at: usize) -> &Value {
        let result = &self.results[at];
        assert_ne!(result["isError"], true, "{result}");
        let structured = &result["structuredContent"];
        // Old clients read the text, new ones the structure: they are the same.
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert!(plain(&text) == plain(structured), "{text}");
        structured
    }

    fn error(&self, at: usize) -> &str {
        let result = &self.results[at];
        assert_eq!(result["isError"], true, "{result}");
        let line = result["content"][0]["text"].as_str().unwrap();
        assert!(!line.is_empty() && !line.contains('\n'), "{line}");
        line
    }
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

/// JSON-RPC, a line each way.
fn raw(mut server: Command, calls: &[Value]) -> Seen {
    let mut child =
        server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut id = 0;
    let mut ask = |method: &str, params: Value| -> Value {
        id += 1;
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(to, "{line}").unwrap();
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        // Nothing but the protocol is on standard output.
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        if method == "initialize" {
            writeln!(to, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                .unwrap();
        }
        answer
    };
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let greeting = ask("initialize", hello)["result"].clone();
    let tools = ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone();
    let results =
        calls.iter().map(|call| ask("tools/call", call.clone())["result"].clone()).collect();
    drop(to);
    assert!(child.wait().unwrap().success(), "it ends when the client hangs up");
    let mut rest = String::new();
    from.read_line(&mut rest).unwrap();
    assert_eq!(rest, "");
    Seen { greeting, tools, results }
}

/// The same through a program that speaks for an SDK.
fn through(place: &Place, mut program: Command, calls: &[Value]) -> Seen {
    program
        .args([env!("CARGO_BIN_EXE_headwater"), "mcp"])
        .env("HOME", place.dir.path().join("home"))
        .env("HEADWATER_STORE", place.store());
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let asked = serde_json::to_vec(calls).unwrap();
    child.stdin.take().unwrap().write_all(&asked).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{program:?}");
    let mut seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut list = |name: &str| match seen[name].take() {
        Value::Array(rows) => rows,
        other => panic!("{name}: {other}"),
    };
    let (tools, results) = (list("tools"), list("results"));
    Seen { greeting: seen["greeting"].take(), tools, results }
}

fn conversation(place: &Place) -> Vec<Value> {
    vec![
        call("why", json!({"window": place.demo.window(), "model": MODEL, "backend": BACKEND})),
        call("grep", json!({"pattern": r"RepeatPenalty:\s+1\.0", "in": "added"})),
        call("grep", json!({"pattern": "no such line anywhere"})),
        call(
            "file_at",
            json!({
                "upstream": "ollama", "revision": headwater_demo::HEAD, "path": "api/types.go",
            }),
        ),
        call("defaults", json!({"knob": "RepeatPenalty"})),
        call("show", json!({"commit": place.ollama(names::HOSTILE)})),
        call("why", json!({"window": "v9.9.9..v0.6.2"})),
        call("why", json!({"window": place.demo.window(), "backend": "abacus"})),
        call("why", json!({"window": place.demo.window(), "backend": "ROCm", "model": ""})),
    ]
}

/// Judges what any client saw of it.
fn judge(place: &Place, seen: &Seen) {
    assert_eq!(seen.greeting["serverInfo"]["name"], "headwater");
    let told = seen.greeting["instructions"].as_str().unwrap();
    assert!(told.contains("absent-partial") && told.contains("ollama: "), "{told}");
    let names: Vec<&str> = seen.tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let all = [
        "why",
        "grep",
        "search",
        "defaults",
        "effective",
        "show",
        "file_at",
        "pins",
        "contains",
        "digest",
    ];
    assert_eq!(names, all);
    for tool in &seen.tools {
        assert!(tool["description"].as_str().unwrap().len() > 60, "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        for (name, field) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{name} of {tool}");
        }
    }

    // The same structs as the command's.
    let printed = place.json(&[
        "why",
        "ollama",
        &place.demo.window(),
        "--model",
        MODEL,
        "--backend",
        BACKEND,
        "--offline",
        "--public",
    ]);
    let why = seen.answer(0);
    assert!(why["quoted"]["note"].as_str().unwrap().contains("instruction"));
    assert!(why["quoted"]["fields"].as_array().unwrap().contains(&"subject".into()));
    let first = why["answer"]["candidates"].as_array().unwrap();
    for (seen, printed) in first.iter().zip(printed["candidates"].as_array().unwrap()) {
        assert_eq!(plain(seen), plain(printed));
    }
    for part in ["schema", "headline", "window", "default_events", "absences", "open"] {
        assert_eq!(plain(&why["answer"][part]), plain(&printed[part]), "{part}");
    }
    let total = printed["candidates"].as_array().unwrap().len();
    assert_eq!(why["page"]["total"], total);
    assert!(why["page"]["next"].as_str().unwrap().contains(&format!("{}", first.len())));

    let found = seen.answer(1);
    let penalty = place.ollama(names::PENALTY);
    assert!(found["answer"]["commits"].as_array().unwrap().contains(&penalty.as_str().into()));
    assert_eq!(found["answer"]["coverage"][0]["grade"], "grep");
    let nothing = seen.answer(2);
    assert_eq!(nothing["page"]["total"], 0);
    for coverage in nothing["answer"]["coverage"].as_array().unwrap() {
        let gaps = !coverage["gaps"].as_array().unwrap().is_empty();
        assert_eq!(coverage["grade"], if gaps { "absent-partial" } else { "grep" }, "{coverage}");
    }
    let file = &seen.answer(3)["answer"];
    assert!(file["text"].as_str().unwrap().contains("RepeatPenalty:    1.0,"), "{file}");
    assert_eq!((&file["grade"], &file["schema"]), (&"record".into(), &"headwater/file/1".into()));
    let events = seen.answer(4)["answer"]["events"].as_array().unwrap();
    assert!(events.iter().any(|event| event["sha"] == penalty.as_str()), "{events:?}");
    let hostile = seen.answer(5).to_string();
    let hidden = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}');
    assert!(!hostile.contains(hidden) && hostile.contains('\u{fffd}'), "{hostile}");
    let unknown = seen.error(6);
    assert!(unknown.contains("v9.9.9") && unknown.contains("nearest"), "{unknown}");
    assert!(seen.error(7).contains("vulkan"));
    let other = seen.answer(8)["answer"]["question"].as_str().unwrap();
    assert!(other.contains("--backend hip") && !other.contains("--model"), "{other}");
}

#[test]
fn an_agent_asks_in_the_protocol_itself() {
    let place = Place::crawled();
    judge(&place, &raw(place.command(&["mcp"]), &conversation(&place)));

    // Pages follow each other without a gap, also where an answer has to be short.
    let mut calls = Vec::new();
    for offset in (0..40).step_by(7) {
        calls.push(call(
            "why",
            json!({
                "window": place.demo.window(), "part": "candidates", "offset": offset, "limit": 7,
            }),
        ));
    }
    calls.push(call(
        "file_at",
        json!({
            "upstream": "ollama", "revision": headwater_demo::HEAD, "path": "api/types.go",
            "offset": 1, "limit": 2,
        }),
    ));
    let unknown = ["pins", "contains", "digest", "search", "effective"];
    calls.extend(unknown.map(|name| call(name, json!({"colour": "blue"}))));
    calls.push(call("pins", json!({"limit": 3})));
    calls.push(call(
        "contains",
        json!({
            "release": headwater_demo::HEAD, "change": place.ollama(names::PENALTY),
        }),
    ));
    calls.push(call("digest", json!({"week": "2026-W10"})));
    calls.push(call("search", json!({"words": "repeat penalty", "limit": 2})));
    calls.push(call("grep", json!({"pattern": "RepeatPenalty", "at": "ollama@v0.6.2"})));
    calls.push(call("grep", json!({"pattern": "(", "limit": 2})));
    calls.push(call("grep", json!({"pattern": "x".repeat(5000)})));
    let seen = raw(place.command(&["mcp"]), &calls);
    let mut ranks = Vec::new();
    for at in 0..6 {
        let rows = seen.answer(at)["answer"]["candidates"].as_array().unwrap();
        ranks.extend(rows.iter().map(|row| row["rank"].as_u64().unwrap()));
    }
    let all = headwater_demo::COMMITS + headwater_demo::NESTED_COMMITS;
    assert_eq!(ranks, (1..=all as u64).collect::<Vec<_>>());
    let lines = seen.answer(6);
    assert_eq!((&lines["page"]["returned"], &lines["page"]["offset"]), (&2.into(), &1.into()));
    assert_eq!(lines["answer"]["text"].as_str().unwrap().lines().count(), 2);
    for at in 7..12 {
        assert!(seen.error(at).contains("no argument \"colour\""));
    }
    assert_eq!(seen.answer(12)["answer"]["pins"].as_array().unwrap().len(), 3);
    assert_eq!(seen.answer(13)["answer"]["contained"], true);
    let printed = place.json(&["digest", "--week", "2026-W10"]);
    assert_eq!(seen.answer(14)["answer"]["defaults"], printed["defaults"]);
    assert_eq!(seen.answer(15)["answer"]["hits"].as_array().unwrap().len(), 2);
    assert!(seen.answer(16)["page"]["total"].as_u64() > Some(0));
    assert!(seen.error(17).contains("column 1"), "{}", seen.error(17));
    assert!(seen.error(18).contains("2000"));
}

#[test]
fn without_a_store_the_server_says_so_and_stays() {
    let place = Place::new();
    let seen = raw(place.command(&["mcp"]), &[call("pins", json!({})), call("pins", json!({}))]);
    assert!(seen.greeting["instructions"].as_str().unwrap().contains("cannot be read"));
    assert!(seen.error(0).contains("crawl") && seen.error(1) == seen.error(0), "{}", seen.error(0));
    assert!(!place.store().exists(), "asking made a store");
}

#[test]
fn a_window_is_fetched_only_where_that_was_allowed() {
    let place = live::Place::new();
    let asked = [call("why", json!({"window": live::WINDOW, "model": MODEL, "backend": BACKEND}))];
    let seen = raw(place.command_on("store", &["mcp"]), &asked);
    assert!(seen.error(0).contains("no store"), "{}", seen.error(0));
    assert_eq!(place.all_requests(), 0);
    let seen = raw(place.command_on("store", &["mcp", "--online"]), &asked);
    let first = &seen.answer(0)["answer"]["candidates"][0];
    assert_eq!(first["classes"][0]["class"], "default-change", "{first}");
    assert!(place.all_requests() > 0);
    // Now it is stored.
    let before = place.all_requests();
    let seen = raw(place.command_on("store", &["mcp"]), &asked);
    assert_eq!(&seen.answer(0)["answer"]["candidates"][0]["sha"], &first["sha"]);
    assert_eq!(place.all_requests(), before);
}

/// Where an SDK was installed.
fn installed(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set: cli/tests/clients/README.md"))
}

#[test]
#[ignore = "needs the SDK: cli/tests/clients/README.md"]
fn the_official_client_for_python() {
    let place = Place::crawled();
    let mut program = Command::new(installed("HEADWATER_MCP_PYTHON"));
    program.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/conversation.py"));
    judge(&place, &through(&place, program, &conversation(&place)));
}

#[test]
#[ignore = "needs the SDK: cli/tests/clients/README.md"]
fn the_official_client_for_typescript() {
    let place = Place::crawled();
    let mut program = Command::new("node");
    program
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/conversation.mjs"))
        .arg(installed("HEADWATER_MCP_NODE"));
    judge(&place, &through(&place, program, &conversation(&place)));
}
