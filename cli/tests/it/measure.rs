//! Measurements on the reader's own machine, and reports that are asked again.

use headwater_demo::MODEL;
use headwater_demo::ollama::names;
use serde_json::{Value, json};

use crate::support::Place;

const PUBLISHED: [&str; 6] = ["--old", "139.55", "--with", "136.13", "--without", "209.37"];

fn observe<'a>(window: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["observe", "ollama", window, "--toggle", "repeat_penalty=1.1"], more].concat()
}

fn why<'a>(window: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["why", "ollama", window, "--model", MODEL], more].concat()
}

fn write(place: &Place, name: &str, text: &str) -> String {
    let path = place.dir.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Without the lines that tell when something was recorded.
fn timeless(text: &str) -> String {
    text.lines().filter(|l| !l.contains(" UTC")).map(|l| format!("{l}\n")).collect()
}

fn toggled(report: &Value, place: &Place) -> Value {
    let all = report["candidates"].as_array().unwrap();
    let sha = place.ollama(names::PENALTY);
    all.iter().find(|c| c["sha"] == sha.as_str()).unwrap().clone()
}

#[test]
fn the_published_toggle_comes_out_as_published() {
    let place = Place::crawled();
    let window = place.demo.window();
    let args = observe(&window, &PUBLISHED);
    let kept = place.json(&args);
    assert_eq!(kept["schema"], "headwater/observe/1");
    let speed = &kept["observation"]["speed"];
    let ms = |name: &str| format!("{:.3}", speed[name].as_f64().unwrap());
    assert_eq!(
        (ms("jump_ms"), ms("toggle_ms"), ms("residue_ms")),
        ("2.390".into(), "2.570".into(), "-0.180".into())
    );
    assert_eq!(format!("{:.1}", speed["toggle_percent_of_jump"].as_f64().unwrap()), "107.5");
    assert_eq!(speed["finding"], "explains");
    assert_eq!(kept["observation"]["grade"], "measured");
    assert_eq!(kept["observation"]["commits"][0]["sha"], place.ollama(names::PENALTY).as_str());
    let screen = place.ok(&args);
    assert!(!screen.contains("97.5"), "{screen}");
    insta::assert_snapshot!("observe-screen", timeless(&screen));
}

#[test]
fn a_toggle_confirms_its_commit_and_no_other() {
    let place = Place::crawled();
    let window = place.demo.window();
    let before = place.json(&why(&window, &[]));
    place.ok(&observe(&window, &[&PUBLISHED[..], &["--model", MODEL]].concat()));
    let report = place.json(&why(&window, &[]));
    let first = &report["candidates"][0];
    assert_eq!(first["sha"], place.ollama(names::PENALTY).as_str());
    assert_eq!(
        (&first["verdict"], &first["grade"]),
        (&"confirmed-by-toggle".into(), &"measured".into())
    );
    let reason = first["reasons"][0]["words"].as_str().unwrap();
    assert!(reason.contains("2.570 of a jump of 2.390 ms/token = 107.5 %"), "{reason}");
    assert!(reason.contains("none bounds a single commit"), "{reason}");
    let headline = report["headline"].as_str().unwrap();
    assert!(headline.starts_with("Confirmed by a toggle on your machine"), "{headline}");
    let others = |report: &Value| -> Vec<(Value, Value)> {
        let all = report["candidates"].as_array().unwrap().iter();
        all.filter(|c| c["sha"] != place.ollama(names::PENALTY).as_str())
            .map(|c| (c["sha"].clone(), c["verdict"].clone()))
            .collect()
    };
    assert_eq!(others(&before), others(&report));
    // What was measured since is no knowledge of the window's head.
    let then = place.json(&why(&window, &["--as-of", "head"]));
    assert_eq!(toggled(&then, &place)["verdict"], "candidate");
    assert!(then["observations"].as_array().unwrap().is_empty());
    // It was another model, or another question.
    let wider = format!("v0.5.0..{}", headwater_demo::HEAD);
    for (more, why_not) in [
        (vec!["why", "ollama", &window, "--model", "llama3.2:3b"], "it was measured with"),
        (why(&window, &["--kind", "memory"]), "memory was asked about"),
        (why(&window, &["--symptom", "it crashes since the update"]), "crash was asked about"),
        (why(&window, &["--symptom", "slower since the update"]), "slower was asked about"),
        (why(&window, &["--phase", "load"]), "it is the speed of decode"),
        (why(&wider, &[]), "no jump was measured"),
    ] {
        let other = place.json(&more);
        assert_eq!(toggled(&other, &place)["verdict"], "candidate");
        let aside = other["observations"][0]["set_aside"].as_str().unwrap();
        assert!(aside.contains(why_not), "{aside}");
    }
    // The answer's text is another kind of thing: it takes nothing from the speed.
    let same = ["--kind", "output", "--with-hash", "aa", "--without-hash", "aa"];
    place.ok(&observe(&window, &same));
    assert_eq!(toggled(&place.json(&why(&window, &[])), &place)["verdict"], "confirmed-by-toggle");
    place.ok(&["observe", "ollama", "--withdraw", "2"]);
    insta::assert_snapshot!("why-measured", timeless(&place.ok(&why(&window, &["--top", "1"]))));
}

#[test]
fn a_toggle_that_explains_nothing_speaks_against_its_commit() {
    let place = Place::crawled();
    let window = place.demo.window();
    let before = toggled(&place.json(&why(&window, &[])), &place);
    let nothing = ["--old", "100", "--with", "149", "--without", "150"];
    place.ok(&observe(&window, &nothing));
    let after = toggled(&place.json(&why(&window, &[])), &place);
    assert_eq!(after["verdict"], "candidate");
    assert!(after["score"].as_f64() < before["score"].as_f64());
    assert!(after["reasons"].to_string().contains("it does not explain it"));
    // Where the window made no jump there is nothing to confirm.
    place.ok(&["observe", "ollama", "--withdraw", "1"]);
    let kept = place.json(&observe(&window, &["--old", "100", "--with", "80", "--without", "100"]));
    assert_eq!(kept["observation"]["speed"]["finding"], "no-jump");
    assert_eq!(toggled(&place.json(&why(&window, &[])), &place)["verdict"], "candidate");
}

#[test]
fn repeated_runs_bound_the_rest_and_their_file_is_told_by_its_hash() {
    let place = Place::crawled();
    let window = place.demo.window();
    let runs = "old,with,without\n139.5,136.0,209.4\n139.6,136.2,209.3\n139.7,136.1,209.5\n";
    let file = write(&place, "runs.csv", runs);
    let kept = place.json(&observe(&window, &["--samples", &file]));
    let speed = &kept["observation"]["speed"];
    let rest = &speed["residue_interval"];
    assert!(rest["high"].as_f64().unwrap() < 0.0 && rest["method"] == "Welch's t", "{rest}");
    assert!(speed["bound"].as_str().unwrap().contains("bounds their sum"));
    let input = &kept["observation"]["input"];
    assert_eq!(input["name"], "runs.csv");
    assert_eq!(input["bytes"], runs.len());
    assert!(input["sha256"].as_str().unwrap().starts_with("sha256:"));
    let bad = write(&place, "bad.csv", "old,with,without\n139.5,fast,209.4\n");
    assert!(place.error(&observe(&window, &["--samples", &bad])).contains("line 2"));
}

#[test]
fn what_is_no_toggle_is_refused_and_an_unknown_knob_decides_nothing() {
    let place = Place::crawled();
    let window = place.demo.window();
    let new = place.error(
        &[&["observe", "ollama", &window, "--toggle", "repeat_penalty=1.0"], &PUBLISHED[..]]
            .concat(),
    );
    assert!(new.contains("repeat_penalty=1.1"), "{new}");
    assert!(place.error(&observe(&window, &["--old", "1"])).contains("--with"));
    assert!(place.error(&observe(&window, &["--unit", "furlongs"])).contains("tok/s"));
    assert!(
        place
            .error(&observe(&window, &["--old", "0", "--with", "1", "--without", "1"]))
            .contains("above 0")
    );
    let negative = ["--old", "-5", "--with", "1", "--without", "1"];
    assert!(place.error(&observe(&window, &negative)).contains("-5 is no speed"));
    let nameless = place.run(&["why", "ollama", &window, "--model="]);
    assert_eq!(nameless.status.code(), Some(2));
    let unknown =
        [&["observe", "ollama", &window, "--toggle", "top_k=41"], &PUBLISHED[..]].concat();
    let kept = place.json(&unknown);
    assert!(kept["observation"]["set_aside"].as_str().unwrap().contains("no default that moved"));
    let report = place.json(&why(&window, &[]));
    assert_eq!(toggled(&report, &place)["verdict"], "candidate");
}

#[test]
fn outputs_that_differ_are_a_finding_and_a_late_tolerance_is_told() {
    let place = Place::crawled();
    let window = place.demo.window();
    let run = [
        "--kind",
        "output",
        "--with-hash",
        "aa",
        "--without-hash",
        "bb",
        "--diverges-at",
        "12",
        "--margin",
        "0.3",
    ];
    let late = place.json(&observe(&window, &[&run[..], &["--tolerance", "0.5"]].concat()));
    let output = &late["observation"]["output"];
    assert_eq!((&output["differ"], &output["within"]), (&true.into(), &true.into()));
    assert!(
        output["says"].as_str().unwrap().contains("was not recorded before the run"),
        "{output}"
    );
    assert_eq!(toggled(&place.json(&why(&window, &[])), &place)["verdict"], "confirmed-by-toggle");
    let told = place.ok(&observe(&window, &["--kind", "output", "--tolerance", "0.01"]));
    assert!(told.contains("Recorded before the run"), "{told}");
    let judged = place.json(&observe(&window, &run));
    let output = &judged["observation"]["output"];
    assert_eq!((&output["tolerance"]["before"], &output["within"]), (&true.into(), &false.into()));
    let half = observe(&window, &["--kind", "output", "--with-hash", "aa"]);
    assert!(place.error(&half).contains("--without-hash"));
}

#[test]
fn observations_that_disagree_are_both_shown_with_the_cheapest_run() {
    let place = Place::crawled();
    let window = place.demo.window();
    let conditions = |load: &'static str| ["--model", MODEL, "--load", load];
    place.ok(&observe(&window, &[&PUBLISHED[..], &conditions("idle")].concat()));
    let other = ["--old", "139.55", "--with", "157.8", "--without", "209.37"];
    place.ok(&observe(&window, &[&other[..], &conditions("a browser")].concat()));
    let report = place.json(&why(&window, &[]));
    assert_eq!(report["observations"].as_array().unwrap().len(), 2);
    let one = &report["disagreements"][0];
    let ms = |name: &str| format!("{:.2}", one[name].as_f64().unwrap());
    assert_eq!((ms("first_ms"), ms("second_ms")), ("2.57".into(), "1.56".into()));
    assert_eq!(one["differing"][0]["condition"], "load");
    assert!(one["cheapest"]["command"].as_str().unwrap().contains("--load idle"), "{one}");
    let screen = place.ok(&why(&window, &[]));
    assert!(screen.contains("1 and 2 disagree: 2.57 against 1.56 ms/token"), "{screen}");
}

#[test]
fn one_that_contradicts_is_told_first_and_one_that_is_withdrawn_decides_nothing() {
    let place = Place::crawled();
    let window = place.demo.window();
    place.ok(&observe(&window, &PUBLISHED));
    let nothing = ["--old", "139.55", "--with", "209.1", "--without", "209.37"];
    place.ok(&observe(&window, &nothing));
    let report = place.json(&why(&window, &[]));
    let one = toggled(&report, &place);
    assert_eq!((&one["verdict"], &one["grade"]), (&"candidate".into(), &"rule".into()));
    let headline = report["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("Strongest candidate") && headline.contains("; but observation 2: "),
        "{headline}"
    );
    let back = ["observe", "ollama", "--withdraw", "2", "--because", "another program ran"];
    let told = place.json(&back);
    assert_eq!(told["withdrawn"], 2);
    assert!(told["headline"].as_str().unwrap().starts_with("Confirmed by a toggle"), "{told}");
    assert_eq!(toggled(&place.json(&why(&window, &[])), &place)["verdict"], "confirmed-by-toggle");
    // It is taken back once, and others are named.
    assert!(place.error(&back).contains("those that do: 1"));
    assert!(place.ok(&["observe", "ollama", "--withdraw", "1"]).contains("Strongest candidate"));
    assert!(place.json(&why(&window, &[]))["observations"].as_array().unwrap().is_empty());
    let neither = place.run(&["observe", "ollama"]);
    assert_eq!(neither.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&neither.stderr).contains("--toggle"));
}

