//! The pages, asked for by plain HTTP, and in a browser where one is installed.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use headwater_demo::ollama::names;
use headwater_demo::{BACKEND, MODEL};
use headwater_testkit::Testkit;
use serde_json::Value;

use crate::support::{Place, dump, keep, succeeded};

/// A server that ends with the test.
struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Got {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    /// One that never begins a page before its answer is there.
    fn start(place: &Place, options: &[&str]) -> Self {
        Self::start_as(place, &[&["--patience", "600000"], options].concat())
    }

    fn start_as(place: &Place, options: &[&str]) -> Self {
        let args: Vec<&str> =
            ["serve", "--listen", "127.0.0.1:0"].iter().chain(options).copied().collect();
        let mut child = place.command(&args).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        Served { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child }
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Got {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str) -> Got {
        self.ask("GET", path, &[], "")
    }

    fn page(&self, path: &str) -> String {
        let got = self.get(path);
        assert_eq!(got.status, 200, "{path}: {}", got.body);
        got.body
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.page(path)).unwrap()
    }

    fn leads(&self, asked: &str) -> String {
        let got = self.get(&format!("/go?q={asked}"));
        assert_eq!(got.status, 303, "{asked}: {}", got.body);
        let line = got.head.lines().find_map(|line| line.strip_prefix("location: "));
        line.unwrap().to_owned()
    }
}

fn ends(place: &Place) -> String {
    let window = place.demo.window();
    let (base, head) = window.split_once("..").unwrap();
    format!("upstream=ollama&base={base}&head={head}")
}

