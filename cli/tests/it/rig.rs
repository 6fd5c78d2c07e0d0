//! The rig: a machine in miniature, and what its readings say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use headwater_store::Digest;
use headwater_testkit::Testkit;
use serde_json::{Value, json};

use super::support;

/// A machine: a folder of backends, tools, a server on loopback, and the upstreams.
struct Rig {
    dir: tempfile::TempDir,
    kit: Testkit,
    /// Whether its tools are on the path.
    tools: bool,
}

const CUDA: &str = "cuda_v13/libggml-cuda.so";
const CUBLAS: &str = "cuda_v13/libcublas.so.13";

impl Rig {
    /// A machine whose store holds nothing.
    fn new() -> Self {
        let rig =
            Rig { dir: tempfile::tempdir().unwrap(), kit: Testkit::start().unwrap(), tools: true };
        for (place, text) in [
            ("lib/libggml-base.so", "base"),
            ("lib/cuda_v13/libggml-cuda.so", "studio"),
            ("lib/cuda_v13/libcublas.so.13", "cublas 1"),
            ("lib/cuda_v13/libcublasLt.so.13", "cublaslt 1"),
            ("lib/llama-server", "no library"),
            (
                "cuda/version.json",
                r#"{"cuda": {"name": "CUDA SDK", "version": "13.4.3"}, "libcublas": {"version": "13.3.0.8"}}"#,
            ),
        ] {
            rig.write(place, text);
        }
        rig.tool(
            "nvcc",
            "echo 'a compiler driver'; echo 'Cuda compilation tools, release 13.4, V13.4.92'",
        );
        rig.tool("nvidia-smi", "echo '580.65.06, NVIDIA GeForce RTX 5090'");
        rig
    }

    /// One whose store holds both upstreams.
    fn with_upstreams() -> Self {
        let rig = Rig::new();
        let dirs = rig.kit.with_demo(|demo| {
            [
                ("ollama", demo.ollama.path().to_owned()),
                ("llama.cpp", demo.llama_cpp.path().to_owned()),
            ]
        });
        for (name, dir) in dirs.unwrap() {
            rig.ok(&["crawl", name, "--from-git", &dir.display().to_string()]);
        }
        rig
    }

    fn at(&self, place: &str) -> PathBuf {
        self.dir.path().join(place)
    }