#[test]
fn a_plan_is_made_of_commands_that_run() {
    let place = Place::crawled();
    let window = place.demo.window();
    let plan = place.json(&["plan", "ollama", &window, "--model", MODEL]);
    assert_eq!(plan["schema"], "headwater/plan/1");
    let first = &plan["toggles"][0];
    assert_eq!((&first["knob"], &first["old"]), (&"repeat_penalty".into(), &"1.1".into()));
    assert!(first["with"][0].as_str().unwrap().contains("\"repeat_penalty\":1.1"), "{first}");
    assert!(!first["without"][0].as_str().unwrap().contains("repeat_penalty"));
    let record = first["record"].as_str().unwrap();
    let record =
        record.replace(" X ", " 139.55 ").replace(" Y ", " 136.13 ").replace(" Z ", " 209.37 ");
    let words: Vec<&str> = record.strip_prefix("headwater ").unwrap().split(' ').collect();
    assert!(place.ok(&words).contains("107.5 %"), "{record}");
    insta::assert_snapshot!(
        "plan-screen",
        place.ok(&["plan", "ollama", &window, "--model", MODEL])
    );
}

#[test]
fn a_table_of_speeds_finds_the_window_to_explain() {
    let place = Place::crawled();
    let step = write(
        &place,
        "speeds.csv",
        "version,tok/s\nv0.6.0,139.5\nv0.5.0,139.9\nv0.6.1,209.4\nv0.6.2,208.8\nv0.6.3,209.1\n",
    );
    let report = place.json(&["why", "ollama", "--speeds", &step, "--model", MODEL]);
    assert_eq!(
        (&report["window"]["base"], &report["window"]["head"]),
        (&"v0.6.0".into(), &"v0.6.1".into())
    );
    let speeds = &report["speeds"];
    assert_eq!(
        (speeds["sorted"].as_bool(), speeds["steps"].as_array().unwrap().len()),
        (Some(true), 1)
    );
    assert_eq!(report["candidates"][0]["sha"], place.ollama(names::PENALTY).as_str());
    let screen = place.ok(&["why", "ollama", "--speeds", &step, "--model", MODEL]);
    assert!(screen.contains("step 1: v0.6.0..v0.6.1"), "{screen}");
    // The table is kept, once.
    let kept =
        headwater_store::Store::open(&place.store()).unwrap().observations("ollama").unwrap();
    assert_eq!((kept.len(), kept[0].runs.len()), (1, 5));

    let noise = write(&place, "noise.csv", "v0.6.0,139,151\nv0.6.1,148,137\nv0.6.2,152,141\n");
    let output = place.run(&["why", "ollama", "--speeds", &noise, "--format", "json"]);
    let none: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&none["schema"], none["speeds"]["steps"].as_array().map(Vec::len)),
        (&json!("headwater/speeds/1"), Some(0))
    );
    let output = place.run(&["why", "ollama", "--speeds", &noise]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the noise allows no step"));
    let unknown = write(&place, "unknown.csv", "v0.6.0,1\nv0.6.99,2\n");
    assert!(place.error(&["why", "ollama", "--speeds", &unknown]).contains("v0.6.99"));
    assert!(place.error(&["why", "ollama", "--speeds", &step, "--step", "2"]).contains("1 steps"));
}

