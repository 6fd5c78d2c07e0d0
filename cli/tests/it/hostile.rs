//! Messages and names made to harm whoever prints them.

use headwater_demo::ollama::names;

use crate::support::Place;

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| {
        c == '\n'
            || !(c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    })
}

#[test]
fn no_control_sequence_leaves_the_process() {
    let place = Place::crawled();
    let hostile = place.ollama(names::HOSTILE);
    let window = place.demo.window();
    for args in [
        vec!["show", "ollama", &hostile],
        vec!["show", "ollama", &hostile, "--format", "md"],
        vec!["show", "ollama", &hostile, "--format", "json"],
        vec!["why", "ollama", &window, "--top", "100"],
        vec!["why", "ollama", &window, "--format", "md", "--top", "100"],
        vec!["why", "ollama", &window, "--format", "json"],
        vec!["classify", "ollama", "--window", &window],
        vec!["search", "red link evil"],
        vec!["search", "red link evil", "--format", "md"],
        vec!["search", "red link evil", "--format", "json"],
        vec!["grep", "--in", "message", "red|rm|hidden"],
        vec!["grep", "--in", "message", "red|rm|hidden", "--format", "md"],
        vec!["grep", "--in", "message", "red|rm|hidden", "--format", "ndjson"],
    ] {
        let out = place.ok(&args);
        // JSON keeps upstream's text, and escapes what would harm.
        assert!(is_harmless(&out), "{args:?}: {out:?}");
    }
}

#[test]
fn markdown_pings_nobody() {
    let place = Place::crawled();
    let hostile = place.ollama(names::HOSTILE);
    let out = place.ok(&["show", "ollama", &hostile, "--no-patch", "--format", "md"]);
    let pings = out
        .as_bytes()
        .windows(2)
        .filter(|w| (w[0] == b'@' || w[0] == b'#') && w[1].is_ascii_alphanumeric())
        .count();
    assert_eq!(pings, 0, "{out}");
    assert!(!out.contains("<img") && !out.contains("<script"), "{out}");
}
