//! `headwater crawl models` and `headwater model`, against miniature hosts.

use std::path::PathBuf;
use std::process::{Command, Output};

use headwater_testkit::{Fault, Host, Installed, Model, Rule, Testkit};
use serde_json::{Value, json};

use super::support;

/// A store of models, and hosts to fill it from.
struct Place {
    dir: tempfile::TempDir,
    kit: Testkit,
}

impl Place {
    fn new() -> Self {
        Place { dir: tempfile::tempdir().unwrap(), kit: Testkit::start().unwrap() }
    }

    fn folder(&self) -> PathBuf {
        self.dir.path().join("models")
    }

    fn command(&self, args: &[&str]) -> Command {
        let home = self.dir.path();
        let mut command = support::headwater(home, &home.join("store"), args);
        command.env("OLLAMA_MODELS", self.folder()).envs(self.kit.env());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        support::succeeded(args, self.run(args))
    }

    fn json(&self, args: &[&str]) -> Value {
        let mut all = args.to_vec();
        all.extend(["--format", "json"]);
        serde_json::from_str(&self.ok(&all)).unwrap()
    }

    /// Runs, expects status 2, and gives what stands on standard error.
    fn error(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// Changes the registry's gemma4:26b.
    fn republish(&self, change: impl FnOnce(&mut Model)) {
        self.kit.models(|models| {
            let one = models.iter_mut().find(|m| m.name == "gemma4" && m.tag == "26b").unwrap();
            change(one);
        });
    }
}

#[test]
fn a_model_is_what_its_registry_publishes() {
    let place = Place::new();
    place.kit.registry_needs_token(true);
    let told = place.ok(&["crawl", "models", "gemma4:26b", "qwen3.6:27b", "qwen2.5:7b"]);
    assert!(told.starts_with("gemma4:26b: new, "), "{told}");
    let gemma = place.json(&["model", "gemma4:26b"]);
    assert_eq!(gemma["schema"], "headwater/model/1");
    assert_eq!(gemma["params"], json!({"temperature": 1, "top_k": 64, "top_p": 0.95}));
    assert_eq!((&gemma["renderer"], &gemma["parser"]), (&json!("gemma4"), &json!("gemma4")));
    assert_eq!(gemma["grade"], "record");
    let layers = gemma["layers"].as_array().unwrap();
    assert!(layers.iter().any(|layer| layer["kind"] == "config"), "{layers:?}");
    // The receipt names the registry, never the signed address behind it.
    let receipt = &gemma["receipts"][0];
    assert_eq!(receipt["transport"], "registry");
    let params = layers.iter().find(|layer| layer["kind"] == "params").unwrap();
    let sha = receipt["sha256"].as_str().unwrap();
    assert_eq!(params["digest"], format!("sha256:{sha}"));
    assert!(!receipt["source"].as_str().unwrap().contains("signature"));
    let qwen = place.json(&["model", "qwen3.6:27b"]);
    assert_eq!(qwen["params"]["presence_penalty"], 1.5);
    assert_eq!(qwen["params"]["repeat_penalty"], 1);
    let none = place.json(&["model", "qwen2.5:7b"]);
    assert_eq!(none["params"], json!({}));
    assert!(place.ok(&["model", "qwen2.5:7b"]).contains("sets no parameter"));
    // Models are no upstream: no question over all upstreams meets them.
    let status = place.json(&["status"]);
    assert_eq!((&status["upstreams"], &status["models"]["tags"]), (&json!([]), &json!(3)));
    assert_eq!(place.json(&["model"])["models"].as_array().unwrap().len(), 3);
}

#[test]
fn a_tag_that_moves_has_a_history_from_old_to_new() {
    let place = Place::new();
    place.ok(&["crawl", "models", "gemma4:26b"]);
    let first = place.json(&["model", "gemma4:26b"])["id"].as_str().unwrap().to_owned();
    assert!(place.ok(&["crawl", "models", "gemma4:26b"]).contains("as before"));
    place.republish(|model| {
        *model = model.clone().params(&json!({"temperature": 0.7, "top_k": 64}));
        model.renderer = Some("gemma5".to_owned());
        model.template = Some("{{ .Prompt }}!".to_owned());
    });
    // Without a name: those that are stored.
    let told = place.ok(&["crawl", "models"]);
    assert!(told.contains(&format!("gemma4:26b: {first} → ")), "{told}");
    let model = place.json(&["model", "gemma4:26b"]);
    let history = model["history"].as_array().unwrap();
    assert_eq!(history.len(), 2);
    let moved: Vec<String> = history[1]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{} {} {}", c["what"], c["old"], c["new"]))
        .collect();
    assert!(moved.contains(&"\"params.temperature\" \"1\" \"0.7\"".to_owned()), "{moved:?}");
    assert!(moved.contains(&"\"params.top_p\" \"0.95\" null".to_owned()), "{moved:?}");
    assert!(moved.contains(&"\"renderer\" \"gemma4\" \"gemma5\"".to_owned()), "{moved:?}");
    assert!(moved.iter().any(|m| m.starts_with("\"template\" null")), "{moved:?}");
    assert!(!moved.iter().any(|m| m.contains("top_k")), "{moved:?}");
    // A tag that goes is told as gone, and what it was stays known.
    place.kit.models(|models| models.retain(|m| m.tag != "26b"));
    assert!(place.ok(&["crawl", "models", "gemma4:26b"]).contains("gone"));
    let model = place.json(&["model", "gemma4:26b"]);
    assert!(model["notes"].to_string().contains("gone"), "{model}");
    assert_eq!(model["history"].as_array().unwrap().len(), 3);
}

#[test]
fn where_etags_are_served_only_what_is_newer_is_fetched() {
    let place = Place::new();
    place.kit.registry_etags(true);
    place.ok(&["crawl", "models", "gemma4:26b"]);
    place.kit.clear_log();
    assert!(place.ok(&["crawl", "models"]).contains("as before"));
    assert_eq!(place.kit.count_conditional(Host::Registry), 1);
    assert_eq!((place.kit.count(Host::Registry), place.kit.count(Host::Blobs)), (1, 0));
    // And once more, by the ETag of what was before.
    assert!(place.ok(&["crawl", "models"]).contains("as before"));
    assert_eq!(place.kit.count_conditional(Host::Registry), 2);
    place.republish(|model| model.parser = Some("gemma5".to_owned()));
    assert!(place.ok(&["crawl", "models"]).contains(" → "));
}

#[test]
fn bytes_that_are_not_what_was_promised_are_refused() {
    let place = Place::new();
    place.kit.fault(Rule::new(Host::Blobs, Fault::Corrupt));
    let error = place.error(&["crawl", "models", "gemma4:26b"]);
    assert_eq!(error.trim_end().lines().count(), 2, "{error}");
    assert!(error.contains("refused, not stored") && error.contains("sha256:"), "{error}");
    // Not even a store is left that holds nothing.
    assert!(place.error(&["model", "gemma4:26b"]).contains("there is no store"), "{error}");
    place.kit.mend();
    // Another's blob under this name.
    place.kit.fault(Rule::new(
        Host::Blobs,
        Fault::Instead { kind: "application/octet-stream", body: "{\"temperature\":9}\n".into() },
    ));
    assert!(place.error(&["crawl", "models", "gemma4:26b"]).contains("refused"));
    place.kit.mend();
    place.ok(&["crawl", "models", "gemma4:26b"]);
}

#[test]
fn a_registry_that_stumbles_is_asked_again_and_one_bad_name_spoils_no_other() {
    let place = Place::new();
    place.kit.fault(Rule::new(Host::Registry, Fault::Status(503)).times(1));
    place.kit.fault(Rule::new(Host::Blobs, Fault::Reset).times(1));
    place.ok(&["crawl", "models", "gemma4:26b"]);
    let output = place.run(&["crawl", "models", "gemma4:27b", "qwen3.6:27b"]);
    assert_eq!(output.status.code(), Some(2));
    let (out, err) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.contains("qwen3.6:27b: new"), "{out}");
    assert!(err.contains("has no model gemma4:27b"), "{err}");
    // A slip of the pen is not asked for again and again.
    assert_eq!(place.json(&["model"])["models"].as_array().unwrap().len(), 2);
    place.kit.models(|models| models[0].refused = true);
    let error = place.error(&["crawl", "models", "gemma4:26b"]);
    assert!(error.contains("requires a newer version of Ollama"), "{error}");
    assert!(place.error(&["crawl", "models", "../../etc/passwd"]).contains("names no model"));
    let error = place.error(&["model", "gemma4:27b"]);
    assert!(error.contains("gemma4:26b"), "{error}");
}