/// A log of our own, with what each kind of line looks like.
const LOG: &str = r#"time=2026-08-20T10:00:00.000Z level=INFO source=routes.go:1933 msg="server config" env="map[HTTP_PROXY:http://me:secret@proxy.example:3128 OLLAMA_CONTEXT_LENGTH:8192 OLLAMA_DEBUG:INFO OLLAMA_HOST:http://192.168.7.20:11434 OLLAMA_KV_CACHE_TYPE: OLLAMA_MODELS:/home/alice/.ollama/models OLLAMA_ORIGINS:[http://localhost https://localhost] http_proxy:]"
time=2026-08-20T10:00:00.100Z level=INFO source=routes.go:1990 msg="Listening on 192.168.7.20:11434 (version 0.32.13)"
time=2026-08-20T10:01:00.000Z level=INFO source=llama_server.go:431 msg="starting llama-server" cmd="/usr/lib/ollama/llama-server --model /home/alice/.ollama/models/blobs/sha256-0a1b --port 40001 --host 127.0.0.1 --no-webui --flash-attn auto -ngl 99"
time=2026-08-20T10:05:00.000Z level=INFO source=llama_server.go:431 msg="starting llama-server" cmd="/usr/lib/ollama/llama-server --model /home/alice/.ollama/models/blobs/sha256-0a1b --port 40002 --host 127.0.0.1 --no-webui --flash-attn auto -ngl 99"
build_info: b10380-0a1b2c3d4
llama_context: n_ctx                 = 8192
llama_context: flash_attn            = auto
slot launch_slot_: id  0 | task 0 | sampler chain: logits -> ?penalties -> ?dry -> ?top-n-sigma -> top-k -> ?typical -> top-p -> min-p -> ?xtc -> temp-ext -> dist 
slot launch_slot_: id  0 | task 9 | sampler chain: logits -> penalties -> ?dry -> ?top-n-sigma -> top-k -> ?typical -> top-p -> min-p -> ?xtc -> temp-ext -> dist 
slot launch_slot_: id  0 | task 9 | sampler params: 
	repeat_last_n = 64, repeat_penalty = 1.100, frequency_penalty = 0.000, presence_penalty = 0.000
	top_k = 40, top_p = 0.950
