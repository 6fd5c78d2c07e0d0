//! Plain tables, for a terminal and for Markdown.

use comfy_table::{ContentArrangement, presets};

use super::text;
use crate::args::Format;

/// On a narrower terminal a table of several columns says nothing: each row is a list then.
const NARROWEST: u16 = 40;

/// A table of text cells, which are made harmless when printed.
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(header: &[&str]) -> Self {
        Table { header: header.iter().map(|h| (*h).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as Markdown, or for a terminal.
    pub fn print(&self, format: Format) -> String {
        if format == Format::Md { self.markdown() } else { self.terminal(columns()) }
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|c| text::markdown(c)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", " --- |".repeat(self.header.len()));
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("{}{rule}{rows}", line(&self.header))
    }

    /// Folded to so many columns where there is a width; whole where there is none.
    fn terminal(&self, width: Option<u16>) -> String {
        if width.is_some_and(|width| width < NARROWEST) {
            return self.lists();
        }
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
        if let Some(width) = width {
            // The space before the first column is taken off below.
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(width.saturating_add(1));
        }
        table.set_header(self.header.iter().map(|h| h.to_uppercase()));
        for row in &self.rows {
            table.add_row(row.iter().map(|cell| text::one_line(cell)));
        }
        table
            .lines()
            .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(&line).trim_end()))
            .collect()
    }
}

impl Table {
    /// Each row as a list of its cells; the terminal folds what is longer than its lines.
    fn lists(&self) -> String {
        let list = |row: &Vec<String>| -> String {
            let cells = self.header.iter().zip(row);
            cells.map(|(name, cell)| format!("{name}: {}\n", text::one_line(cell))).collect()
        };
        self.rows.iter().map(list).collect::<Vec<_>>().join("\n")
    }
}

/// How wide the terminal is that standard output is; none where it is a pipe or a file, whose
/// reader wants whole values.
fn columns() -> Option<u16> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_what_fits_and_a_pipe_whole_values() {
        let mut table = Table::new(&["knob", "value", "from"]);
        let value = "[runtime.GOOS == \"linux\" && g.Integrated] \"dio\" ; [else] \"auto\"";
        table.row(vec!["--load-mode".to_owned(), value.to_owned(), "a flag".repeat(30)]);
        let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap();
        let piped = table.terminal(None);
        assert!(piped.contains(value) && piped.lines().count() == 2, "{piped}");
        let lists = table.terminal(Some(20));
        assert!(
            lists.starts_with(&format!("knob: --load-mode\nvalue: {value}\nfrom: ")),
            "{lists}"
        );
        for width in [40, 80, 120] {
            let shown = table.terminal(Some(width));
            assert!(widest(&shown) <= usize::from(width), "{width}: {shown}");
            // Folded, not cut.
            let letters = |text: &str| text.chars().filter(|c| *c == 'g').count();
            assert_eq!(letters(&shown), letters(&piped), "{shown}");
        }
        assert_eq!(table.terminal(Some(1000)), piped, "what fits is not folded");
    }
}
