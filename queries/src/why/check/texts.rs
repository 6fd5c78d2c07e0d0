//! The data files of points, as texts that can be changed and read again.

use super::super::prior::Prior;
use super::super::score::Points;
use crate::QueryError;
use crate::rank::Weights;

/// The texts of `weights.toml` and `prior.toml`.
#[derive(Debug, Clone)]
pub struct PointTexts {
    /// Points of words and files.
    pub weights: String,
    /// Points of what is known besides, and of verdicts.
    pub prior: String,
}

impl PointTexts {
    /// Those that ship with the binary.
    pub fn shipped() -> Self {
        PointTexts {
            weights: Weights::shipped_text().to_owned(),
            prior: Prior::built_in_text().to_owned(),
        }
    }

    /// As tables.
    pub(super) fn tables(&self) -> Result<Tables, QueryError> {
        let read = |text: &str| toml::from_str(text).map_err(crate::rank::RulesError::from);
        Ok(Tables { weights: read(&self.weights)?, prior: read(&self.prior)?, verdicts: true })
    }
}

/// All points as tables. A key is a path in `weights.toml`, or behind `prior.` one in
/// `prior.toml`; `*` at its end means every number of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tables {
    weights: toml::Table,
    prior: toml::Table,
    /// Verdicts count.
    pub(super) verdicts: bool,
}

impl Tables {
    /// The points that they say.
    pub(super) fn points(&self) -> Result<Points, QueryError> {
        let text = |table: &toml::Table| {
            toml::to_string(table).map_err(|error| QueryError::Rules {
                file: "the points".to_owned(),
                why: error.to_string(),
            })
        };
        Ok(Points {
            weights: Weights::parse(&text(&self.weights)?)?,
            prior: Prior::parse(&text(&self.prior)?)?,
            verdicts: self.verdicts,
        })
    }

    fn table_of<'k>(&mut self, key: &'k str) -> Option<(&mut toml::Table, &'k str)> {
        let (mut table, path) = match key.strip_prefix("prior.") {
            Some(path) => (&mut self.prior, path),
            None => (&mut self.weights, key),
        };
        let (path, last) = path.rsplit_once('.').unwrap_or(("", path));
        for part in path.split('.').filter(|part| !part.is_empty()) {
            table = table.get_mut(part)?.as_table_mut()?;
        }
        Some((table, last))
    }

    /// These with one key, or every number of a table, set to a value; `None` where there
    /// is no such key.
    pub(super) fn with(&self, key: &str, value: f64) -> Option<Self> {
        let mut changed = self.clone();
        let (table, last) = changed.table_of(key)?;
        if last == "*" {
            table.iter_mut().for_each(|(_, number)| *number = toml::Value::Float(value));
        } else {
            *table.get_mut(last)? = toml::Value::Float(value);
        }
        Some(changed)
    }

    /// The number at a key.
    pub(super) fn value(&self, key: &str) -> Option<f64> {
        let mut tables = self.clone();
        let (table, last) = tables.table_of(key)?;
        table.get(last)?.as_float()
    }
}
