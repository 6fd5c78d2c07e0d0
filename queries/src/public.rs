//! What must not be published: home paths, names of hosts, private addresses.
//!
//! What is known of this machine (its home directory, its name, the store's place) is
//! replaced wherever it stands; paths, addresses and names of the private kinds are
//! replaced wherever they come from. In doubt a word is left out.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde_json::Value;

const PATH: &str = "[home path]";
const HOST: &str = "[host]";
const ADDRESS: &str = "[private address]";

/// Where home directories begin, and what of it stands before a user's name.
const HOMES: &[&str] = &[
    "/home/",
    "/Users/",
    "/users/",
    "/root",
    "/var/home/",
    "/var/root",
    "/export/home/",
    "/data/data/",
    "/.ollama",
    ":\\Users\\",
    ":/Users/",
    ":\\\\Users\\\\",
    "\\Users\\",
    "\\\\Users\\\\",
];

/// Names that only a private network knows end so.
const PRIVATE_NAMES: &[&str] = &[
    ".local",
    ".lan",
    ".internal",
    ".localdomain",
    ".home.arpa",
    ".fritz.box",
    ".intranet",
    ".ts.net",
];

/// What is left out of a report that is made to be published.
#[derive(Debug, Clone, Default)]
pub struct Scrub {
    /// What is known of this machine, longest first, and what stands there instead.
    known: Vec<(String, &'static str)>,
    /// The names of this machine.
    hosts: Vec<String>,
    /// Other words, longest first, and what stands there instead.
    words: Vec<(String, String)>,
}

impl Scrub {
    /// Leaves out what is known of this machine, too: directories (home, store, clones),
    /// and its name, unless it is one of `public`, words that reports are made of.
    pub fn new(home: Option<&str>, dirs: &[String], host: Option<&str>, public: &[&str]) -> Self {
        let too_short = |dir: &&str| dir.trim_matches(['/', '\\']).len() < 2;
        let homes = home.into_iter().map(|home| (home, PATH));
        let places = dirs.iter().map(|dir| (dir.as_str(), "[directory]"));
        let mut known: Vec<(String, &'static str)> = homes
            .chain(places)
            .filter(|(dir, _)| !too_short(dir))
            .map(|(dir, label)| (dir.trim_end_matches(['/', '\\']).to_owned(), label))
            .collect();
        known.sort_by_key(|(dir, _)| std::cmp::Reverse(dir.len()));
        let mut hosts = Vec::new();
        for name in host.into_iter().flat_map(|host| [Some(host), host.split('.').next()]) {
            let Some(name) = name.filter(|name| name.len() > 1) else { continue };
            let common = name.eq_ignore_ascii_case("localhost")
                || public.iter().any(|word| word.eq_ignore_ascii_case(name));
            if !common && !hosts.iter().any(|known: &String| known == name) {
                hosts.push(name.to_owned());
            }
        }
        Scrub { known, hosts, words: Vec::new() }
    }

    /// Leaves out these words, too; what stands in their places must hold none of them.
    #[must_use]
    pub fn without(mut self, words: Vec<(String, String)>) -> Self {
        self.words = words;
        self.words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        self
    }

    /// The text, without what must not be published.
    pub fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (dir, label) in &self.known {
            text = replace_path(&text, dir, label);
        }
        for host in &self.hosts {
            text = replace_word(&text, host, HOST);
        }
        for (word, label) in &self.words {
            text = replace_word(&text, word, label);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = rest.find(is_border).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            out.push_str(&scrub_word(word));
            let border = after.chars().next().map_or(0, char::len_utf8);
            let (border, after) = after.split_at(border);
            out.push_str(border);
            rest = after;
        }
        out
    }