#[test]
fn a_page_without_models_is_an_error_and_never_no_models() {
    let place = Place::new();
    place.kit.fault(Rule::new(
        Host::Library,
        Fault::Instead { kind: "text/html", body: "<html>Just a moment</html>".to_owned() },
    ));
    let error = place.error(&["crawl", "models"]);
    assert!(error.contains("shows no models") && error.contains("crawl models gemma4"), "{error}");
    place.kit.mend();
    let told = place.ok(&["crawl", "models"]);
    // One tag of each: latest where there is one.
    assert!(told.contains("gemma4:latest: new") && told.contains("qwen3.6:27b: new"), "{told}");
    assert!(!told.contains("gemma4:26b"), "{told}");
    let told = place.ok(&["crawl", "models", "gemma4", "--tags"]);
    assert_eq!(told.lines().count(), 3, "{told}");
}

#[test]
fn what_is_installed_is_read_and_a_second_transport_that_agrees_counts() {
    let place = Place::new();
    place.ok(&["crawl", "models", "gemma4:26b"]);
    let told = place.ok(&["crawl", "models", "--installed"]);
    assert!(told.contains("no models folder"), "{told}");
    assert!(told.contains("my-gemma:latest: new"), "{told}");
    let gemma = place.json(&["model", "gemma4:26b"]);
    assert_eq!((&gemma["grade"], &gemma["place"]), (&json!("record+"), &json!("installed")));
    assert_eq!(gemma["receipts"].as_array().unwrap().len(), 2);
    let own = place.json(&["model", "my-gemma"]);
    assert_eq!(own["grade"], "measured");
    assert_eq!(own["params"]["repeat_penalty"], 1.2);
    // The registry is never asked for what only this machine has.
    place.kit.clear_log();
    place.ok(&["crawl", "models"]);
    assert!(place.kit.log().iter().all(|request| !format!("{request:?}").contains("my-gemma")));
    // One that is removed is gone, and the registry's is told again.
    place.kit.local(|_, installed| installed.retain(|one: &Installed| one.name != "gemma4:26b"));
    assert!(place.ok(&["crawl", "models", "--installed"]).contains("gemma4:26b: gone"));
    assert_eq!(place.json(&["model", "gemma4:26b"])["place"], "registry");
}

