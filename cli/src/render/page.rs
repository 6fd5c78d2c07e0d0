//! The page that a report is written on: one walk over a report serves a terminal,
//! Markdown and HTML.

use anstyle::{AnsiColor, Style};
use headwater_queries::public::Scrub;

use super::links::{self, Pages};
use super::{html, text};
use crate::args::Format;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const STRONG: Style = AnsiColor::Green.on_default().bold();

/// So many lines of a list are seen at once on a page that is served.
const OPEN: usize = 30;
/// Fewer than so many more are not worth folding.
const FOLDED: usize = 6;
/// So many names in one line.
const NAMES: usize = 60;

/// What a page is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paper {
    Screen,
    Markdown,
    Html,
}

/// What was written so far, and as what.
pub struct Page<'s> {
    paper: Paper,
    /// What is left out of a page that is made to be published.
    scrub: Option<&'s Scrub>,
    /// The pages beside one that is served: commits and searches are links.
    served: Option<&'s dyn Pages>,
    out: String,
    /// Where the lines of the list under the last heading begin.
    items: Vec<usize>,
}

impl<'s> Page<'s> {
    /// An empty page.
    pub fn new(format: Format, scrub: Option<&'s Scrub>) -> Self {
        let paper = match format {
            Format::Md => Paper::Markdown,
            Format::Html => Paper::Html,
            _ => Paper::Screen,
        };
        Page { paper, scrub, served: None, out: String::new(), items: Vec::new() }
    }

    /// An empty page that is served, with links to the pages beside it.
    pub fn served(pages: &'s dyn Pages) -> Self {
        Page {
            paper: Paper::Html,
            scrub: None,
            served: Some(pages),
            out: String::new(),
            items: Vec::new(),
        }
    }

    /// Whether it is served.
    pub fn is_served(&self) -> bool {
        self.served.is_some()
    }

    /// Whether it is made to be pasted or kept, and has room.
    pub fn is_pasted(&self) -> bool {
        self.paper != Paper::Screen
    }

    /// A stranger's text, made harmless for where it is printed.
    pub fn safe(&self, stranger: &str) -> String {
        let scrubbed = self.scrub.map(|scrub| scrub.text(stranger));
        let stranger = scrubbed.as_deref().unwrap_or(stranger);
        match self.paper {
            Paper::Screen => text::one_line(stranger),
            Paper::Markdown => text::escape_markdown(stranger),
            Paper::Html => {
                let line = html::escape(&text::one_line(stranger));
                self.served.map_or_else(|| line.clone(), |pages| links::ids(&line, pages))
            }
        }
    }

    /// The sentence on top.
    pub fn headline(&mut self, words: &str) {
        let words = self.safe(words);
        match self.paper {
            Paper::Screen => self.line(&format!("{STRONG}{words}{STRONG:#}")),
            Paper::Markdown => self.line(&format!("**{words}**")),
            Paper::Html => self.line(&format!("<h1>{words}</h1>")),
        }
    }

    /// The name of a part, with a word on how to read it.
    pub fn heading(&mut self, words: &str, how_to_read: &str) {
        self.fold();
        let line = match (self.paper, how_to_read) {
            (Paper::Markdown, "") => format!("\n### {words}\n"),
            (Paper::Markdown, how) => format!("\n### {words}\n\n{how}\n"),
            (Paper::Screen, "") => format!("\n{BOLD}{words}{BOLD:#}"),
            (Paper::Screen, how) => format!("\n{BOLD}{words}{BOLD:#}  {DIM}{how}{DIM:#}"),
            (Paper::Html, "") => format!("<h2>{}</h2>", html::escape(words)),
            (Paper::Html, how) => {
                format!("<h2>{} <small>{}</small></h2>", html::escape(words), html::escape(how))
            }
        };
        self.line(&line);
    }

    /// Folds what is past so many lines of a list, on a page that is served: nothing is left
    /// out, and what comes after the list is found.
    fn fold(&mut self) {
        let items = std::mem::take(&mut self.items);
        let Some(begin) = items.get(OPEN).filter(|_| items.len() >= OPEN + FOLDED) else { return };
        let summary = format!("<summary>{} more</summary>\n", items.len() - OPEN);
        self.out.insert_str(*begin, &format!("<details class=\"more\">{summary}"));
        self.line("</details>");
    }

    /// A line as it is.
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// A line of a list (already safe).
    pub fn item(&mut self, depth: usize, line: &str) {
        if depth == 0 && self.is_served() {
            self.items.push(self.out.len());
        }
        let line = match self.paper {
            Paper::Screen => format!("{}{line}", "  ".repeat(depth)),
            Paper::Markdown => format!("{}- {line}", "  ".repeat(depth)),
            Paper::Html => format!("<p class=\"d{}\">{line}</p>", depth.min(4)),
        };
        self.line(&line);
    }

    /// A line of a list that names `count` things; where these are very many they are folded
    /// on a page that is served (both already safe).
    pub fn list(&mut self, depth: usize, line: &str, count: usize, names: &str) {
        if !self.is_served() || count <= NAMES {
            return self.item(depth, &format!("{line}: {names}"));
        }
        self.item(depth, &format!("{line}:"));
        self.line(&format!(
            "<details class=\"more d{}\"><summary>{count} of them</summary><p>{names}</p></details>",
            (depth + 1).min(4)
        ));
    }