#[test]
fn pages_say_what_the_commands_say_and_write_nothing() {
    let place = Place::crawled();
    let before = dump(&place.store());
    let served = Served::start(&place, &[]);
    let report = format!("/why?{}&model={MODEL}&backend={BACKEND}", ends(&place));
    let hostile = format!("/commit?upstream=ollama&sha={}", place.ollama(names::HOSTILE));
    let all = [
        "/",
        "/why",
        &report,
        "/ledger",
        "/ledger?upstream=ollama&knob=RepeatPenalty",
        "/grep",
        "/grep?q=RepeatPenalty",
        "/grep?q=no+such+line+anywhere",
        "/grep?q=RepeatPenalty&at=ollama%40v0.6.2",
        &hostile,
        "/digest?week=2026-W10",
        "/models",
        "/pins",
    ];
    for path in all {
        let got = served.get(path);
        assert_eq!(got.status, 200, "{path}: {}", got.body);
        for header in [
            "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self';",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "cache-control: no-store",
        ] {
            assert!(got.head.contains(header), "{path}: {header} in {}", got.head);
        }
        let page = got.body;
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{path}");
        for inline in ["<style", " style=", "<script>", " onclick=", "=\"javascript:"] {
            assert!(!page.contains(inline), "{path}: {inline}");
        }
        // What is loaded and where links lead is here.
        for link in page.split("src=\"").chain(page.split("href=\"")).skip(1) {
            assert!(
                link.starts_with(['/', '#']) || link.starts_with("<!DOC"),
                "{path}: {link:.60}"
            );
        }
        let hidden = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
        assert!(!page.contains(hidden), "{path}");
    }

    // A commit is a link where it has a page.
    let links = |page: &str| -> BTreeSet<String> {
        let links = page.split("href=\"").filter(|rest| rest.starts_with("/commit?"));
        links.map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&")).collect()
    };
    let commits: BTreeSet<String> = all.iter().flat_map(|path| links(&served.page(path))).collect();
    assert!(commits.len() > 20, "{commits:?}");
    for link in commits {
        assert_eq!(served.get(&link).status, 200, "{link}");
    }

    // Strangers' markup is text.
    let page = served.page(&hostile);
    assert!(page.contains("&lt;") && !page.contains("<img") && !page.contains("<b>"), "{page}");

    // One way to each answer.
    let asked = ["why", "ollama", &place.demo.window(), "--model", MODEL, "--backend", BACKEND];
    let printed = place.json(&[asked.as_slice(), &["--offline", "--public"]].concat());
    assert_eq!(served.json(&format!("{report}&format=json")), printed);
    let top = [asked.as_slice(), &["--offline", "--top", "8", "--format", "md"]].concat();
    assert_eq!(served.page(&format!("{report}&format=md")), place.ok(&top));
    let knob = place.json(&["defaults", "ollama", "--knob", "repeat_penalty"]);
    assert_eq!(served.json("/ledger?upstream=ollama&knob=repeat_penalty&format=json"), knob);
    let week = place.json(&["digest", "--week", "2026-W10"]);
    assert_eq!(served.json("/digest?week=2026-W10&format=json"), week);
    let found = place.json(&["grep", "RepeatPenalty"]);
    let page = served.json("/grep?q=RepeatPenalty&format=json");
    assert_eq!(page["commits"], found["commits"]);
    assert_eq!(page["coverage"], found["coverage"]);

    let at = place.json(&["grep", "--at", "ollama@v0.6.2", "RepeatPenalty"]);
    assert_eq!(served.json("/grep?q=RepeatPenalty&at=ollama%40v0.6.2&format=json"), at);

    // A search is narrowed to the newest releases.
    let page = served.page("/grep?q=RepeatPenalty&offset=1");
    let narrow = page.split("href=\"").find(|rest| rest.contains("window=")).unwrap();
    let narrow = narrow.split('"').next().unwrap().replace("&amp;", "&");
    assert!(narrow.contains("upstream=ollama") && !narrow.contains("offset"), "{narrow}");
    let narrowed = served.json(&format!("{narrow}&format=json"));
    assert!(!narrowed["commits"].as_array().unwrap().is_empty(), "{narrowed}");

    // The report's parts: the restore column, the absence's search, a stable link, the plot.
    let page = served.page(&report);
    assert!(page.contains("<th>back with</th>") && page.contains(">run it</a>"), "{page}");
    assert!(page.contains("data-part=\"/commit?upstream=ollama&amp;sha="), "{page}");
    let run = page.split("class=\"run\" href=\"").filter(|rest| rest.starts_with("/grep?")).nth(1);
    let run = run.unwrap().split('"').next().unwrap().replace("&amp;", "&");
    assert!(served.page(&run).contains("searched"), "{run}");
    assert!(served.page("/ledger?upstream=ollama&knob=repeat_penalty").contains("<svg"));

    // The box.
    let window = place.demo.window();
    assert!(served.leads(&window).starts_with("/why?upstream=ollama&base="));
    assert!(served.leads("b21..b34").starts_with("/why?upstream=llama.cpp"));
    assert!(served.leads("repeat_penalty").starts_with("/ledger?"));
    assert!(served.leads(&place.ollama(names::PENALTY)[..9]).starts_with("/commit?"));
    assert!(served.leads("RepeatPen.*ty").starts_with("/grep?"));
    let newest = served.leads("previous..latest");
    assert_eq!(newest, "/why?upstream=ollama&base=previous&head=latest");
    assert!(served.page(&newest).contains("<article class=\"report\">"));
    assert!(served.leads("llama.cpp+previous..b34").starts_with("/why?upstream=llama.cpp"));
    assert!(served.leads("previous..nowhere").starts_with("/grep?"));

    // What cannot be answered is one line.
    for (path, words) in [
        ("/why?upstream=ollama&base=v9.9.9&head=v0.6.2", "nearest"),
        ("/why?upstream=ollama&base=v0.6.0&head=v0.6.2&backend=abacus", "vulkan"),
        ("/commit?sha=zzzz", "zzzz"),
        ("/ledger?knob=repeat_penaltee", "nearest"),
        ("/why?upstream=ollama&base=installed&head=v0.6.2", "name it"),
        // What is passed over in silence is an answer to another question.
        ("/?knob=x", "takes no field"),
        ("/why?windw=v0.6.0..v0.6.2", "it has upstream, window, base"),
        ("/ledger?format=xml", "one of json, or left out"),
        ("/digest?week=2026-W10&format=html", "one of json, md, atom, or left out"),
        ("/why?format=json", "say which window"),
        ("/why?window=v0.6.0..v0.6.2&top=all", "top is a number"),
        ("/grep?q=x&in=nowhere", "one of added, removed, message"),
        ("/grep?q=(&format=json", "unclosed group"),
        ("/models?at=v0.6.2&quirk=1", "it has name, model, upstream, at, format"),
        ("/why?window=v0.6.0..v0.6.2&window=v0.5.0..v0.6.0", "window is given twice"),
    ] {
        let got = served.get(path);
        // A script that asks for JSON is told in JSON, and with the same words.
        let is_json = path.contains("format=json");
        assert_eq!(got.head.contains("content-type: application/json"), is_json, "{}", got.head);
        if is_json {
            keep(got.body.as_bytes());
            let told: Value = serde_json::from_str(&got.body).unwrap();
            assert_eq!(
                (&told["schema"], &told["status"]),
                (&"headwater/error/1".into(), &400.into())
            );
            assert!(told["error"].as_str().unwrap().contains(words), "{told}");
        }
        assert!(got.status == 400 && got.body.contains(words), "{path}: {}", got.body);
        assert!(!got.body.contains("--offline"), "a page has no flags: {path}: {}", got.body);
    }
    // A backend has other names here too.
    let hip = served.json("/why?window=v0.6.0..v0.6.2&backend=ROCm&format=json");
    assert!(hip["question"].as_str().unwrap().contains("--backend hip"), "{}", hip["question"]);
    // A field of a form that is empty is none.
    served.page("/ledger?upstream=ollama&knob=&window=&at=&quirk=");
    let half = served.page("/grep?q=(&part=1");
    assert!(half.contains("role=\"alert\"") && !half.contains("<html"), "{half}");
    assert!(served.page(&format!("/grep?q={}", "x".repeat(3000))).contains("2000 bytes"));
    assert_eq!(served.get("/nothing").status, 404);
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(served.ask(method, "/why", &[], "").status, 405, "{method}");
    }
    drop(served);
    assert_eq!(dump(&place.store()), before);
}

