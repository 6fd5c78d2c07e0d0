//! Building a segment in memory.

use super::class::{Class, each_run};
use super::dictionary::TooLarge;
use super::lines::each_changed;
use super::runs::Runs;
use super::segment::{Group, Parts};

/// Collects the runs and lines of rows.
#[derive(Debug, Default)]
pub struct Builder {
    words: Runs,
    marks: Runs,
    lines: Runs,
    groups: Vec<Group>,
    rows: Option<(u32, u32)>,
}

impl Builder {
    /// Adds the hunks of a row. Rows come ascending, those of a group together.
    pub fn add(&mut self, row: u32, group: u32, hunks: &[u8]) {
        let first = self.rows.map_or(row, |(first, _)| first);
        self.rows = Some((first, row));
        if self.groups.last().is_none_or(|last| last.id != group) {
            self.groups.push(Group { id: group, first_row: row });
        }
        let Self { words, marks, lines, .. } = self;
        each_changed(hunks, |_, _, line| {
            if !lines.add(line, 0, line.len(), row) {
                return; // the row has this very line, and so its runs
            }
            each_run(line, |class, start, end| match class {
                Class::Word => {
                    words.add(line, start, end, row);
                }
                _ => {
                    marks.add(line, start, end, row);
                }
            });
        });
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_none()
    }

    /// About how many bytes of memory it has taken.
    pub fn memory(&self) -> usize {
        self.words.memory() + self.marks.memory() + self.lines.memory()
    }

    /// The segment, encoded; `None` where nothing was added.
    pub fn finish(self) -> Result<Option<Parts>, TooLarge> {
        let Some((first_row, last_row)) = self.rows else { return Ok(None) };
        Ok(Some(Parts {
            first_row,
            last_row,
            groups: self.groups,
            words: self.words.finish(first_row)?,
            marks: self.marks.finish(first_row)?,
            lines: self.lines,
        }))
    }
}