    /// A line of a list, of a stranger's text.
    pub fn say(&mut self, depth: usize, stranger: &str) {
        let line = self.safe(stranger);
        self.item(depth, &line);
    }

    /// A command that a reader can run.
    pub fn command(&mut self, depth: usize, command: &str) {
        let scrubbed = self.scrub.map(|scrub| scrub.text(command));
        let command = text::one_line(scrubbed.as_deref().unwrap_or(command));
        match self.paper {
            Paper::Screen => self.item(depth, &format!("{DIM}$ {command}{DIM:#}")),
            Paper::Markdown => self.item(depth, &format!("`{}`", command.replace('`', "'"))),
            Paper::Html => {
                let link = self.served.and_then(|pages| links::command(&command, pages));
                let run = link.map_or_else(String::new, |link| {
                    format!(" <a class=\"run\" href=\"{}\">run it</a>", html::escape(&link))
                });
                self.line(&format!(
                    "<pre class=\"d{}\">$ {}{run}</pre>",
                    depth.min(4),
                    html::escape(&command)
                ));
            }
        }
    }

    /// Markup of our own, on a page that has any.
    pub fn raw_html(&mut self, markup: &str) {
        if self.paper == Paper::Html {
            self.line(markup);
        }
    }

    /// Words that stand out (already safe).
    pub fn bold(&self, words: &str) -> String {
        match self.paper {
            Paper::Screen => format!("{BOLD}{words}{BOLD:#}"),
            Paper::Markdown => format!("**{words}**"),
            Paper::Html => format!("<strong>{words}</strong>"),
        }
    }

    /// Words that stand back (already safe).
    pub fn dim(&self, words: &str) -> String {
        match self.paper {
            Paper::Screen => format!("{DIM}{words}{DIM:#}"),
            Paper::Markdown => words.to_owned(),
            Paper::Html => format!("<span class=\"dim\">{words}</span>"),
        }
    }

    /// What was written, to stand above something else.
    pub fn part(mut self) -> String {
        self.fold();
        self.out
    }

    /// The whole page; as HTML a document of its own.
    pub fn finish(self, title: &str) -> String {
        match self.paper {
            Paper::Html => html::document(title, &self.out),
            Paper::Screen | Paper::Markdown => self.out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is stored.
    struct Nothing;

    impl Pages for Nothing {
        fn has_upstream(&self, _: &str) -> bool {
            false
        }

        fn has_commit(&self, _: Option<&str>, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn a_long_list_is_folded_where_it_is_served_and_nothing_of_it_is_left_out() {
        let write = |mut page: Page<'_>, items: usize, names: usize| {
            page.heading("Part", "");
            for at in 0..items {
                page.item(0, &format!("item {at}."));
                page.item(1, "beside it");
            }
            let all: Vec<String> = (0..names).map(|at| format!("name{at}")).collect();
            page.list(0, "several", names, &all.join(", "));
            page.heading("Next part", "");
            page.item(0, "last");
            page.part()
        };
        let text = write(Page::served(&Nothing), 50, 500);
        let (open, folded) = text.split_once("<details class=\"more\">").unwrap();
        assert!(open.contains("item 29.") && !open.contains("item 30."), "{open}");
        assert!(folded.starts_with("<summary>21 more</summary>"), "{folded}");
        assert!(folded.contains("item 49.") && folded.contains("500 of them</summary><p>name0,"));
        let (_, after) = folded.split_once("<h2>Next part").unwrap();
        assert!(!after.contains("details"), "what comes after the list is not in it: {after}");
        assert_eq!(text.matches("<details").count(), text.matches("</details>").count());
        assert!(!write(Page::served(&Nothing), 30, 60).contains("details"));
        for format in [Format::Table, Format::Md, Format::Html] {
            let text = write(Page::new(format, None), 50, 500);
            assert!(!text.contains("details") && text.contains("several: name0,"), "{text}");
        }
    }

    #[test]
    fn one_walk_gives_three_papers_and_none_of_them_lets_markup_through() {
        let hostile = "<script>alert(1)</script> & \"@you\" \u{1b}[31m";
        for format in [Format::Table, Format::Md, Format::Html] {
            let mut page = Page::new(format, None);
            page.headline(hostile);
            page.heading("Part", "how to read");
            page.say(2, hostile);
            page.command(1, hostile);
            let text = page.finish(hostile);
            let plain = anstream::adapter::strip_str(&text).to_string();
            assert!(!plain.contains('\u{1b}'), "{plain}");
            match format {
                Format::Html => {
                    assert!(!plain.contains("<script"), "{plain}");
                    assert!(plain.contains("&lt;script&gt;") && plain.contains("<h2>Part"));
                    let loads = ["://", "src=", "href=", "url("].map(|word| plain.contains(word));
                    assert!(!loads.contains(&true), "nothing is loaded from anywhere: {plain}");
                }
                // Within a code span nothing is markup.
                Format::Md => {
                    assert!(plain.contains("- &lt;script&gt;") && !plain.contains("@you\"<"))
                }
                _ => assert!(plain.contains("<script>")),
            }
        }
    }
}
