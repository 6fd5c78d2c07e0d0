//! Which commands a page shows.
//!
//! A `sh` block holds commands, a line each; in a `console` block they stand after `$ `, and
//! the rest is what they printed; a `usage` block holds synopses, as an inline span does that
//! begins with `headwater `, or with the name of a command and says more. No other block may
//! hold a command.

use std::collections::BTreeSet;
use std::path::Path;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// How a command is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As it is typed.
    Typed,
    /// With placeholders, `[optional parts]` and `alter|natives`.
    Synopsis,
}

/// A command on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub page: String,
    pub line: usize,
    pub text: String,
    pub kind: Kind,
    /// Whether it stands in running text.
    pub inline: bool,
}

/// What a page holds for the test.
#[derive(Debug, Default)]
pub struct Page {
    pub commands: Vec<Shown>,
    /// Inline spans that begin with an option: `--week`.
    pub options: Vec<(usize, String)>,
    /// Where links lead.
    pub links: Vec<(usize, String)>,
    /// The blocks of TOML.
    pub files: Vec<String>,
    /// What is shown as it must not be.
    pub faults: Vec<String>,
}

/// Reads a page; `names` are those of the commands.
pub fn page(root: &Path, name: &str, names: &BTreeSet<String>) -> Page {
    let text = std::fs::read_to_string(root.join(name)).unwrap();
    let line_at = |offset: usize| text[..offset].matches('\n').count() + 1;
    let mut out = Page::default();
    let mut block: Option<(String, String, usize)> = None;
    for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
        let line = line_at(range.start);
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                block = Some((language, String::new(), line + 1));
            }
            Event::Text(text) => {
                if let Some((_, code, _)) = &mut block {
                    code.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, code, first)) = block.take() {
                    read_block(name, &language, &code, first, &mut out);
                }
            }
            Event::Code(code) => {
                let mut code = code.split_whitespace().collect::<Vec<_>>().join(" ");
                if code.split_once(' ').is_some_and(|(name, _)| names.contains(name)) {
                    code.insert_str(0, "headwater ");
                }
                if code.starts_with("headwater ") {
                    out.commands.push(Shown {
                        page: name.to_owned(),
                        line,
                        text: code,
                        kind: Kind::Synopsis,
                        inline: true,
                    });
                } else if code.starts_with("--") {
                    out.options.push((line, code));
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                out.links.push((line, dest_url.to_string()));
            }
            _ => {}
        }
    }
    out
}

fn read_block(page: &str, language: &str, code: &str, first: usize, out: &mut Page) {
    let kind = if language == "usage" { Kind::Synopsis } else { Kind::Typed };
    let mut push = |line: usize, text: &str| {
        let text = text.to_owned();
        out.commands.push(Shown { page: page.to_owned(), line, text, kind, inline: false });
    };
    let lines: Vec<&str> = code.lines().collect();
    match language {
        "sh" | "usage" => {
            for (at, line) in joined(&lines, language == "usage") {
                if !line.is_empty() && !line.starts_with('#') {
                    push(first + at, &line);
                }
            }
        }
        "console" => {
            for (at, line) in joined(&lines, false) {
                if let Some(command) = line.strip_prefix("$ ") {
                    push(first + at, command);
                }
            }
        }
        _ => {
            if language == "toml" {
                out.files.push(code.to_owned());
            }
            for (at, line) in lines.iter().enumerate() {
                let line = line.trim_start().trim_start_matches("$ ");
                if line.starts_with("headwater ") {
                    let number = first + at;
                    out.faults.push(format!(
                        "{page}:{number}: a command in a block that is not sh, console or usage"
                    ));
                }
            }
        }
    }
}

/// Lines without remarks, with those that go on: after a backslash, or indented where
/// `indented` says so.
fn joined(lines: &[&str], indented: bool) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in lines.iter().enumerate() {
        let text = line.split(" # ").next().unwrap_or_default().trim_end();
        let (text, more) = text.strip_suffix('\\').map_or((text, false), |text| (text, true));
        match out.last_mut() {
            Some((_, before)) if goes_on || (indented && text.starts_with(' ')) => {
                before.push(' ');
                before.push_str(text.trim());
            }
            _ => out.push((at, text.trim_end().to_owned())),
        }
        goes_on = more;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_where_they_may_stand_and_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let text = "Ask `headwater why A`, `why`, `why --b`, `what --c` or `--week`, see [this](x.md).\n\n\
            | a |\n| --- |\n| `headwater digest a\\|b` |\n\n\
            ```sh\n# a remark\nheadwater one \\\n  two\n```\n\n\
            ```console\n$ headwater three\nheadwater says\n```\n\n\
            ```usage\nheadwater four [--x]  # a remark\n          [--y]\n```\n\n\
            ```\nheadwater five\n```\n";
        std::fs::write(dir.path().join("p.md"), text).unwrap();
        let page = page(dir.path(), "p.md", &BTreeSet::from(["why".to_owned()]));
        let all: Vec<(usize, &str, Kind)> =
            page.commands.iter().map(|one| (one.line, one.text.as_str(), one.kind)).collect();
        assert_eq!(
            all,
            [
                (1, "headwater why A", Kind::Synopsis),
                (1, "headwater why --b", Kind::Synopsis),
                (5, "headwater digest a|b", Kind::Synopsis),
                (9, "headwater one two", Kind::Typed),
                (14, "headwater three", Kind::Typed),
                (19, "headwater four [--x] [--y]", Kind::Synopsis),
            ]
        );
        assert_eq!(page.options, [(1, "--week".to_owned())]);
        assert_eq!(page.links, [(1, "x.md".to_owned())]);
        assert_eq!(page.faults.len(), 1, "{:?}", page.faults);
        assert!(page.faults[0].starts_with("p.md:24:"), "{:?}", page.faults);
    }
}
