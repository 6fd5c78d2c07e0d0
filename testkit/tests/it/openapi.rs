//! Every kind of answer, against GitHub's own description of it.

use headwater_demo::{llama_cpp, ollama};
use headwater_testkit::{Host, Testkit};
use serde_json::{Map, Value, json};

use crate::client::get;

/// The part of the description that openapi/README.md tells of.
struct Description(Value);

impl Description {
    fn read() -> Self {
        Description(serde_json::from_str(include_str!("../../openapi/github.json")).unwrap())
    }

    /// What is wrong with an answer of this status to this operation.
    fn check(&self, operation: &str, status: u16, answer: &Value) -> Vec<String> {
        let schema = &self.0["operations"][operation][status.to_string()];
        assert!(!schema.is_null(), "no answer {status} of {operation} is described");
        let mut wrong = Vec::new();
        self.value(schema, answer, "", &mut wrong);
        wrong
    }

    fn value(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
        let schema = match schema["$ref"].as_str() {
            Some(name) => &self.0["schemas"][name.rsplit('/').next().unwrap()],
            None => schema,
        };
        if value.is_null() && (schema["nullable"] == true || schema["type"].is_null()) {
            return;
        }
        for every in schema["allOf"].as_array().into_iter().flatten() {
            self.value(every, value, at, wrong);
        }
        for any in ["anyOf", "oneOf"].into_iter().filter_map(|name| schema[name].as_array()) {
            let tries: Vec<Vec<String>> = any
                .iter()
                .map(|one| {
                    let mut wrong = Vec::new();
                    self.value(one, value, at, &mut wrong);
                    wrong
                })
                .collect();
            if tries.iter().all(|wrong| !wrong.is_empty()) {
                wrong.extend(tries.into_iter().next().unwrap_or_default());
            }
        }
        let right = match schema["type"].as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            _ => true,
        };
        if !right {
            wrong.push(format!("{at}: {value} is not of type {}", schema["type"]));
            return;
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            wrong.push(format!("{at}: {value} is none of {}", schema["enum"]));
        }
        if let (Some(format), Some(text)) = (schema["format"].as_str(), value.as_str()) {
            let right = match format {
                "date-time" => chrono::DateTime::parse_from_rfc3339(text).is_ok(),
                "uri" => text.starts_with("http://") && !text.contains([' ', '{']),
                _ => true,
            };
            if !right {
                wrong.push(format!("{at}: {text:?} is no {format}"));
            }
        }
        if let Some(fields) = value.as_object() {
            self.object(schema, fields, at, wrong);
        }
        for (n, one) in value.as_array().into_iter().flatten().enumerate() {
            self.value(&schema["items"], one, &format!("{at}/{n}"), wrong);
        }
    }

    fn object(
        &self,
        schema: &Value,
        fields: &Map<String, Value>,
        at: &str,
        wrong: &mut Vec<String>,
    ) {
        for name in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap()) {
                wrong.push(format!("{at}: {name} is missing"));
            }
        }
        let Some(known) = schema["properties"].as_object() else { return };
        for (name, value) in fields {
            match known.get(name) {
                Some(schema) => self.value(schema, value, &format!("{at}/{name}"), wrong),
                // What the description does not know must not be relied on.
                None if schema["additionalProperties"].is_null() => {
                    wrong.push(format!("{at}: {name} is not described"));
                }
                None => {}
            }
        }
    }
}

