//! Each fault is what it says.

use std::time::Duration;

use headwater_testkit::{Fault, Host, Rule, Testkit};

use crate::client::{get, request};

#[test]
fn limits_are_told_as_github_tells_them() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/repos/ollama/ollama", kit.url(Host::Api));
    kit.fault(
        Rule::new(Host::Api, Fault::SecondaryLimit { status: 403, retry_after: Some(7) }).times(1),
    );
    kit.fault(
        Rule::new(Host::Api, Fault::SecondaryLimit { status: 429, retry_after: None }).times(1),
    );
    kit.fault(Rule::new(Host::Api, Fault::PrimaryLimit { reset_in: 90 }).times(1));
    let first = get(&url);
    assert_eq!((first.status, first.header("retry-after")), (403, "7"));
    assert!(first.json()["message"].as_str().unwrap().contains("secondary rate limit"));
    let second = get(&url);
    assert_eq!((second.status, second.header("retry-after")), (429, ""));
    let third = get(&url);
    assert_eq!((third.status, third.header("x-ratelimit-remaining")), (403, "0"));
    assert_eq!(get(&url).status, 200);
    let statuses: Vec<u16> = kit.log().iter().map(|one| one.status).collect();
    assert_eq!(statuses, [403, 429, 403, 200]);
}

#[test]
fn answers_break_in_every_way() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/repos/ollama/ollama/tags", kit.url(Host::Api));
    let whole = get(&url);

    kit.fault(Rule::new(Host::Api, Fault::Status(502)).times(2));
    assert_eq!([get(&url).status, get(&url).status, get(&url).status], [502, 502, 200]);

    kit.fault(Rule::new(Host::Api, Fault::Reset).times(1));
    let error = request("GET", &url, &[], "").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(kit.log().last().unwrap().status, 0);

    kit.fault(Rule::new(Host::Api, Fault::Truncate(100)).times(1));
    let cut = get(&url);
    assert_eq!((cut.status, cut.body.len(), cut.whole), (200, 100, false));
    assert_eq!(cut.body, whole.body[..100]);

    let page = "<html>down for a moment</html>".to_owned();
    kit.fault(
        Rule::new(Host::Api, Fault::Instead { kind: "text/html", body: page.clone() }).times(1),
    );
    let instead = get(&url);
    assert_eq!((instead.status, instead.text()), (200, page));

    kit.fault(Rule::new(Host::Api, Fault::Corrupt).times(1));
    let corrupt = get(&url);
    assert_eq!(corrupt.body.len(), whole.body.len());
    assert_ne!(corrupt.body, whole.body);

    kit.fault(Rule::new(Host::Api, Fault::RedirectLoop));
    let round = get(&url);
    assert_eq!(round.status, 302);
    assert!(url.ends_with(round.header("location")));
    kit.mend();
    assert_eq!(get(&url).body, whole.body);
}

#[test]
fn slow_answers_come_whole() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/api/version", kit.url(Host::Ollama));
    kit.fault(Rule::new(Host::Ollama, Fault::Drip(Duration::from_millis(1))).times(1));
    kit.fault(Rule::new(Host::Ollama, Fault::Slow(Duration::from_millis(5))).times(1));
    for _ in 0..2 {
        let answer = get(&url);
        assert!(answer.whole);
        assert_eq!(answer.json()["version"], "0.6.0");
    }
}

#[test]
fn a_host_may_lie_or_send_elsewhere() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/repos/ollama/ollama/commits/v0.6.1-rc0", kit.url(Host::Api));
    let (from, to) = ("RepeatPenalty:    1.0,".to_owned(), "RepeatPenalty:    1.3,".to_owned());
    kit.fault(Rule::new(Host::Api, Fault::Replace { from, to }).times(1));
    assert!(get(&url).text().contains("+\\t\\tRepeatPenalty:    1.3,"));
    assert!(get(&url).text().contains("+\\t\\tRepeatPenalty:    1.0,"));

    let elsewhere = format!("{}/library", kit.url(Host::Library));
    kit.fault(Rule::new(Host::Api, Fault::RedirectTo(elsewhere.clone())).times(1));
    assert_eq!(get(&url).header("location"), elsewhere);
}

#[test]
fn an_endless_answer_goes_on_until_its_reader_leaves() {
    use std::io::{Read, Write};
    let kit = Testkit::start().unwrap();
    kit.fault(Rule::new(Host::Raw, Fault::Endless).times(1));
    let host = kit.url(Host::Raw).trim_start_matches("http://").to_owned();
    let mut stream = std::net::TcpStream::connect(&host).unwrap();
    write!(stream, "GET /o/r/f HTTP/1.1\r\nhost: {host}\r\n\r\n").unwrap();
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..8 {
        stream.read_exact(&mut buffer).unwrap();
    }
    drop(stream);
    let url = format!("{}/ollama/ollama/main/README.md", kit.url(Host::Raw));
    assert_eq!(get(&url).status, 200);
}

#[test]
fn the_log_knows_how_many_came_at_once() {
    let kit = Testkit::start().unwrap();
    let url = format!("{}/api/version", kit.url(Host::Ollama));
    get(&url);
    assert_eq!(kit.most_at_once(Host::Ollama), 1);
    kit.fault(Rule::new(Host::Ollama, Fault::Slow(Duration::from_millis(300))));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| get(&url));
        }
    });
    assert!(kit.most_at_once(Host::Ollama) > 1);
    assert_eq!(kit.count(Host::Ollama), 4);
}
