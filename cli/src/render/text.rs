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

/// Two values where there is little room: of long ones what is near to where they part.
pub fn apart(old: &str, new: &str) -> [String; 2] {
    const ROOM: usize = 60;
    const BEFORE: usize = 16;
    let common = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let long = old.chars().nth(ROOM).is_some() || new.chars().nth(ROOM).is_some();
    let skip = if long && common > BEFORE { common - BEFORE } else { 0 };
    [old, new].map(|value| {
        let mut short: String = value.chars().skip(skip).take(ROOM).collect();
        if skip > 0 {
            short.insert(0, '…');
        }
        if value.chars().nth(skip + ROOM).is_some() {
            short.push('…');
        }
        short
    })
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
    fn long_values_are_told_where_they_part() {
        assert_eq!(apart("1.1", "1.0"), ["1.1", "1.0"]);
        let long = |end: &str| format!("{}{end}", "condition && ".repeat(9));
        let [old, new] = apart(&long("one"), &long("two"));
        assert!(
            old.starts_with('…') && old.ends_with("&& one") && new.ends_with("&& two"),
            "{old}"
        );
        let [old, new] = apart(&"x".repeat(100), "y");
        assert_eq!((old, new.as_str()), (format!("{}…", "x".repeat(60)), "y"));
    }

    #[test]
    fn markdown_pings_nobody_and_marks_nothing_up() {
        let text = markdown("@someone fixes #123 | <img src=x> [a](http://b) `c`");
        assert!(!text.contains("@s") && !text.contains("#1") && !text.contains('\u{1b}'));
        assert!(!text.contains("<img") && text.contains("\\[a\\]") && text.contains("\\|"));
        assert!(!text.contains("http://"));
    }
}