    fn write(&self, place: &str, text: &str) {
        let path = self.at(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A script that stands for a tool.
    fn tool(&self, name: &str, script: &str) {
        self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(self.at(&format!("bin/{name}")), mode).unwrap();
        }
    }

    /// Writes the rig file: the folder, CUDA's file, and more.
    fn file(&self, more: &str) {
        let text = format!("folders = ['{}']\n{more}", self.at("lib").display());
        self.write("rig.toml", &text);
    }

    /// The file with two builds, of which the studio's is expected.
    fn studio(&self) {
        self.file(&format!(
            "expects = 'studio'\n[tools]\nversion_json = '{}'\n\
             [[build]]\nname = 'studio'\nollama = '0.6.0'\npin = 'b21'\n\
             toolkit = {{ release = '13.4 Update 2', version_json = '13.4.3', nvcc = '13.4.92' }}\n\
             [build.files]\n'{CUDA}' = '{}'\n\
             [[build]]\nname = 'stock'\nollama = '0.6.2'\npin = 'b34'\n[build.files]\n'{CUDA}' = '{}'\n",
            self.at("cuda/version.json").display(),
            Digest::of(b"studio").hex(),
            Digest::of(b"stock").hex(),
        ));
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = support::headwater(&self.at("home"), &self.at("store"), args);
        let path = std::env::var("PATH").unwrap_or_default();
        if self.tools {
            command.env("PATH", format!("{}:{path}", self.at("bin").display()));
        }
        command
            .env("HEADWATER_RIG", self.at("rig.toml"))
            .env("OLLAMA_MODELS", self.at("models"))
            .envs(self.kit.env());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().unwrap();
        support::keep(&output.stdout);
        output
    }

    fn ok(&self, args: &[&str]) -> String {
        support::succeeded(args, self.run(args))
    }

    /// Runs, expects a status, and gives standard output as JSON.
    fn json(&self, args: &[&str], status: i32) -> Value {
        let mut all = args.to_vec();
        all.extend(["--format", "json"]);
        serde_json::from_str(&self.text(&all, status)).unwrap()
    }

    fn text(&self, args: &[&str], status: i32) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The kinds of a report's alerts.
fn kinds(report: &Value) -> Vec<&str> {
    report["alerts"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect()
}

fn whats(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect()
}

#[test]
fn a_first_reading_becomes_a_rig_file_and_nothing_changes_after_it() {
    let rig = Rig::with_upstreams();
    // Where the folder is comes from the environment, where no file names it.
    let init = |args: &[&str]| {
        let mut all = vec!["rig", "init"];
        all.extend(args);
        let mut command = rig.command(&all);
        command.env("OLLAMA_LIBRARY_PATH", rig.at("lib")).env("CUDA_PATH", rig.at("cuda"));
        command.output().unwrap()
    };
    let printed = support::succeeded(&["init"], init(&["--output", "-"]));
    assert!(printed.contains("pin = 'b21'") && printed.contains("13.4.92"), "{printed}");
    assert!(support::succeeded(&["init"], init(&[])).starts_with("wrote "));
    let again = init(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--force"));
    assert!(init(&["--force"]).status.success());

    let first = rig.json(&["rig"], 0);
    assert_eq!((&first["schema"], &first["before"]), (&json!("headwater/rig/1"), &Value::Null));
    let files: Vec<&str> = first["libraries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["place"].as_str().unwrap())
        .collect();
    assert_eq!(files.len(), 4, "{files:?}");
    let cuda = first["libraries"].as_array().unwrap().iter().find(|l| l["place"] == CUDA).unwrap();
    assert_eq!((&cuda["state"], &cuda["role"]), (&json!("expected"), &json!("backend")));
    assert_eq!(cuda["sha256"], Digest::of(b"studio").to_string());
    // Three counts of one toolkit, each by its own name.
    let toolkit = &first["toolkit"];
    assert_eq!(toolkit["nvcc"]["is"], json!({"release": "13.4", "version": "13.4.92"}));
    assert_eq!(toolkit["gpus"]["is"][0]["driver"], "580.65.06");
    assert!(first["headline"].as_str().unwrap().contains("first reading"), "{}", first["headline"]);
    let models = first["models"]["is"].as_array().unwrap();
    let gemma = models.iter().find(|model| model["name"] == "gemma4:26b").unwrap();
    assert_eq!(gemma["params"]["top_k"], 64);
    // Upstream went on, and a default moved on the way.
    let upstream = &first["upstream"];
    assert_eq!((&upstream["installed"], &upstream["newest"]), (&json!("v0.6.0"), &json!("v0.6.3")));
    let pin = &upstream["pins"][0];
    assert_eq!((&pin["rig"], &pin["newest"]), (&json!("b21"), &json!("b40")));
    let moved = upstream["defaults"].as_array().unwrap();
    let penalty = moved.iter().find(|event| event["knob"] == "repeat_penalty").unwrap();
    assert_eq!((&penalty["old"], &penalty["new"]), (&json!("1.1"), &json!("1.0")));
    assert!(moved.iter().any(|event| event["upstream"] == "llama.cpp"), "{moved:?}");

    let second = rig.json(&["rig"], 0);
    assert_eq!(second["before"]["id"], first["reading"]["id"]);
    assert_eq!(second["changes"], json!([]));
    assert!(second["headline"].as_str().unwrap().contains("nothing changed"));
    rig.kit.local(|version, installed| {
        "0.6.2".clone_into(version);
        installed.retain(|one| one.name != "my-gemma:latest");
    });
    rig.tool("nvidia-smi", "printf '590.1, Card \\033[31mred\\n'");
    let third = rig.json(&["rig"], 3);
    assert_eq!(whats(&third["changes"]), ["Ollama", "driver", "model my-gemma:latest"]);
    assert_eq!(kinds(&third), ["other-version"]);
    // No escape sequence of a tool reaches the terminal.
    let screen = rig.text(&["rig"], 3);
    assert!(screen.starts_with("ALERT: the server is Ollama 0.6.2"), "{screen}");
    assert!(screen.contains("[31mred") && !screen.contains('\u{1b}'), "{screen:?}");
    // What is passed on does not say where things lie.
    let place = rig.dir.path().display().to_string();
    let md = rig.text(&["rig", "--format", "md"], 3);
    let public = rig.text(&["rig", "--format", "json", "--public"], 3);
    assert!(!md.contains(&place) && !public.contains(&place), "{md}");
}

#[test]
fn the_stock_file_over_a_studio_build_is_an_alert() {
    let rig = Rig::new();
    rig.studio();
    let calm = rig.json(&["rig"], 0);
    assert_eq!((kinds(&calm).len(), &calm["expected"]["pin"]), (0, &json!("b21")));
    assert_eq!(calm["toolkit"]["version_json"]["is"]["version"], "13.4.3");
    assert_eq!(calm["toolkit"]["differs"], json!([]));
    // Nothing is stored of upstream, and that is an open question.
    assert!(calm["open"].to_string().contains("headwater crawl ollama"), "{}", calm["open"]);

    rig.write(&format!("lib/{CUDA}"), "stock");
    let alert = rig.json(&["rig"], 3);
    assert_eq!(kinds(&alert), ["other-build", "other-version"]);
    let says = alert["alerts"][0]["says"].as_str().unwrap();
    assert!(says.contains("stock (Ollama 0.6.2, pin b34)") && says.contains("studio"), "{says}");
    assert_eq!(alert["alerts"][0]["grade"], "measured");
    assert_eq!(whats(&alert["changes"]), [CUDA]);

    rig.write(&format!("lib/{CUDA}"), "who knows");
    assert_eq!(kinds(&rig.json(&["rig"], 3)), ["unknown-file"]);
    std::fs::remove_file(rig.at("lib").join(CUDA)).unwrap();
    let gone = rig.json(&["rig"], 3);
    assert_eq!(kinds(&gone), ["missing"]);
    assert_eq!(gone["changes"][0]["new"], Value::Null);

    // Without an expectation, files of two builds are one too many.
    rig.file(&format!(
        "[[build]]\nname = 'a'\npin = 'b1'\nfiles = {{ 'libggml-base.so' = '{}' }}\n\
         [[build]]\nname = 'b'\npin = 'b2'\nfiles = {{ '{CUDA}' = '{}' }}\n",
        Digest::of(b"base").hex(),
        Digest::of(b"stock").hex()
    ));
    rig.write(&format!("lib/{CUDA}"), "stock");
    assert_eq!(kinds(&rig.json(&["rig"], 3)), ["mixed-builds"]);
}

#[test]
fn another_cublas_beside_the_same_backend_is_an_alert_until_it_is_known() {
    let rig = Rig::new();
    rig.studio();
    rig.json(&["rig"], 0);
    rig.write(&format!("lib/{CUBLAS}"), "cublas 2");
    for _ in 0..2 {
        // It stands, also where the reading before has it already.
        let alert = rig.json(&["rig"], 3);
        assert_eq!(kinds(&alert), ["called-changed"]);
        let says = alert["alerts"][0]["says"].as_str().unwrap();
        assert!(says.starts_with("cublas changed beside an unchanged"), "{says}");
    }
    // As it was.
    rig.write(&format!("lib/{CUBLAS}"), "cublas 1");
    rig.json(&["rig"], 0);
    // A backend that changed with it is another matter.
    rig.file("");
    rig.write(&format!("lib/{CUBLAS}"), "cublas 3");
    assert_eq!(kinds(&rig.json(&["rig"], 3)), ["called-changed"]);
    rig.write(&format!("lib/{CUDA}"), "built anew");
    assert_eq!(kinds(&rig.json(&["rig"], 0)).len(), 0);
    // So is one that a known build has beside the other.
    rig.write(&format!("lib/{CUBLAS}"), "cublas 4");
    assert_eq!(kinds(&rig.json(&["rig"], 3)), ["called-changed"]);
    let hash = |text: &str| Digest::of(text.as_bytes()).hex();
    rig.file(&format!(
        "[[build]]\nname = 'new'\n[build.files]\n'libggml-cuda.so' = '{}'\n'libcublas.so.13' = '{}'\n'libcublasLt.so.13' = '{}'\n",
        hash("built anew"),
        hash("cublas 4"),
        hash("cublaslt 1")
    ));
    rig.json(&["rig"], 0);
}

#[test]
fn a_brief_opens_with_the_alert_and_tells_what_an_upgrade_brings() {
    let rig = Rig::with_upstreams();
    rig.studio();
    // A name that the registry has is public; one of a known family is, too.
    rig.ok(&["crawl", "models", "muse-glimmer:30b"]);
    rig.kit.local(|version, _| "0.6.0".clone_into(version));
    let calm = rig.json(&["brief", "--to", "v0.6.2"], 0);
    assert_eq!((&calm["schema"], &calm["to"]), (&json!("headwater/brief/1"), &json!("v0.6.2")));
    let list = |name: &str| calm[name].as_array().unwrap_or_else(|| panic!("{name}"));
    // The window of the miniature: a silent default, and a field more in a public header.
    let penalty = list("effective").iter().find(|one| one["knob"] == "repeat_penalty").unwrap();
    assert_eq!((&penalty["before"], &penalty["after"]), (&json!("1.1"), &json!("1.0")));
    assert_eq!(penalty["models"], json!(["gemma4:26b", "muse-glimmer:30b"]));
    assert_eq!((&calm["models"], &calm["abi"]["base"]), (&json!(3), &json!("b21")));
    assert_eq!(calm["abi"]["head"], headwater_demo::PIN_HEAD);
    let rebuild = &calm["abi"]["rebuild"];
    assert!(["yes", "no"].contains(&rebuild["due"].as_str().unwrap()), "{rebuild}");
    assert!(!rebuild["why"].as_array().unwrap().is_empty() && rebuild["grade"].is_string());
    let whats: Vec<&str> =
        list("versions").iter().map(|line| line["what"].as_str().unwrap()).collect();
    for what in ["Ollama", "its pin", "its toolkit, by release", "nvcc", "CUDA, by version.json"] {
        assert!(whats.contains(&what), "{what} in {whats:?}");
    }
    let releases: Vec<&Value> = list("releases").iter().map(|one| &one["tag"]).collect();
    assert_eq!(releases, ["v0.6.3", "v0.1.0", "b40"]);
    assert_eq!(calm["digest"]["schema"], "headwater/digest/1");
    assert!(calm["open"].to_string().contains("nobody asked"), "{}", calm["open"]);
    // To the same version nothing changes, and nothing is to be built.
    let same = rig.json(&["brief", "--to", "v0.6.0", "--stored"], 0);
    assert_eq!((&same["effective"], &same["options"]), (&json!([]), &json!([])));
    assert_eq!(same["abi"]["rebuild"]["due"], "no");

    rig.write(&format!("lib/{CUDA}"), "stock");
    let out = rig.at("brief.md").display().to_string();
    assert_eq!(rig.text(&["brief", "--output", &out], 3), "");
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.starts_with("**ALERT: cuda"), "{text}");
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
    for (first, then) in [
        ("### ALERT", "### Versions"),
        ("### Versions", "### Upstream's newest"),
        ("### Toolkits", "### Build options"),
        ("### Rebuild due:", "### What the rig's models"),
        ("### Open", "### Digest"),
        ("### Digest", "### Ask again"),
    ] {
        assert!(at(first) < at(then), "{first} before {then}");
    }
    // Nothing private leaves: neither where things lie nor what somebody calls his own.
    let place = rig.dir.path().display().to_string();
    let json = rig.text(&["brief", "--stored", "--format", "json"], 3);
    for text in [&text, &json] {
        assert!(!text.contains(&place) && !text.contains("my-gemma"), "{text}");
        assert!(text.contains("gemma4:26b"), "{text}");
    }
    assert!(json.contains("[own model 1]"));
    assert!(!text.contains(" @") && !text.contains(" #2") && !text.contains('\u{1b}'), "{text}");
    let all = rig.text(&["brief", "--stored", "--format", "json", "--public=false"], 3);
    assert!(all.contains("my-gemma"));
    // The weekly look is as loud as its worst step.
    #[cfg(unix)]
    {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/timers/headwater-monday.sh");
        let own = Path::new(env!("CARGO_BIN_EXE_headwater")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new("sh");
        for (name, value) in rig.command(&[]).get_envs() {
            command.env(name, value.unwrap());
        }
        let output = command
            .arg(script)
            .env("PATH", format!("{}:{}:{path}", own.display(), rig.at("bin").display()))
            .env("HEADWATER_OUT", rig.at("monday"))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains("ALERT") && output.stdout.is_empty(), "{told}");
        assert!(rig.at("monday/brief.md").exists() && rig.at("monday/digest.md").exists());
    }
    // Without a reading nothing can be briefed on; an unknown version is named.
    rig.write("rig.toml", "name = 'other'\n");
    for (args, told) in [
        (&["brief", "--stored"][..], "headwater rig"),
        (&["brief", "--to", "v9.9.9"][..], "v9.9.9"),
    ] {
        let output = rig.run(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn a_store_of_one_window_tells_what_it_can_of_an_upgrade() {
    let rig = Rig::new();
    rig.studio();
    rig.kit.local(|version, _| "0.6.0".clone_into(version));
    rig.ok(&["crawl", "ollama", &format!("{}..{}", headwater_demo::BASE, headwater_demo::HEAD)]);
    let told = rig.json(&["brief", "--to", "v0.6.2"], 0);
    let moved = told["effective"].as_array().unwrap();
    assert!(moved.iter().any(|one| one["knob"] == "repeat_penalty"), "{moved:?}");
    assert_eq!(told["abi"]["head"], headwater_demo::PIN_HEAD);
    // The newest is known by its tag alone.
    let told = rig.json(&["brief"], 0);
    assert_eq!(
        (&told["to"], &told["abi"]["rebuild"]["due"]),
        (&json!("v0.6.3"), &json!("unknown"))
    );
    let asks: Vec<&Value> =
        told["open"].as_array().unwrap().iter().map(|q| &q["question"]).collect();
    let of = asks.iter().filter(|q| q.as_str().unwrap().contains("v0.6.3"));
    assert_eq!(of.count(), 1, "{asks:?}");
    rig.ok(&["rig", "init", "--output", "-"]);
}

#[test]
fn an_upgrade_is_asked_for_the_models_that_are_installed() {
    let rig = Rig::with_upstreams();
    rig.file("");
    rig.kit.local(|version, _| "0.6.0".clone_into(version));
    rig.json(&["rig"], 0);
    let window = format!("{}..{}", headwater_demo::BASE, headwater_demo::HEAD);
    let told = rig.json(&["why", "ollama", &window, "--mine", "--offline", "--backend", "cuda"], 0);
    let headline = told["headline"].as_str().unwrap();
    assert!(headline.contains("2 of 3 installed models: repeat_penalty 1.1 → 1.0"), "{headline}");
    let names: Vec<&str> = told["mine"]["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["model"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["gemma4:26b", "muse-glimmer:30b", "my-gemma:latest"]);
    let moved = told["effective"].as_array().unwrap();
    assert!(moved.iter().all(|one| one["model"] != "my-gemma:latest"), "{moved:?}");
    // A renderer's change reaches the models of its family, and no others.
    let glimmer = rig.kit.with_demo(|demo| {
        demo.ollama.sha(headwater_demo::ollama::names::GLIMMER).map(str::to_owned)
    });
    let glimmer = glimmer.flatten().unwrap();
    let candidates = told["candidates"].as_array().unwrap();
    let one = candidates.iter().find(|one| one["sha"] == glimmer.as_str()).unwrap();
    assert_eq!(
        (&one["reaches"], &one["verdict"]),
        (&json!(["muse-glimmer:30b"]), &json!("candidate"))
    );
    // A moved default does not reach a model that sets the knob itself.
    let penalty = rig.kit.with_demo(|demo| {
        demo.ollama.sha(headwater_demo::ollama::names::PENALTY).map(str::to_owned)
    });
    let penalty = penalty.flatten().unwrap();
    let one = candidates.iter().find(|one| one["sha"] == penalty.as_str()).unwrap();
    assert_eq!(one["reaches"], json!(["gemma4:26b", "muse-glimmer:30b"]));
    let told = rig.json(&["why", "ollama", &window, "--model", "my-gemma", "--backend", "cuda"], 0);
    let of_model = told["candidates"].as_array().unwrap();
    let one = of_model.iter().find(|one| one["sha"] == penalty.as_str()).unwrap();
    assert_eq!(one["verdict"], "excluded");
    let why = one["verdict_reason"].as_str().unwrap();
    assert!(
        why.starts_with("moves only what my-gemma:latest sets itself: repeat_penalty"),
        "{why}"
    );
    let ranks: Vec<u64> = candidates.iter().map(|one| one["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, (1..=candidates.len() as u64).collect::<Vec<_>>());
    // The installed version is that of the last reading, where nothing is asked.
    let args = ["why", "ollama", "installed..latest", "--mine", "--offline"];
    let told = rig.json(&args, 0);
    assert_eq!(
        (&told["window"]["base"], &told["window"]["head"]),
        (&json!("v0.6.0"), &json!("v0.6.3"))
    );
    let md = rig.text(&["why", "ollama", &window, "--mine", "--offline", "--format", "md"], 0);
    assert!(md.contains("### Your models") && !md.contains("my-gemma"), "{md}");
    // Where nothing is installed there is nothing to ask for.
    let output = rig
        .command(&["why", "ollama", &window, "--mine", "--offline"])
        .env("HEADWATER_STORE", rig.at("none"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_start_script_and_names_of_windows_are_understood() {
    let rig = Rig::new();
    for (place, text) in
        [("lib/cuda_v13/ggml-cuda.dll", "own"), ("lib/cuda_v13/cublas64_13.dll", "c")]
    {
        rig.write(place, text);
    }
    for place in [CUDA, CUBLAS] {
        std::fs::remove_file(rig.at("lib").join(place)).unwrap();
    }
    let script = rig.at("start.ps1");
    let file = || {
        rig.file(&format!(
            "[[script]]\npath = '{}'\npattern = '''(?i)\\$want\\s*=\\s*\"([0-9a-f]{{64}})\"'''\nfile = 'cuda_v13\\ggml-cuda.dll'\n\
             [[build]]\nname = 'own'\n[build.files]\n'cuda_v13\\ggml-cuda.dll' = '{}'\n",
            script.display(),
            Digest::of(b"own").hex()
        ));
    };
    file();
    // No script is a finding.
    let none = rig.json(&["rig"], 0);
    assert!(whats(&none["lacking"]).contains(&"start.ps1"), "{}", none["lacking"]);
    let want = |text: &str| {
        let line = format!("$Want = \"{}\"\r\n", Digest::of(text.as_bytes()).hex().to_uppercase());
        std::fs::write(&script, line).unwrap();
    };
    want("own");
    let holds = rig.json(&["rig"], 0);
    assert_eq!(holds["scripts"][0]["holds"], true);
    want("older");
    let alert = rig.json(&["rig"], 3);
    assert_eq!(kinds(&alert), ["script-expects"]);
    assert_eq!(alert["scripts"][0]["holds"], false);
    rig.write("lib/cuda_v13/cublas64_13.dll", "d");
    want("own");
    let alert = rig.json(&["rig"], 3);
    assert_eq!(kinds(&alert), ["called-changed"]);
    assert_eq!(alert["alerts"][0]["file"], "cuda_v13/cublas64_13.dll");
}

#[test]
fn what_is_not_there_is_a_finding_and_a_wrong_file_an_error() {
    let mut rig = Rig::new();
    rig.tools = false;
    rig.file("[tools]\nnvcc = '/nowhere/nvcc'\nnvidia_smi = '/nowhere/nvidia-smi'\nversion_json = '/nowhere/version.json'\n");
    let bare = |rig: &Rig| {
        let mut command = rig.command(&["rig", "--format", "json"]);
        command.env("HEADWATER_OLLAMA_URL", "http://127.0.0.1:1").output().unwrap()
    };
    let output = bare(&rig);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lacking = whats(&report["lacking"]);
    for what in [
        "the local server",
        "installed models",
        "CUDA's compiler",
        "a device and its driver",
        "CUDA's version.json",
        "known builds",
    ] {
        assert!(lacking.contains(&what), "{what} in {lacking:?}");
    }
    // A tool that fails, or says nothing of use, is no better than none.
    rig.tool("odd", "echo 'has failed'; exit 9");
    let odd = rig.at("bin/odd").display().to_string();
    rig.file(&format!("[tools]\nnvcc = '{odd}'\nnvidia_smi = '{odd}'\n"));
    let report: Value = serde_json::from_slice(&bare(&rig).stdout).unwrap();
    assert!(report["toolkit"]["nvcc"]["lacks"].as_str().unwrap().contains("odd failed"));
    rig.write("rig.toml", "folders = ['/nowhere']\n");
    let report: Value = serde_json::from_slice(&bare(&rig).stdout).unwrap();
    assert!(whats(&report["lacking"]).contains(&"/nowhere"), "{}", report["lacking"]);

    for (text, told) in [("expects = 'x'\n", "no build is called so"), ("folder = []\n", "folder")]
    {
        rig.write("rig.toml", text);
        let output = rig.run(&["rig"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2));
        assert!(error.contains(told) && error.trim_end().lines().count() == 1, "{error}");
    }
    let missing = Path::new("/nowhere/rig.toml");
    let output = rig.command(&["rig"]).env("HEADWATER_RIG", missing).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