#[test]
fn a_page_that_takes_its_time_begins_before_its_answer_and_is_given_up_at_its_limit() {
    let place = Place::crawled();
    let report = format!("/why?{}&model={MODEL}", ends(&place));
    let whole = Served::start(&place, &[]);
    let at_once = Served::start_as(&place, &["--patience", "0"]);
    for path in [&report, "/ledger?upstream=ollama&knob=repeat_penalty", "/pins"] {
        let got = at_once.get(path);
        assert!(got.status == 200 && got.head.contains("transfer-encoding: chunked"), "{path}");
        let page = whole.page(path);
        let [head, answer] = ["<main id=\"main\" tabindex=\"-1\">", "</main>"]
            .map(|mark| page.split_once(mark).unwrap().0.to_owned());
        let answer = answer.split_once("<main id=\"main\" tabindex=\"-1\">").unwrap().1;
        assert!(got.body.contains(answer), "{path}: {}", got.body);
        assert!(got.body.contains("<p class=\"waiting\" role=\"status\">"), "{path}: {}", got.body);
        // All but the title stands above as it does above an answer that was there.
        let above = head.split_once("</title>").unwrap().1;
        assert!(got.body.contains(above), "{path}: {}", got.body);
    }
    let unknown = "/why?upstream=ollama&base=v9.9.9&head=v0.6.2";
    let got = at_once.get(unknown);
    assert!(got.body.contains("role=\"alert\"") && got.body.contains("nearest"), "{}", got.body);
    // A script is told by the status.
    assert_eq!(at_once.get(&format!("{unknown}&format=json")).status, 400);
    assert!(at_once.leads("repeat_penalty").starts_with("/ledger?"));

    let hurried = Served::start(&place, &["--limit", "0"]);
    let got = hurried.get(&report);
    assert!(got.status == 503 && got.body.contains("--limit"), "{} {}", got.status, got.body);

    // What would have to be derived first is not derived here.
    let mine = place.dir.path().join("home/.config/headwater/rules/defaults");
    std::fs::create_dir_all(&mine).unwrap();
    std::fs::write(mine.join("mine.toml"), "# another set of rules\n").unwrap();
    let stale = Served::start(&place, &[]);
    let got = stale.get("/ledger?upstream=ollama&knob=repeat_penalty");
    assert!(got.status == 503 && got.body.contains("headwater rebuild"), "{}", got.body);
}

