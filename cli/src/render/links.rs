//! Where the pages of `headwater serve` lie, and which page a command's answer is on.

use chrono::DateTime;
use clap::Parser as _;
use form_urlencoded::Serializer;
use headwater_queries::why::AsOf;
use headwater_queries::window::WindowSpec;

use super::html;
use crate::args::{Cli, Command};
use crate::commands::grep::Place;

/// A path with these fields; empty ones are left out.
pub fn to<'a>(path: &str, fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
    match query.finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// The page of a commit.
pub fn commit(upstream: &str, sha: &str) -> String {
    to("/commit", [("upstream", upstream), ("sha", sha)])
}

/// The page that answers what a command asks, where there is one: none of an upstream of
/// which nothing is stored.
pub fn command(command: &str, pages: &dyn Pages) -> Option<String> {
    let link = page_of(command)?;
    let query = link.split_once('?').map_or("", |(_, query)| query);
    let mut fields = form_urlencoded::parse(query.as_bytes());
    fields.all(|(name, value)| name != "upstream" || pages.has_upstream(&value)).then_some(link)
}

fn page_of(command: &str) -> Option<String> {
    let words = shlex::split(command)?;
    if words.first().is_none_or(|word| word != "headwater") {
        return None;
    }
    match Cli::try_parse_from(words).ok()?.command {
        Command::Grep(args) => grep(&args),
        Command::Defaults(args) => Some(to(
            "/ledger",
            [
                ("upstream", args.upstream.as_str()),
                ("knob", args.knob.as_deref().unwrap_or_default()),
                ("window", args.window.as_deref().unwrap_or_default()),
            ],
        )),
        Command::Why(args) if args.kept.speeds.is_none() => why(&args),
        Command::Show(args) => Some(match &args.second {
            Some(sha) => commit(&args.first, sha),
            None => commit("", &args.first),
        }),
        Command::Pins(args) => Some(to("/pins", [("upstream", args.upstream.as_str())])),
        Command::Model(args) => {
            let at = args.at.as_deref().unwrap_or_default();
            Some(to("/models", [("name", args.name.as_deref().unwrap_or_default()), ("at", at)]))
        }
        Command::Digest(args) if args.since.is_none() && !args.since_last => {
            Some(to("/digest", [("week", args.week.as_deref().unwrap_or_default())]))
        }
        _ => None,
    }
}

fn why(args: &crate::commands::why::Args) -> Option<String> {
    let window = WindowSpec::from_args(&args.window, args.head.as_deref()).ok()?;
    let text = |value: &'_ Option<String>| value.clone().unwrap_or_default();
    let (model, backend, symptom) = (text(&args.model), text(&args.backend), text(&args.symptom));
    let (phase, kind) = (text(&args.phase), text(&args.kind));
    let top = args.top.map(|top| top.to_string()).unwrap_or_default();
    let as_of = match args.as_of {
        AsOf::Head => "head".to_owned(),
        AsOf::Now => String::new(),
        AsOf::Time(time) => DateTime::from_timestamp(time, 0)?.format("%Y-%m-%d").to_string(),
    };
    Some(to(
        "/why",
        [
            ("upstream", args.upstream.as_str()),
            ("base", &window.base),
            ("head", &window.head),
            ("model", &model),
            ("backend", &backend),
            ("symptom", &symptom),
            ("phase", &phase),
            ("kind", &kind),
            ("as_of", &as_of),
            ("top", &top),
        ],
    ))
}

fn grep(args: &crate::commands::grep::Args) -> Option<String> {
    let mut words = args.words.iter().map(String::as_str);
    let pattern = match args.patterns.as_slice() {
        [] => words.next()?,
        [one] => one,
        _ => return None,
    };
    let window = words.collect::<Vec<_>>().join("..");
    let filter = &args.filter;
    if args.merges || args.occurrences || args.within == Some(Place::Notes) {
        return None;
    }
    let on = |set: bool| if set { "1" } else { "" };
    let text = |value: &'_ Option<String>| value.clone().unwrap_or_default();
    let (class, author, since) = (text(&filter.class), text(&filter.author), text(&filter.since));
    let (until, at) = (text(&filter.until), text(&args.at));
    let within = match args.within {
        Some(Place::Added) => "added",
        Some(Place::Removed) => "removed",
        Some(Place::Message) => "message",
        _ => "",
    };
    let mut fields = vec![
        ("q", pattern),
        ("window", window.as_str()),
        ("class", &class),
        ("author", &author),
        ("since", &since),
        ("until", &until),
        ("at", &at),
        ("in", within),
        ("fixed", on(args.fixed_strings)),
        ("case", on(args.ignore_case)),
        ("word", on(args.word_regexp)),
        ("all", on(filter.all)),
    ];
    fields.extend(filter.upstream.iter().map(|name| ("upstream", name.as_str())));
    fields.extend(filter.path.iter().map(|path| ("path", path.as_str())));
    Some(to("/grep", fields))
}

