//! Making strangers' text harmless: for a terminal, and for Markdown.

use headwater_queries::public::Scrub;

/// A text for a terminal: control characters (also those of 8-bit terminals), and
/// characters that reorder or hide text, become U+FFFD; tabs become spaces, line feeds stay.
pub fn safe(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' => '\n',
            '\t' => ' ',
            c if is_hidden(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// As [`safe`], on one line.
pub fn one_line(text: &str) -> String {
    safe(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most so many characters of a text.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// An error with its causes, in a line: a cause that is told already is not told again.
pub fn error_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain().map(|cause| one_line(&cause.to_string())) {
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            line.push_str(": ");
            line.push_str(&cause);
        }
    }
    line
}

/// Whether a character shows nothing itself, or makes its reader show something else: neither
/// a line feed nor a tab does.
pub fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || is_invisible(c)
}

/// Bidirectional controls, zero-width characters, tags and the like: they make a terminal
/// show something other than what is there.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A text for Markdown, which is made to be pasted: no markup, neither `@name` nor `#123`
/// pings anybody, and no home path or private address is in it.
pub fn markdown(text: &str) -> String {
    escape_markdown(&Scrub::default().text(text))
}

/// A text for Markdown with all that it says, private or not.
pub fn escape_markdown(text: &str) -> String {
    let text = one_line(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // An empty comment parts the sign from the name, and shows as nothing.
            '@' | '#' => {
                out.push(c);
                out.push_str("<!-- -->");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '!' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.replace("://", "&colon;//").replace("www.", "www&period;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_escape_sequence_reaches_a_terminal() {
        let hostile = "a\u{1b}[31mred\u{9b}31m \u{1b}]52;c;AAAA\u{7}\r\u{8}\u{202e}evil\u{200b}";
        let shown = safe(hostile);
        assert!(shown.chars().all(|c| !c.is_control() && !is_invisible(c)), "{shown:?}");
        assert!(shown.contains("red") && shown.contains("evil"));
        assert_eq!(one_line("a\n\tb"), "a b");
    }

    #[test]
    fn a_cause_that_is_told_already_is_not_told_again() {
        let cause = || std::io::Error::other("it\nbroke");
        let error = anyhow::Error::from(cause()).context("cannot read x: it broke");
        assert_eq!(error_line(&error), "cannot read x: it broke");
        let error = anyhow::Error::from(cause()).context("cannot read x");
        assert_eq!(error_line(&error), "cannot read x: it broke");
    }

    #[test]
    fn markdown_pings_nobody_and_marks_nothing_up() {
        let text = markdown("@someone fixes #123 | <img src=x> [a](http://b) `c`");
        assert!(!text.contains("@s") && !text.contains("#1") && !text.contains('\u{1b}'));
        assert!(!text.contains("<img") && text.contains("\\[a\\]") && text.contains("\\|"));
        assert!(!text.contains("http://"));
    }
}
