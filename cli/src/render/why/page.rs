//! The page that a report is written on: one walk over a report serves a terminal and
//! Markdown.

use anstyle::{AnsiColor, Style};

use crate::render::text;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const STRONG: Style = AnsiColor::Green.on_default().bold();

/// What was written so far, and as what.
pub(super) struct Page {
    pub(super) md: bool,
    pub(super) out: String,
}

impl Page {
    /// A stranger's text, made harmless for where it is printed.
    pub(super) fn safe(&self, stranger: &str) -> String {
        if self.md { text::markdown(stranger) } else { text::one_line(stranger) }
    }

    /// The sentence on top.
    pub(super) fn headline(&mut self, words: &str) {
        let words = self.safe(words);
        match self.md {
            true => self.line(&format!("**{words}**")),
            false => self.line(&format!("{STRONG}{words}{STRONG:#}")),
        }
    }

    /// The name of a part, with a word on how to read it.
    pub(super) fn heading(&mut self, words: &str, how_to_read: &str) {
        let line = match (self.md, how_to_read) {
            (true, "") => format!("\n### {words}\n"),
            (true, how) => format!("\n### {words}\n\n{how}\n"),
            (false, "") => format!("\n{BOLD}{words}{BOLD:#}"),
            (false, how) => format!("\n{BOLD}{words}{BOLD:#}  {DIM}{how}{DIM:#}"),
        };
        self.line(&line);
    }

    /// A line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// A line of a list.
    pub(super) fn item(&mut self, depth: usize, line: &str) {
        let indent = "  ".repeat(depth);
        let mark = if self.md { "- " } else { "" };
        self.line(&format!("{indent}{mark}{line}"));
    }

    /// A command that a reader can run.
    pub(super) fn command(&mut self, depth: usize, command: &str) {
        let command = text::one_line(command);
        match self.md {
            true => self.item(depth, &format!("`{}`", command.replace('`', "'"))),
            false => self.item(depth, &format!("{DIM}$ {command}{DIM:#}")),
        }
    }

    /// Words that stand out (already safe).
    pub(super) fn bold(&self, words: &str) -> String {
        if self.md { format!("**{words}**") } else { format!("{BOLD}{words}{BOLD:#}") }
    }

    /// Words that stand back (already safe).
    pub(super) fn dim(&self, words: &str) -> String {
        if self.md { words.to_owned() } else { format!("{DIM}{words}{DIM:#}") }
    }
}