#[test]
fn the_models_folder_is_read_and_its_digests_are_checked() {
    let place = Place::new();
    // A variant of the user's own, as `ollama create` leaves it.
    let write = |params: &str, blob: Option<&str>| {
        let digest = |bytes: &str| headwater_store::Digest::of(bytes.as_bytes());
        let config = "{\"model_format\":\"gguf\",\"renderer\":\"gemma4\"}";
        let layer = |kind: &str, bytes: &str| json!({"mediaType": kind, "digest": digest(bytes).to_string(), "size": bytes.len()});
        let manifest = json!({
            "schemaVersion": 2,
            "config": layer("application/vnd.docker.container.image.v1+json", config),
            "layers": [layer("application/vnd.ollama.image.params", params)],
        });
        let folder = place.folder();
        let home = folder.join("manifests/registry.ollama.ai/library/mine");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(folder.join("blobs")).unwrap();
        std::fs::write(home.join("latest"), manifest.to_string()).unwrap();
        for (name, bytes) in [(config, config), (params, blob.unwrap_or(params))] {
            let file = format!("sha256-{}", digest(name).hex());
            std::fs::write(folder.join("blobs").join(file), bytes).unwrap();
        }
    };
    place.kit.fault(Rule::new(Host::Ollama, Fault::Status(500)));
    write("{\"repeat_penalty\":1.3,\"stop\":[\"\\u001b[31mred\"]}\n", None);
    let told = place.ok(&["crawl", "models", "--installed"]);
    assert!(told.contains("mine:latest: new") && told.contains("no local server"), "{told}");
    let mine = place.json(&["model", "mine"]);
    assert_eq!(
        (&mine["grade"], &mine["params"]["repeat_penalty"]),
        (&json!("record"), &json!(1.3))
    );
    // Neither the folder's place nor an escape sequence leaves the program.
    let shown = place.ok(&["model", "mine"]);
    assert!(!shown.contains('\u{1b}') && shown.contains("red"), "{shown:?}");
    assert!(!shown.contains(&place.dir.path().display().to_string()), "{shown}");
    write("{\"repeat_penalty\":1.4}\n", Some("{\"repeat_penalty\":9}\n"));
    let error = place.error(&["crawl", "models", "--installed"]);
    assert!(error.contains("refused, not stored"), "{error}");
    assert_eq!(place.json(&["model", "mine"])["params"]["repeat_penalty"], 1.3);
    // Nothing at all on this machine is told as such.
    std::fs::remove_dir_all(place.folder()).unwrap();
    let error = place.error(&["crawl", "models", "--installed"]);
    assert!(error.contains("OLLAMA_MODELS"), "{error}");
}

