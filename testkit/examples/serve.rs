//! Serves bare repositories as a miniature GitHub until it is stopped, and prints the
//! environment that points headwater at it:
//!
//! ```text
//! cargo run --release -p headwater-testkit --example serve -- ollama/ollama=main=/src/ollama.git
//! ```

use std::io::Write as _;
use std::path::PathBuf;

use headwater_testkit::{Host, Served, Testkit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut served = Vec::new();
    for argument in std::env::args().skip(1) {
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
    let mut stdout = std::io::stdout();
    for (name, url) in kit.env() {
        writeln!(stdout, "export {name}={url}")?;
    }
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
