//! Serves bare repositories as a miniature GitHub until it is stopped, and prints the
//! environment that points headwater at it:
//!
//! ```text
//! cargo run --release -p headwater-testkit --example serve -- ollama/ollama=main=/src/ollama.git
//! ```

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use headwater_testkit::{Advisory, Host, Issue, Release, Served, Testkit};
use serde::Deserialize;

/// What people wrote of one repository, as `--said FILE` gives it: an object of these by
/// `owner/name`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    releases: Vec<Release>,
    issues: Vec<Issue>,
    advisories: Vec<Advisory>,
    pulls: BTreeMap<String, u64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut served = Vec::new();
    let mut said = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--said" {
            said = arguments.next();
            continue;
        }
        let mut parts = argument.splitn(3, '=');
        let (Some(name), Some(branch), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(format!("write OWNER/NAME=BRANCH=DIR instead of {argument:?}").into());
        };
        served.push(Served {
            full_name: name.to_owned(),
            former: Vec::new(),
            path: PathBuf::from(path),
            branch: branch.to_owned(),
        });
    }
    let kit = if served.is_empty() { Testkit::start()? } else { Testkit::serving(&served)? };
    if let Some(file) = said {
        let said: BTreeMap<String, Said> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
        for (repo, one) in said {
            kit.releases(&repo, |all| all.extend(one.releases));
            kit.issues(&repo, |all| all.extend(one.issues));
            kit.advisories(&repo, |all| all.extend(one.advisories));
            for (sha, number) in one.pulls {
                kit.pull_of(&repo, &sha, number);
            }
        }
    }
    // A token with which the hourly limit is the higher one.
    kit.allow_token("serve");
    let mut stdout = std::io::stdout();
    for (name, url) in kit.env() {
        writeln!(stdout, "export {name}={url}")?;
    }
    writeln!(stdout, "export GH_TOKEN=serve")?;
    stdout.flush()?;
    // A line on standard input prints and forgets the requests so far.
    for _ in std::io::stdin().lines() {
        for request in kit.log() {
            let (host, target) = (request.host, &request.target);
            writeln!(stdout, "{host:?} {} {target} {}", request.method, request.status)?;
        }
        writeln!(stdout, "api {} web {}", kit.count(Host::Api), kit.count(Host::Web))?;
        stdout.flush()?;
        kit.clear_log();
    }
    Ok(())
}
