//! Texts of strangers, marked up in Markdown or HTML, as plain lines.

use headwater_store::{Markup, NewStatement};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use scraper::{Html, Node};

/// At most so much of a text is read: longer ones are logs.
const MOST: usize = 256 << 10;
/// At most so many lines of one text are told.
const LINES: usize = 2_000;
/// Elements of HTML that begin a new line.
const BLOCKS: [&str; 15] = [
    "p",
    "li",
    "ul",
    "ol",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "tr",
    "div",
    "pre",
    "br",
    "blockquote",
];

/// One item of a list, or a paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Its text, without marks.
    pub text: String,
    /// Where its links lead.
    pub links: Vec<String>,
    /// It is an item of a list.
    pub item: bool,
    /// It is a heading.
    pub heading: bool,
}

/// The items and paragraphs of a statement's text, in order; code blocks are left out.
pub fn lines(said: &NewStatement) -> Vec<Line> {
    let body = cut(&said.body);
    match said.markup {
        Markup::Markdown => of_markdown(body),
        Markup::Html => of_html(body),
    }
}

/// A text's beginning, of which no more is read, ending between characters.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn of_markdown(text: &str) -> Vec<Line> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let (mut out, mut open) = (Vec::new(), Line::default());
    let mut code = 0_usize;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => code += 1,
            Event::End(TagEnd::CodeBlock) => code = code.saturating_sub(1),
            Event::Start(Tag::Item) => {
                end(&mut open, &mut out);
                open.item = true;
            }
            Event::Start(Tag::Heading { .. }) => {
                end(&mut open, &mut out);
                open.heading = true;
            }
            Event::Start(Tag::Link { dest_url, .. }) => open.links.push(dest_url.into_string()),
            Event::Start(Tag::TableCell) => open.text.push_str(" | "),
            Event::Start(Tag::List(_)) => end(&mut open, &mut out),
            Event::End(
                TagEnd::Paragraph
                | TagEnd::Item
                | TagEnd::Heading(_)
                | TagEnd::TableRow
                | TagEnd::TableHead,
            ) => end(&mut open, &mut out),
            Event::Text(text) | Event::Code(text) if code == 0 => open.text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => open.text.push(' '),
            _ => {}
        }
    }
    end(&mut open, &mut out);
    out
}

fn of_html(text: &str) -> Vec<Line> {
    let fragment = Html::parse_fragment(text);
    let (mut out, mut open) = (Vec::new(), Line::default());
    for node in fragment.root_element().descendants() {
        match node.value() {
            Node::Text(text) => open.text.push_str(text),
            Node::Element(element) => {
                let name = element.name();
                if let Some(link) = element.attr("href").filter(|_| name == "a") {
                    open.links.push(link.to_owned());
                }
                // A block ends what stood before it.
                if BLOCKS.contains(&name) {
                    end(&mut open, &mut out);
                    open.item = name == "li";
                    open.heading = name.starts_with('h') && name != "hr";
                }
            }
            _ => {}
        }
    }
    end(&mut open, &mut out);
    out
}

/// Ends a line, which counts where it has text.
fn end(line: &mut Line, out: &mut Vec<Line>) {
    let line = std::mem::take(line);
    let text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.is_empty() && out.len() < LINES {
        out.push(Line { text, ..line });
    }
}

/// The sentences of a line.
pub fn sentences(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let bytes = line.as_bytes();
    for (at, byte) in line.bytes().enumerate() {
        let ends = matches!(byte, b'.' | b'!' | b'?');
        let after = bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        if ends && after {
            out.extend(line.get(start..=at).map(str::trim).filter(|s| !s.is_empty()));
            start = at + 1;
        }
    }
    out.extend(line.get(start..).map(str::trim).filter(|s| !s.is_empty()));
    out
}

/// The words of a text, without links, mentions and numbers of pull requests, which hosts
/// render differently: two transports that tell the same have the same.
pub fn words(lines: &[Line]) -> Vec<String> {
    let mut out = Vec::new();
    for token in lines.iter().flat_map(|line| line.text.split_whitespace()) {
        if token.contains("://") || token.starts_with(['#', '@']) || token.contains("...") {
            continue;
        }
        let words = token.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        out.extend(words.map(str::to_lowercase));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn items_and_paragraphs_are_lines_and_code_is_none() {
        let text = "## Changed\n* `one` thing\n  goes on by [him](https://x/pull/3)\n* two\n\n```\nlog\n```\nThe end\n";
        let lines = of_markdown(text);
        assert_eq!(texts(&lines), ["Changed", "one thing goes on by him", "two", "The end"]);
        assert!(lines[0].heading && lines[1].item && !lines[3].item);
        assert_eq!(lines[1].links, ["https://x/pull/3"]);
        let html = of_html(
            "<h2>Changed</h2><ul><li><code>one</code> thing</li><li>two <a href='/3'>#3</a></li></ul>",
        );
        assert_eq!(texts(&html), ["Changed", "one thing", "two #3"]);
        assert!(html[1].item && html[2].links == ["/3"]);
    }

    #[test]
    fn two_renderings_of_one_text_have_the_same_words() {
        let markdown = of_markdown(
            "* Add a `thing` by @kim in https://github.com/o/n/pull/7\n\n**Full**: https://github.com/o/n/compare/v1...v2",
        );
        let html = of_html(
            "<ul><li>Add a <code>thing</code> by <a href='/kim'>@kim</a> in <a href='/7'>#7</a></li></ul><p><strong>Full</strong>: <a href='/c'><tt>v1...v2</tt></a></p>",
        );
        assert_eq!(words(&markdown), words(&html));
    }

    #[test]
    fn a_sentence_ends_at_its_stop() {
        assert_eq!(
            sentences("It is 1.5 now. Why? b31 is fine."),
            ["It is 1.5 now.", "Why?", "b31 is fine."]
        );
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,200}") {
            for lines in [of_markdown(&text), of_html(&text)] {
                let _ = words(&lines);
                for line in &lines {
                    let _ = sentences(&line.text);
                }
            }
        }
    }
}