#[test]
fn every_answer_is_as_github_describes_it() {
    let description = Description::read();
    let kit = Testkit::start().unwrap();
    let sha = |name: &str| kit.with_demo(|d| d.ollama.sha(name).unwrap().to_owned()).unwrap();
    let tag_object = kit
        .with_demo(|demo| demo.llama_cpp.git(&["rev-parse", "refs/tags/v0.1.0"]).unwrap())
        .unwrap();
    let experts =
        kit.with_demo(|d| d.llama_cpp.sha(llama_cpp::names::EXPERTS).unwrap().to_owned()).unwrap();
    let icon =
        kit.with_demo(|d| d.ollama.git(&["rev-parse", "v0.6.2:app/icon.png"]).unwrap()).unwrap();
    let cases = [
        ("", "", "", 200),
        ("/compare/{basehead}", "/compare/v0.6.0...v0.6.2", "", 200),
        ("/compare/{basehead}", "/compare/v0.6.0...v9.9.9", "", 404),
        ("/commits", "/commits?per_page=100", "", 200),
        ("/commits", "/commits?path=api/types.go", "", 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::PENALTY), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::RENAME), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::BINARY), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::TYPE_CHANGE), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::HOSTILE), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::SILENT), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::ROOT), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::PIN_TWO), 200),
        ("/commits/{ref}", "/commits/", &sha(ollama::names::MERGE), 200),
        ("/commits/{ref}", "/commits/ffffffffff", "", 422),
        ("/commits/{commit_sha}/pulls", "/commits/v0.6.2/pulls", "", 200),
        ("/tags", "/tags?per_page=100", "", 200),
        ("/git/ref/{ref}", "/git/ref/tags/v0.6.2", "", 200),
        ("/git/trees/{tree_sha}", "/git/trees/", &sha(ollama::names::PIN_TWO), 200),
        ("/git/trees/{tree_sha}", "/git/trees/v0.6.2?recursive=1", "", 200),
        ("/git/trees/{tree_sha}", "/git/trees/ffffffffff", "", 404),
        ("/git/blobs/{file_sha}", "/git/blobs/", &icon, 200),
        ("/git/blobs/{file_sha}", "/git/blobs/icon", "", 422),
        ("/git/matching-refs/{ref}", "/git/matching-refs/tags/v0.6", "", 200),
        ("/releases", "/releases", "", 200),
        ("/releases/latest", "/releases/latest", "", 200),
        ("/releases/tags/{tag}", "/releases/tags/v0.6.1", "", 200),
        ("/releases/tags/{tag}", "/releases/tags/v9.9.9", "", 404),
        ("/pulls/{pull_number}", "/pulls/24", "", 200),
        ("/pulls/{pull_number}", "/pulls/37", "", 200),
        ("/issues", "/issues?state=all", "", 200),
        ("/issues/{issue_number}", "/issues/39", "", 200),
        ("/security-advisories", "/security-advisories", "", 200),
    ];
    let mut asked: Vec<(String, String, u16)> = cases
        .iter()
        .map(|(operation, path, rest, status)| {
            let operation = format!("/repos/{{owner}}/{{repo}}{operation}");
            (operation, format!("/repos/ollama/ollama{path}{rest}"), *status)
        })
        .collect();
    let other = "/repos/{owner}/{repo}";
    asked.extend([
        (other.to_owned(), "/repos/ggerganov/llama.cpp".to_owned(), 301),
        (other.to_owned(), "/repos/nobody/nothing".to_owned(), 404),
        (
            format!("{other}/git/tags/{{tag_sha}}"),
            format!("/repos/ggml-org/llama.cpp/git/tags/{tag_object}"),
            200,
        ),
        (
            format!("{other}/releases/tags/{{tag}}"),
            "/repos/ggml-org/llama.cpp/releases/tags/v0.1.0".to_owned(),
            200,
        ),
        (
            format!("{other}/commits/{{ref}}"),
            format!("/repositories/700000001/commits/{experts}"),
            200,
        ),
        (
            "/search/issues".to_owned(),
            "/search/issues?q=repo:ollama/ollama+repeat_penalty".to_owned(),
            200,
        ),
        ("/rate_limit".to_owned(), "/rate_limit".to_owned(), 200),
    ]);
    let mut wrong = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (operation, path, status) in asked {
        let answer = get(&format!("{}{path}", kit.url(Host::Api)));
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        let found = description.check(&operation, status, &answer.json());
        wrong.extend(found.into_iter().map(|text| format!("{path} {text}")));
        seen.insert(operation);
    }
    assert_eq!(wrong, Vec::<String>::new());
    let all = description.0["operations"].as_object().unwrap().len();
    assert_eq!(seen.len(), all, "every described operation is asked");
}

#[test]
fn the_check_finds_what_is_wrong() {
    let description = Description::read();
    let tags = "/repos/{owner}/{repo}/tags";
    let good = json!([{
        "name": "v1",
        "node_id": "T",
        "zipball_url": "http://h/z",
        "tarball_url": "http://h/t",
        "commit": { "sha": "a", "url": "http://h/c" },
    }]);
    assert_eq!(description.check(tags, 200, &good), Vec::<String>::new());
    let mut changes: Vec<Value> = vec![good.clone(); 4];
    changes[0][0]["name"] = json!(1);
    changes[1][0]["commit"] = json!({ "sha": "a" });
    changes[2][0]["zipball_url"] = json!("nowhere");
    changes[3][0]["surprise"] = json!(true);
    for bad in changes {
        assert_eq!(description.check(tags, 200, &bad).len(), 1, "{bad}");
    }
}