    /// Every text of a JSON value, without what must not be published.
    pub fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(all) => all.iter_mut().for_each(|one| self.json(one)),
            Value::Object(all) => all.values_mut().for_each(|one| self.json(one)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// What parts words. No sign of an address, a path or a name is among them.
fn is_border(c: char) -> bool {
    c.is_whitespace() || "\"'`<>()[]{},;|=".contains(c)
}

/// Replaces a directory and what lies below it.
fn replace_path(text: &str, dir: &str, label: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(dir) {
        let (before, from) = rest.split_at(at);
        let after = from.get(dir.len()..).unwrap_or_default();
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
        out.push_str(before);
        if whole {
            out.push_str(label);
            let below = after.find(is_border).unwrap_or(after.len());
            rest = after.get(below..).unwrap_or_default();
        } else {
            out.push_str(dir);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Replaces a word, whatever its case.
fn replace_word(text: &str, word: &str, label: &str) -> String {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    // Lower case of ASCII only keeps every place where it was.
    let (low, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
    let mut out = String::new();
    let mut from = 0;
    while let Some(at) = low.get(from..).and_then(|rest| rest.find(&word)).map(|at| at + from) {
        let end = at + word.len();
        let before = low.get(..at).and_then(|t| t.chars().next_back());
        let after = low.get(end..).and_then(|t| t.chars().next());
        out.push_str(text.get(from..at).unwrap_or_default());
        let alone = !before.is_some_and(part_of_name) && !after.is_some_and(part_of_name);
        out.push_str(if alone { label } else { text.get(at..end).unwrap_or_default() });
        from = end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

fn scrub_word(word: &str) -> String {
    if let Some(at) = home_in(word) {
        return format!("{}{PATH}", scrub_word(word.get(..at).unwrap_or_default()));
    }
    if let Some((scheme, rest)) = word.split_once("://") {
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at(end);
        let (user, place) = match authority.rsplit_once('@') {
            Some((_, place)) => (true, place),
            None => (false, authority),
        };
        let (host, port) = match place.rsplit_once(':') {
            // An address with colons of its own has no port here.
            Some((host, port))
                if !host.contains(':') && port.bytes().all(|b| b.is_ascii_digit()) =>
            {
                (host, Some(port))
            }
            _ => (place, None),
        };
        let single = !host.is_empty()
            && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            && !host.bytes().all(|b| b.is_ascii_digit())
            && host != "localhost";
        let host = match user || single {
            true => HOST.to_owned(),
            false => scrub_plain(host),
        };
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        return format!("{scheme}://{host}{port}{}", scrub_word(after));
    }
    scrub_plain(word)
}

/// Where a home path begins in a word.
fn home_in(word: &str) -> Option<usize> {
    HOMES
        .iter()
        .flat_map(|mark| word.match_indices(mark).map(move |(at, _)| (at, *mark)))
        .filter_map(|(at, mark)| {
            let before = word.get(..at).unwrap_or_default();
            let after = word.get(at + mark.len()..).unwrap_or_default();
            let last = before.chars().next_back();
            match mark {
                // `/root` and `/.ollama` end there, or lie above something.
                "/root" | "/var/root" | "/.ollama" => {
                    let ends = after.is_empty() || after.starts_with(['/', ':']);
                    let begins = mark == "/.ollama" || !last.is_some_and(char::is_alphanumeric);
                    // What lies above `.ollama` is somebody's home, and `~` says nobody's.
                    let from = if mark == "/.ollama" { path_start(before)? } else { at };
                    (ends && begins).then_some(from)
                }
                mark if mark.starts_with(':') => {
                    let drive = last.filter(char::is_ascii_alphabetic)?;
                    Some(at - drive.len_utf8())
                }
                // `lib/home/x` is a path below something else.
                _ => (!last.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-')))
                    .then_some(at),
            }
        })
        .min()
}

/// Where the absolute path begins that `before` ends in.
fn path_start(before: &str) -> Option<usize> {
    let start = before.rfind("://").map_or(0, |at| at + 3);
    let path = before.get(start..)?;
    path.find('/').map(|at| at + start)
}

/// Addresses and names of hosts in a word that is no URL.
fn scrub_plain(word: &str) -> String {
    let word = replace_runs(
        word,
        |c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'),
        |run| {
            let bare = run.trim_matches(['.', ':']);
            let six =
                run.trim_end_matches('.').parse::<Ipv6Addr>().is_ok_and(|ip| is_private(ip.into()));
            let four = bare.parse::<Ipv4Addr>().is_ok_and(|ip| is_private(ip.into()));
            let socket = bare
                .split_once(':')
                .and_then(|(ip, _)| ip.parse::<Ipv4Addr>().ok())
                .is_some_and(|ip| is_private(ip.into()));
            (six || four || socket).then(|| match bare.split_once(':') {
                Some((_, port)) if socket => format!("{ADDRESS}:{port}"),
                _ => ADDRESS.to_owned(),
            })
        },
    );
    // After a letter that is also a digit of IPv6.
    let word = replace_runs(
        &word,
        |c| c.is_ascii_digit() || c == '.',
        |run| {
            let four = run.trim_matches('.').parse::<Ipv4Addr>();
            four.is_ok_and(|ip| is_private(ip.into())).then(|| ADDRESS.to_owned())
        },
    );
    replace_runs(
        &word,
        |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'),
        |run| {
            let name = run.trim_end_matches('.').to_ascii_lowercase();
            let private =
                PRIVATE_NAMES.iter().any(|end| name.len() > end.len() && name.ends_with(end));
            private.then(|| HOST.to_owned())
        },
    )
}

/// Replaces runs of certain characters where `by` gives something for them.
fn replace_runs(
    text: &str,
    of: impl Fn(char) -> bool,
    by: impl Fn(&str) -> Option<String>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(&of).unwrap_or(rest.len());
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !of(c)).unwrap_or(from.len());
        let (run, after) = from.split_at(end);
        out.push_str(before);
        match by(run) {
            Some(label) if !run.is_empty() => out.push_str(&label),
            _ => out.push_str(run),
        }
        rest = after;
    }
    out
}

/// Addresses that only a private network knows. Loopback is everybody's.
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            ip.is_private() || ip.is_link_local() || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(four) => is_private(four.into()),
            None => ip.is_unique_local() || ip.is_unicast_link_local(),
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_of_this_machine_is_left() {
        let scrub = Scrub::new(
            Some("/srv/people/alice"),
            &["/mnt/data/clones/ollama".to_owned(), "/".to_owned()],
            Some("alices-tower.example.org"),
            &["ollama", "cuda"],
        );
        let text = scrub.text(
            "at /srv/people/alice/x y, /mnt/data/clones/ollama.git, Alices-Tower:8080 and alices-tower.example.org; /srv/people/alicex",
        );
        assert!(
            !text.contains("alice/") && !text.to_lowercase().contains("alices-tower"),
            "{text}"
        );
        assert!(!text.contains("clones") && text.contains("/srv/people/alicex"), "{text}");
        let own = Scrub::default().without(vec![
            ("acme".to_owned(), "[own model 1]".to_owned()),
            ("acme:7b".to_owned(), "[own model 2]".to_owned()),
        ]);
        assert_eq!(own.text("Acme:7b, acme, acmes"), "[own model 2], [own model 1], acmes");
        // A machine that is called as the thing itself does not blank the report.
        let named = Scrub::new(None, &[], Some("ollama"), &["ollama"]);
        assert_eq!(named.text("ollama v0.1 on localhost"), "ollama v0.1 on localhost");
    }

    #[test]
    fn what_is_public_stays() {
        let same = [
            "ollama v0.32.9..v0.32.13: commits 16, api/types.go:1108 +RepeatPenalty: 1.0,",
            "curl -s http://127.0.0.1:11434/api/generate -d '{\"a\": 1}'",
            "https://github.com/ollama/ollama/commit/6a261db7d",
            "src/home/page.rs ~/.ollama/models ~/x lib/rooted /rootless 8.8.8.8 2001:db8::1 1.2.3",
            "std::vector a::b 12:30:45 2026-08-20T10:00:00Z localhost:8080 [::1]:80",
            "",
        ];
        for text in same {
            assert_eq!(Scrub::default().text(text), text);
        }
    }

    #[test]
    fn json_is_scrubbed_to_its_leaves() {
        let mut value = serde_json::json!({"a": [{"b": "/home/me/x"}, 1, null], "c": "ok"});
        Scrub::default().json(&mut value);
        assert_eq!(value, serde_json::json!({"a": [{"b": PATH}, 1, null], "c": "ok"}));
    }

    fn private_address() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<[u8; 3]>().prop_map(|[a, b, c]| format!("10.{a}.{b}.{c}")),
            (16u8..32, any::<[u8; 2]>()).prop_map(|(a, [b, c])| format!("172.{a}.{b}.{c}")),
            any::<[u8; 2]>().prop_map(|[a, b]| format!("192.168.{a}.{b}")),
            any::<[u8; 2]>().prop_map(|[a, b]| format!("169.254.{a}.{b}")),
            (64u8..128, any::<[u8; 2]>()).prop_map(|(a, [b, c])| format!("100.{a}.{b}.{c}")),
            (0xfc00u16..0xfe00, any::<[u16; 7]>()).prop_map(|(a, b)| {
                Ipv6Addr::new(a, b[0], b[1], b[2], b[3], b[4], b[5], b[6]).to_string()
            }),
            (0xfe80u16..0xfec0, any::<[u16; 3]>())
                .prop_map(|(a, b)| Ipv6Addr::new(a, 0, 0, 0, 0, b[0], b[1], b[2]).to_string()),
        ]
    }

    fn home_path() -> impl Strategy<Value = String> {
        let name = "[a-z][a-z0-9._-]{2,11}";
        let start = prop_oneof![
            Just("/home/"),
            Just("/Users/"),
            Just("/root/"),
            Just("/var/home/"),
            Just("C:\\Users\\"),
            Just("d:/Users/"),
            Just("file:///home/"),
        ];
        (start, name, proptest::collection::vec(name, 0..3)).prop_map(|(start, user, rest)| {
            let part = if start.contains('\\') { "\\" } else { "/" };
            let below: String = rest.iter().map(|name| format!("{part}{name}")).collect();
            format!("{start}{user}{below}")
        })
    }

    fn around() -> impl Strategy<Value = (String, String)> {
        let before = prop_oneof![
            Just(""),
            Just("in "),
            Just("\""),
            Just("path="),
            Just("("),
            Just("--dir="),
            Just("read from\t"),
            Just("x, "),
        ];
        let after =
            prop_oneof![Just(""), Just(" and on"), Just("\""), Just(","), Just(")"), Just("; y")];
        (before, after).prop_map(|(a, b)| (a.to_owned(), b.to_owned()))
    }

    proptest! {
        #[test]
        fn no_home_path_is_left(path in home_path(), (before, after) in around()) {
            let text = Scrub::default().text(&format!("{before}{path}{after}"));
            let user = path.trim_start_matches("file://").split(['/', '\\']).filter(|p| p.len() > 2)
                .find(|p| !matches!(*p, "home" | "Users" | "root" | "var"));
            if let Some(user) = user {
                // The scheme stays, and `fil` may be somebody's name.
                let text = text.replace("file://", "");
                prop_assert!(!text.contains(user) || before.contains(user) || after.contains(user)
                    || PATH.contains(user), "{text}");
            }
            prop_assert!(text.contains(PATH), "{text}");
            prop_assert!(text.ends_with(&after) && text.starts_with(&before));
        }

        #[test]
        fn no_private_address_is_left(ip in private_address(), port in any::<Option<u16>>(), (before, after) in around()) {
            let with_port = match (port, ip.contains(':')) {
                (Some(port), false) => format!("{ip}:{port}"),
                (Some(port), true) => format!("[{ip}]:{port}"),
                (None, _) => ip.clone(),
            };
            for text in [with_port.clone(), format!("http://{with_port}/api"), format!("{ip}/24")] {
                let left = Scrub::default().text(&format!("{before}{text}{after}"));
                prop_assert!(!left.contains(&ip), "{left}");
            }
        }

        #[test]
        fn no_private_host_is_left(name in "[a-z][a-z0-9-]{3,10}[a-z0-9]", end in 0usize..8, (before, after) in around()) {
            let host = format!("{name}{}", PRIVATE_NAMES[end]);
            for text in [host.clone(), format!("https://{host}:8443/x"), format!("http://{name}:11434"),
                format!("ssh://me:secret@{name}.example.org/x")] {
                let left = Scrub::default().text(&format!("{before}{text}{after}"));
                prop_assert!(!left.contains(&name) || before.contains(&name) || after.contains(&name), "{left}");
                prop_assert!(!left.contains("secret"));
            }
        }

        #[test]
        fn no_text_makes_it_panic_and_twice_is_once(text in ".{0,120}") {
            let scrub = Scrub::new(Some("/h"), &["/a/b".to_owned()], Some("x1"), &[]);
            let once = scrub.text(&text);
            prop_assert_eq!(scrub.text(&once), once.clone());
        }
    }
}