/// Both miniatures in the store, and two models.
fn with_upstreams() -> Place {
    let place = Place::new();
    let dirs = place.kit.with_demo(|demo| {
        [("ollama", demo.ollama.path().to_owned()), ("llama.cpp", demo.llama_cpp.path().to_owned())]
    });
    for (name, dir) in dirs.unwrap() {
        place.ok(&["crawl", name, "--from-git", &dir.display().to_string()]);
    }
    place.ok(&["crawl", "models", "gemma4:26b", "qwen3.6:27b", "gemma4:26b-nvfp4"]);
    place
}

fn sha(place: &Place, of: impl FnOnce(&headwater_demo::Demo) -> Option<String>) -> String {
    place.kit.with_demo(|demo| of(demo)).flatten().unwrap()
}

fn ollama_sha(place: &Place, name: &str) -> String {
    sha(place, |demo| demo.ollama.sha(name).map(str::to_owned))
}

#[test]
fn a_request_that_sets_nothing_runs_with_model_over_server_over_engine() {
    let place = with_upstreams();
    let told = place.json(&["model", "gemma4:26b", "--at", headwater_demo::BASE]);
    assert_eq!(told["at"]["version"], headwater_demo::BASE);
    assert_eq!(told["at"]["engine"]["pin"], headwater_demo::PIN_BASE);
    let rows = told["effective"].as_array().unwrap();
    let row = |knob: &str| rows.iter().find(|row| row["knob"] == knob).unwrap();
    let temperature = row("temperature");
    assert_eq!((&temperature["value"], &temperature["from"]), (&json!("1"), &json!("model")));
    let penalty = row("repeat_penalty");
    assert_eq!((&penalty["value"], &penalty["from"]), (&json!("1.1"), &json!("server-default")));
    let back = ollama_sha(&place, headwater_demo::ollama::names::PENALTY_BACK);
    assert_eq!(penalty["sha"], back.as_str());
    assert!(penalty["source"].as_str().unwrap().contains(&back[..9]), "{penalty}");
    // What asks the environment has the variable's own default.
    let context = row("num_ctx");
    assert!(context["source"].as_str().unwrap().contains("OLLAMA_CONTEXT_LENGTH"), "{context}");
    let load = row("common_params.load_mode");
    assert_eq!(load["from"], "engine-default");
    assert!(load["note"].as_str().unwrap().contains("--load-mode"), "{load}");
    // Another version, another default; a model that pins it keeps its own.
    let newer = place.json(&["model", "gemma4:26b", "--at", headwater_demo::HEAD]);
    let rows = newer["effective"].as_array().unwrap();
    assert_eq!(rows.iter().find(|r| r["knob"] == "repeat_penalty").unwrap()["value"], "1.0");
    let qwen = place.json(&["model", "qwen3.6:27b", "--at", headwater_demo::HEAD]);
    let rows = qwen["effective"].as_array().unwrap();
    let own = rows.iter().find(|r| r["knob"] == "repeat_penalty").unwrap();
    assert_eq!((&own["value"], &own["from"]), (&json!("1"), &json!("model")));
    // Tensors are not for this engine, and a screen says what it can.
    let tensors = place.json(&["model", "gemma4:26b-nvfp4", "--at", headwater_demo::HEAD]);
    assert!(tensors["at"]["notes"].to_string().contains("does not run"), "{}", tensors["at"]);
    let screen = place.ok(&["model", "gemma4:26b", "--at", headwater_demo::BASE]);
    // First what the model sets; what the engine starts with is counted, and `--all` has it.
    let row = |text: &str, knob: &str| text.lines().position(|line| line.starts_with(knob));
    let first = screen.lines().position(|line| line.starts_with("KNOB")).unwrap() + 1;
    assert!(screen.lines().nth(first).unwrap().contains("gemma4:26b itself"), "{screen}");
    assert!(row(&screen, "top_k") < row(&screen, "repeat_penalty"), "{screen}");
    assert_eq!(row(&screen, "common_params"), None, "{screen}");
    assert!(screen.contains("left out: ") && screen.contains(" --all"), "{screen}");
    let all = place.ok(&["model", "gemma4:26b", "--at", headwater_demo::BASE, "--all"]);
    assert!(row(&all, "common_params").is_some() && !all.contains("left out"), "{all}");
    assert!(place.error(&["model", "gemma4:26b", "--at", "v9.9"]).contains("nearest"));
}