a line with [31mcolour[0m and a bell 
"#;

#[test]
fn a_log_tells_versions_samplers_and_flags() {
    let place = Place::new();
    let file = write(&place, "server.log", LOG);
    let log = place.json(&["rig", "log", &file]);
    assert_eq!(log["schema"], "headwater/rig-log/1");
    assert_eq!(log["penalties"]["pays"], "some");
    assert_eq!((&log["penalties"]["active"], &log["penalties"]["empty"]), (&1.into(), &1.into()));
    let versions: Vec<String> = log["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| format!("{} {}", v["of"].as_str().unwrap(), v["version"].as_str().unwrap()))
        .collect();
    assert_eq!(versions, ["ollama 0.32.13", "llama.cpp b10380"]);
    assert_eq!(
        (&log["launches"][0]["times"], log["launches"].as_array().unwrap().len()),
        (&2.into(), 1)
    );
    assert_eq!(log["params"][0]["values"][1][1], "1.100");
    assert!(!log.to_string().contains("secret"), "a proxy's password is nobody's business");
    insta::assert_snapshot!("rig-log", place.ok(&["rig", "log", &file]));
    for format in ["md", "html"] {
        let text = place.ok(&["rig", "log", &file, "--format", format]);
        for private in ["alice", "192.168.7.20", "secret"] {
            assert!(!text.contains(private), "{private} in {text}");
        }
        assert!(text.contains("penalties run in 1 of 2 requests"), "{text}");
    }
    let hostile = write(
        &place,
        "hostile.log",
        "sampler chain: logits -> <b>x</b> -> dist\nbuild: 1 (abcd) \u{9b}31m\nllama_context: n_ctx = \u{1b}]52;c;AAAA\u{7}<script>\n",
    );
    for format in ["table", "md", "html"] {
        let text = place.ok(&["rig", "log", &hostile, "--format", format]);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(format == "table" || !text.contains("<script>"), "{text}");
    }
    assert!(place.error(&["rig", "log", "/nowhere/at/all"]).contains("cannot read"));
}

#[test]
fn a_kept_report_is_asked_again_and_keeps_its_old_claims() {
    let place = Place::crawled();
    let window = place.demo.window();
    place.ok(&why(&window, &["--save", "upgrade"]));
    assert!(place.error(&why(&window, &["--save", "upgrade"])).contains("stays as it was told"));
    assert!(place.error(&why(&window, &["--save", "../x"])).contains("no name"));
    let same = place.json(&["reports", "recheck", "upgrade"]);
    let one = &same["reports"][0];
    assert_eq!(
        (&one["overturned"], &one["weaker"], &one["stronger"]),
        (&0.into(), &0.into(), &0.into()),
        "{one}"
    );
    assert!(one["holds"].as_u64() > Some(20), "{one}");
    // A toggle makes a claim stronger …
    place.ok(&observe(&window, &PUBLISHED));
    let again = place.json(&["reports", "recheck"]);
    let claims = again["reports"][0]["recheck"]["claims"].as_array().unwrap();
    let sha = &place.ollama(names::PENALTY)[..9];
    let verdict = claims.iter().find(|c| c["key"] == format!("verdict on ollama {sha}")).unwrap();
    assert_eq!((&verdict["became"], &verdict["says"]), (&"stronger".into(), &"candidate".into()));
    assert_eq!(verdict["now"], "confirmed-by-toggle, grade measured");
    let shown = place.ok(&["reports", "show", "upgrade"]);
    assert!(shown.contains("stronger") && shown.contains("now: confirmed-by-toggle"), "{shown}");
    assert!(shown.contains("Strongest candidate"), "what was told then stays: {shown}");
    // … and one that explains nothing, in a report of its own, overturns.
    let other = Place::crawled();
    let report = other.json(&why(&window, &["--save", "r"]));
    let second = report["candidates"][1]["score"].as_f64().unwrap();
    let first = report["candidates"][0]["score"].as_f64().unwrap();
    other.ok(&observe(&window, &["--old", "100", "--with", "149", "--without", "150"]));
    let overturned = other.json(&["reports", "recheck", "r"])["reports"][0].clone();
    let lost = overturned["recheck"]["claims"].as_array().unwrap();
    let lost: Vec<&Value> = lost.iter().filter(|c| c["became"] == "overturned").collect();
    assert_eq!(
        lost.iter().any(|c| c["key"] == "first candidate"),
        first - 5.0 < second,
        "{lost:?}"
    );
    assert!(place.error(&["reports", "show", "nothing"]).contains("upgrade"));
    assert!(place.json(&["reports"])["reports"].to_string().contains("\"upgrade\""));
    let list = place.ok(&["reports"]);
    assert!(list.contains("upgrade") && list.contains(&window), "{list}");
}

#[test]
fn receipts_name_url_hash_and_date() {
    let place = Place::crawled();
    let window = place.demo.window();
    let runs = write(&place, "runs.csv", "old,with,without\n139.5,136.0,209.4\n");
    place.ok(&observe(&window, &["--samples", &runs]));
    place.ok(&why(&window, &["--save", "upgrade"]));
    let all = place.json(&["receipts", "upgrade"]);
    let lines = all["receipts"].as_array().unwrap();
    let of = |line: &Value| line["of"].as_str().unwrap().to_owned();
    for tag in window.split("..") {
        assert!(lines.iter().any(|l| of(l) == format!("ollama refs/tags/{tag}")), "{lines:?}");
    }
    let pins = lines.iter().filter(|l| of(l).starts_with("llama.cpp refs/tags/")).count();
    assert_eq!(pins, 2, "{lines:?}");
    // Each commit of both windows, and their four ends, once.
    let commits: Vec<String> = lines.iter().map(of).filter(|of| of.contains(" commit ")).collect();
    let mut once = commits.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), commits.len());
    assert!(commits.len() >= headwater_demo::COMMITS + headwater_demo::NESTED_COMMITS + 2);
    let sha = place.ollama(names::PENALTY);
    let url = format!("https://github.com/ollama/ollama/commit/{sha}");
    let line = lines.iter().find(|line| line["url"] == url.as_str()).unwrap();
    assert_eq!(line["hash"], format!("git {sha}"));
    assert!(line["obtained"].as_str().unwrap().ends_with('Z'));
    let observed = lines.last().unwrap();
    assert!(observed["hash"].as_str().unwrap().starts_with("sha256:"), "{observed}");
    assert!(place.ok(&["receipts", "upgrade"]).contains(&url));
}

#[test]
fn what_is_made_to_be_published_holds_nothing_private() {
    let place = Place::crawled();
    let window = place.demo.window();
    let note = "on 10.1.2.3 and http://tower.lan:11434, see /home/alice/notes";
    place.ok(&observe(&window, &[&PUBLISHED[..], &["--note", note]].concat()));
    place.ok(&why(&window, &["--save", "kept"]));
    let clones = place.dir.path().display().to_string();
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    let mut told: Vec<(String, String)> = Vec::new();
    for args in [
        why(&window, &["--format", "md", "--top", "100"]),
        why(&window, &["--format", "html", "--top", "100"]),
        why(&window, &["--format", "json", "--public"]),
        why(&window, &["--public"]),
        vec!["reports", "show", "kept"],
        vec!["reports", "show", "kept", "--format", "json"],
        vec!["reports", "show", "kept", "--format", "md"],
        vec!["reports", "show", "kept", "--format", "html"],
        vec!["reports", "recheck", "--format", "md"],
        vec!["receipts", "kept", "--format", "json"],
        vec!["plan", "ollama", &window, "--format", "html"],
        vec!["show", "ollama", "v0.6.2", "--format", "md"],
    ] {
        told.push((args.join(" "), place.ok(&args)));
    }
    for (args, text) in &told {
        for private in [clones.as_str(), "alice", "10.1.2.3", "tower.lan"] {
            assert!(!text.contains(private), "{private} in {args}: {text}");
        }
        let named = |word: &str| word.eq_ignore_ascii_case(host) && host.len() > 1;
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
        assert!(!words.into_iter().any(named), "{host} in {args}");
    }
    // On a screen of one's own, and in JSON, everything stands.
    assert!(place.ok(&why(&window, &[])).contains("10.1.2.3"));
    assert!(place.ok(&why(&window, &["--format", "json"])).contains(&clones));
    assert!(place.ok(&why(&window, &["--format", "md", "--public=false"])).contains("10.1.2.3"));
}

#[test]
fn a_page_of_its_own_loads_nothing_and_lets_no_markup_through() {
    let place = Place::crawled();
    let window = place.demo.window();
    let page = place.ok(&why(&window, &["--format", "html", "--top", "100"]));
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    for loads in ["<script", "<img", "<link", "<iframe", "<object"] {
        assert!(!page.contains(loads), "{loads}");
    }
    assert!(page.contains("default-src 'none'"));
}
