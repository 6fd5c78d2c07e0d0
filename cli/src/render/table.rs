//! Plain tables, for a terminal and for Markdown.

use comfy_table::presets;

use super::text;
use crate::args::Format;

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
        if format == Format::Md { self.markdown() } else { self.terminal() }
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

    fn terminal(&self) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::NOTHING);
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