/// Which pages there are, for a page that is served.
pub trait Pages {
    /// Whether something of the upstream is stored.
    fn has_upstream(&self, name: &str) -> bool;
    /// Whether this commit is stored, of the upstream or, where none is named, of any.
    fn has_commit(&self, upstream: Option<&str>, id: &str) -> bool;
}

/// A line that is escaped already, its commit ids made links where they are stored; the
/// word before an id may be the name of its upstream.
pub fn ids(line: &str, pages: &dyn Pages) -> String {
    let mut out = String::with_capacity(line.len());
    let mut before = "";
    for (at, word) in line.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        let id = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let digits = id.bytes().filter(u8::is_ascii_digit).count();
        let looks = [9, 40].contains(&id.len())
            && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && digits > 0;
        match word.split_once(id) {
            Some((head, tail)) if looks => {
                let named = (head.is_empty() && pages.has_upstream(before)).then_some(before);
                // A number is one only where its upstream's name stands before it.
                let is_id = digits < id.len() || named.is_some();
                if is_id && pages.has_commit(named, id) {
                    let href = html::escape(&commit(named.unwrap_or_default(), id));
                    out.push_str(&format!("{head}<a href=\"{href}\">{id}</a>{tail}"));
                } else {
                    out.push_str(word);
                }
            }
            _ => out.push_str(word),
        }
        before = word;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two upstreams, of which all but one commit is stored.
    struct Stored;

    impl Pages for Stored {
        fn has_upstream(&self, name: &str) -> bool {
            ["ollama", "llama.cpp"].contains(&name)
        }

        fn has_commit(&self, upstream: Option<&str>, id: &str) -> bool {
            upstream.is_none_or(|name| self.has_upstream(name)) && id != "0e1d2c3b4"
        }
    }

    #[test]
    fn a_search_that_is_told_can_be_run_by_a_link() {
        let told =
            "headwater grep -i --upstream llama.cpp --path 'ggml/src/*.cu' -e 'a b&c' b1..b2";
        let command = |told: &str| command(told, &Stored);
        let link = command(told).unwrap();
        assert_eq!(
            link,
            "/grep?q=a+b%26c&window=b1..b2&case=1&upstream=llama.cpp&path=ggml%2Fsrc%2F*.cu"
        );
        assert!(command("git -C x log -G y").is_none() && command("rm -rf 'x").is_none());
        assert!(command("headwater grep --merges x").is_none());
        assert!(command("headwater why mlx v0.1..v0.2").is_none());
        assert_eq!(
            command("headwater show llama.cpp b21").unwrap(),
            "/commit?upstream=llama.cpp&sha=b21"
        );
        assert_eq!(
            command("headwater why llama.cpp b1..b2 --symptom 'a b' --top 9").unwrap(),
            "/why?upstream=llama.cpp&base=b1&head=b2&symptom=a+b&top=9"
        );
        assert_eq!(
            command("headwater defaults ollama --knob repeat_penalty --history").unwrap(),
            "/ledger?upstream=ollama&knob=repeat_penalty"
        );
    }

    #[test]
    fn commits_become_links_and_nothing_else_does() {
        let line = "ollama 598863317 ollama 6a261db7d &lt;b&gt; (by 153d324bc), 123456789 abcdefabc deadbeef mlx 0e1d2c3b4";
        let linked = ids(line, &Stored);
        assert!(
            linked.contains("<a href=\"/commit?upstream=ollama&amp;sha=6a261db7d\">"),
            "{linked}"
        );
        assert!(
            linked.contains("(by <a href=\"/commit?sha=153d324bc\">153d324bc</a>),"),
            "{linked}"
        );
        assert!(linked.starts_with("ollama <a href="), "{linked}");
        assert_eq!(linked.matches("<a ").count(), 3, "{linked}");
    }
}