#[test]
fn a_models_name_in_the_box_leads_to_its_page() {
    let (place, kit) = (Place::crawled(), Testkit::start().unwrap());
    let crawl = ["crawl", "models", "gemma4:26b"];
    succeeded(&crawl, place.command(&crawl).envs(kit.env()).output().unwrap());
    let served = Served::start(&place, &[]);
    let page = served.leads("gemma4:26b");
    assert_eq!(page, "/models?name=gemma4%3a26b");
    assert!(served.page(&page).contains("What it sets"));
    assert!(served.page("/models?model=gemma4:26b").contains("What it sets"));
    let all = place.json(&["model"]);
    assert_eq!(served.json("/models?format=json"), all);
    assert!(served.leads("gemma4:27b").starts_with("/grep?"));
}

#[test]
fn only_those_who_may_ask_are_answered() {
    let place = Place::crawled();
    let served = Served::start(&place, &["--host", "headwater.example"]);
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "localhost.evil.example"] {
        let got = served.ask("GET", "/", &[("Host", host)], "");
        assert!(got.status == 421 && !got.body.contains("ollama"), "{host}: {}", got.body);
    }
    let port = served.address.rsplit(':').next().unwrap();
    for host in [&format!("localhost:{port}"), "headwater.example"] {
        assert_eq!(served.ask("GET", "/", &[("Host", host)], "").status, 200, "{host}");
        // A picture on another site's page makes nobody work; a link from there is followed.
        let site = ("Sec-Fetch-Site", "cross-site");
        let of =
            |mode| served.ask("GET", "/", &[("Host", host), site, ("Sec-Fetch-Mode", mode)], "");
        assert_eq!((of("no-cors").status, of("navigate").status), (403, 200));
    }
    drop(served);

    let token = "a long token of the tests";
    let served = Served::start(&place, &["--token", token]);
    let refused = served.get("/");
    assert!(refused.status == 401 && refused.body.contains("name=\"token\""), "{}", refused.body);
    let bearer = format!("Bearer {token}");
    assert_eq!(served.ask("GET", "/", &[("Authorization", &bearer)], "").status, 200);
    assert_eq!(served.ask("GET", "/", &[("Authorization", "Bearer other")], "").status, 401);
    assert_eq!(served.ask("POST", "/enter", &[], "token=other").status, 401);
    let entered = served.ask("POST", "/enter", &[], &format!("token={}", token.replace(' ', "+")));
    assert_eq!(entered.status, 303);
    let cookie = entered.head.split("set-cookie: ").nth(1).unwrap().lines().next().unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    assert!(!cookie.contains("tests"));
    let shown = cookie.split(';').next().unwrap();
    assert_eq!(served.ask("GET", "/", &[("Cookie", shown)], "").status, 200);
    drop(served);

    let open = place.error(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(open.contains("HEADWATER_TOKEN") && open.contains("127.0.0.1"), "{open}");
    assert!(place.error(&["serve", "--token", "short"]).contains("16"));
    let empty = Place::new();
    assert!(empty.error(&["serve", "--listen", "127.0.0.1:0"]).contains("no store"));
}

#[test]
#[ignore = "needs a browser: cli/tests/browser/README.md"]
fn the_pages_in_a_browser() {
    let place = Place::crawled();
    let served = Served::start(&place, &[]);
    let packages = std::env::var("HEADWATER_BROWSER_NODE")
        .expect("HEADWATER_BROWSER_NODE is not set: cli/tests/browser/README.md");
    let begun = Served::start_as(&place, &["--patience", "0"]);
    let facts = serde_json::json!({
        "url": format!("http://{}", served.address),
        "begun": format!("http://{}", begun.address),
        "window": place.demo.window(),
        "model": MODEL,
        "backend": BACKEND,
        "hostile": place.ollama(names::HOSTILE),
        "week": "2026-W10",
        "profile": place.dir.path().join("profile"),
    });
    let status = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/pages.mjs"))
        .args([packages, facts.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}