#[test]
fn a_default_change_reaches_those_that_do_not_set_the_knob() {
    let place = with_upstreams();
    let penalty = ollama_sha(&place, headwater_demo::ollama::names::PENALTY);
    let told = place.json(&["effects", &penalty]);
    let effect = &told["effects"][0];
    assert_eq!((&effect["old"], &effect["new"]), (&json!("1.1"), &json!("1.0")));
    let names = |list: &str| -> Vec<String> {
        let all = effect[list].as_array().unwrap().iter();
        all.map(|m| m["model"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("reached"), ["gemma4:26b", "gemma4:26b-nvfp4"]);
    assert_eq!(names("spared"), ["qwen3.6:27b"]);
    assert!(effect["spared"][0]["why"].as_str().unwrap().contains("repeat_penalty 1"));
    // A default of the engine reaches what that engine runs.
    let load = sha(&place, |demo| {
        demo.llama_cpp.sha(headwater_demo::llama_cpp::names::LOAD_MODE).map(str::to_owned)
    });
    let told = place.json(&["effects", "llama.cpp", &load]);
    let all = told["effects"].as_array().unwrap();
    let effect = all.iter().find(|e| e["knob"] == "common_params.load_mode").unwrap();
    assert!(effect["note"].as_str().unwrap().contains("(discrete): mmap"), "{effect}");
    assert_eq!(effect["reached"].as_array().unwrap().len(), 2);
    assert!(effect["spared"][0]["why"].as_str().unwrap().contains("safetensors"));
    assert!(place.ok(&["effects", &penalty]).contains("does not reach: qwen3.6:27b"));
}

#[test]
fn a_window_tells_what_changed_for_the_model() {
    let place = with_upstreams();
    let window = format!("{}..{}", headwater_demo::BASE, headwater_demo::HEAD);
    let ask = |model: &str| {
        place.json(&["why", "ollama", &window, "--model", model, "--backend", "cuda"])
    };
    let gemma = ask("gemma4:26b");
    let effective = gemma["effective"].as_array().unwrap();
    // The penalty, and no change of how weights are loaded on a card of its own.
    assert_eq!(effective.len(), 1, "{effective:?}");
    let one = &effective[0];
    assert_eq!(
        (&one["knob"], &one["before"], &one["after"]),
        (&json!("repeat_penalty"), &json!("1.1"), &json!("1.0"))
    );
    let penalty = ollama_sha(&place, headwater_demo::ollama::names::PENALTY);
    assert!(one["source_after"].as_str().unwrap().contains(&penalty[..9]), "{one}");
    assert!(!gemma["open"].to_string().contains("crawl models"), "{}", gemma["open"]);
    // One that pins it meets nothing.
    assert_eq!(ask("qwen3.6:27b")["effective"], json!([]));
    // Of one that is not stored, the open question names the command that settles it.
    let other = ask("qwen2.5:7b");
    assert_eq!(other["effective"], json!([]));
    let commands: Vec<&str> = other["open"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|o| o["rederive"].as_array().unwrap())
        .filter_map(|c| c.as_str()?.strip_prefix("headwater crawl models "))
        .collect();
    assert_eq!(commands.first(), Some(&"qwen2.5:7b"), "{}", other["open"]);
    place.ok(&["crawl", "models", commands[0]]);
    assert_eq!(ask("qwen2.5:7b")["effective"][0]["knob"], "repeat_penalty");
}
