//! The registry, the library's pages, and a server on the user's machine.

use headwater_testkit::{Fault, Host, Rule, Testkit};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::client::{get, get_with, request};

fn sha256(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn params(manifest: &Value) -> Value {
    let layers = manifest["layers"].as_array().unwrap();
    let kind = "application/vnd.ollama.image.params";
    layers.iter().find(|layer| layer["mediaType"] == kind).cloned().unwrap_or_default()
}

#[test]
fn a_manifest_leads_to_a_blob_on_another_host_that_has_its_digest() {
    let kit = Testkit::start().unwrap();
    let base = format!("{}/v2/library/gemma4", kit.url(Host::Registry));
    let manifest = get(&format!("{base}/manifests/26b"));
    assert!(manifest.header("content-type").starts_with("text/plain"));
    assert_eq!(manifest.header("content-length"), "", "none on manifests");
    let layer = params(&manifest.json());
    let digest = layer["digest"].as_str().unwrap();
    let moved = get(&format!("{base}/blobs/{digest}"));
    assert_eq!(moved.status, 307);
    let to = moved.header("location");
    assert!(to.starts_with(kit.url(Host::Blobs)));
    let blob = get(to);
    assert_eq!(sha256(&blob.body), digest);
    assert_eq!(blob.json(), json!({ "temperature": 1, "top_k": 64, "top_p": 0.95 }));
    assert_eq!(layer["size"], blob.body.len());
    assert_eq!(get(to.split('?').next().unwrap()).status, 403, "only signed addresses");

    kit.fault(Rule::new(Host::Blobs, Fault::Corrupt).times(1));
    assert_ne!(sha256(&get(to).body), digest);

    let head = request("HEAD", &format!("{base}/manifests/26b"), &[], "").unwrap();
    assert_eq!(head.status, 405);
    assert_eq!(get(&format!("{base}/manifests/none")).status, 404);
}

#[test]
fn a_token_may_be_needed_first() {
    let kit = Testkit::start().unwrap();
    kit.registry_needs_token(true);
    let url = format!("{}/v2/library/gemma4/manifests/26b", kit.url(Host::Registry));
    let refused = get(&url);
    assert_eq!(refused.status, 401);
    let challenge = refused.header("www-authenticate");
    let part = |name: &str| {
        let rest = challenge.split(&format!("{name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    assert!(part("realm").starts_with(kit.url(Host::Tokens)));
    let token = get(&format!("{}?scope={}", part("realm"), part("scope"))).json();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    assert_eq!(get_with(&url, &[("authorization", bearer.as_str())]).status, 200);
}

#[test]
fn an_old_client_is_told_to_upgrade() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/v2/library/gemma4/manifests/26b-nvfp4", kit.url(Host::Registry));
    let as_agent = |agent: &str| get_with(&url, &[("user-agent", agent)]).status;
    assert_eq!(as_agent("ollama/0.5.9 (linux)"), 412);
    assert_eq!(as_agent("ollama/0.6.0 (linux)"), 200);
    assert_eq!(as_agent("somebody/1"), 200);
    kit.models(|models| models.iter_mut().for_each(|model| model.refused = true));
    assert_eq!(as_agent("somebody/1"), 412);
}

#[test]
fn a_tag_can_move() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/v2/library/gemma4/manifests/26b", kit.url(Host::Registry));
    let before = get(&url).body;
    kit.models(|models| {
        for model in models.iter_mut().filter(|model| model.tag == "26b") {
            *model = model.clone().params(&json!({ "temperature": 1, "repeat_penalty": 1.1 }));
        }
    });
    assert_ne!(get(&url).body, before);
    let other = format!("{}/v2/library/qwen2.5/manifests/7b", kit.url(Host::Registry));
    assert_eq!(params(&get(&other).json()), Value::Null, "no parameters at all");
}

#[test]
fn pages_name_the_models_for_people() {
    let kit = Testkit::start().unwrap();
    let page = get(&format!("{}/library", kit.url(Host::Library))).text();
    assert_eq!(page.matches("<li x-test-model ").count(), 5);
    assert!(page.contains("<a href=\"/library/gemma4\""));
    let tags = get(&format!("{}/library/gemma4/tags", kit.url(Host::Library))).text();
    let manifest = get(&format!("{}/v2/library/gemma4/manifests/26b", kit.url(Host::Registry)));
    let id = sha256(&manifest.body)["sha256:".len()..][..12].to_owned();
    assert_eq!(tags.matches("class=\"command hidden\"").count(), 3);
    assert!(tags.contains(&id), "the shown id is the manifest's");
}

#[test]
fn the_local_server_shows_what_is_installed() {
    let kit = Testkit::start().unwrap();
    let base = kit.url(Host::Ollama);
    assert_eq!(get(&format!("{base}/api/version")).json()["version"], "0.6.0");
    kit.local(|version, _| *version = "0.6.2".to_owned());
    assert_eq!(get(&format!("{base}/api/version")).json()["version"], "0.6.2");
    let tags = get(&format!("{base}/api/tags")).json();
    let names: Vec<&str> =
        tags["models"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gemma4:26b", "muse-glimmer:30b", "my-gemma:latest"]);
    let show = |name: &str| {
        let body = json!({ "model": name }).to_string();
        request("POST", &format!("{base}/api/show"), &[], &body).unwrap()
    };
    let own = show("my-gemma").json();
    let lines: Vec<Vec<&str>> = own["parameters"]
        .as_str()
        .unwrap()
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(lines.contains(&vec!["repeat_penalty", "1.2"]));
    assert_eq!(own["renderer"], "gemma4");
    assert_eq!(show("nothing").status, 404);
}
