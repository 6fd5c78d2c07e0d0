//! Tables that users bring: runs of a toggle's arms, and speeds by version.

use headwater_store::upstream::Upstream;
use headwater_store::{ObservedInput, Run, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Conventions, MeasureError, Steps, Unit, find_steps};
use crate::QueryError;
use crate::window::Resolver;

/// The runs of a toggle's arms.
pub type ArmRuns = Vec<Run>;

const ARMS: [&str; 3] = ["old", "with", "without"];

/// One version's speeds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Point {
    /// The version, as the store names it.
    pub version: String,
    /// Its runs, in the table's unit.
    pub values: Vec<f64>,
}

/// A table of speeds by version, and its steps.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpeedTable {
    /// The unit.
    pub unit: Unit,
    /// The file.
    pub input: ObservedInput,
    /// The versions, in the order of history.
    pub points: Vec<Point>,
    /// The steps.
    #[serde(flatten)]
    pub steps: Steps,
    /// Whether the file had them in another order.
    pub sorted: bool,
}

impl SpeedTable {
    /// Puts a table's versions in the order of history, and finds its steps.
    ///
    /// # Errors
    /// Versions that the store does not know, and those of the store.
    pub fn of(
        store: &Store,
        upstream: &Upstream,
        rows: Vec<Point>,
        unit: Unit,
        input: ObservedInput,
        conventions: &Conventions,
    ) -> Result<Self, QueryError> {
        let resolver = Resolver::new(store, upstream)?;
        let mut found = Vec::new();
        for row in rows {
            let resolved = resolver.resolve(&row.version)?;
            let committed = resolved.commit.commit().committed;
            found.push((committed, Point { version: resolved.name, values: row.values }));
        }
        let sorted = !found.is_sorted_by_key(|(committed, _)| *committed);
        found.sort_by_key(|(committed, _)| *committed);
        let points: Vec<Point> = found.into_iter().map(|(_, point)| point).collect();
        let row: Vec<(String, Vec<f64>)> = points
            .iter()
            .map(|p| (p.version.clone(), p.values.iter().map(|v| unit.ms(*v)).collect()))
            .collect();
        let steps = find_steps(&row, conventions);
        Ok(SpeedTable { unit, input, points, steps, sorted })
    }

    /// The step that is the largest in its part of a token's time.
    pub fn largest(&self) -> Option<usize> {
        let part = |at: &usize| {
            self.steps.steps.get(*at).map_or(0.0, |step| {
                (step.before_ms - step.after_ms).abs() / step.before_ms.max(step.after_ms)
            })
        };
        (0..self.steps.steps.len()).max_by(|a, b| part(a).total_cmp(&part(b)))
    }

    /// The runs, as an observation keeps them.
    pub fn runs(&self) -> Vec<Run> {
        let runs = |point: &Point| {
            let arm = point.version.clone();
            point.values.clone().into_iter().map(move |value| Run { arm: arm.clone(), value })
        };
        self.points.iter().flat_map(runs).collect()
    }
}

/// Reads a table of speeds: `version,value`, further columns or further rows of a version
/// are repeated runs. A first line without a number is a heading, and a column that it
/// calls `n`, `count` or `repeats` is a count and no run.
///
/// # Errors
/// [`MeasureError::Table`] with the line that is wrong.
pub fn read_table(bytes: &[u8], unit: Unit) -> Result<Vec<Point>, MeasureError> {
    let mut points: Vec<Point> = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    for (at, record) in records(bytes)?.into_iter().enumerate() {
        let (line, fields) = record;
        let numbers = fields.iter().skip(1).any(|field| field.parse::<f64>().is_ok());
        if at == 0 && !numbers {
            let is_count =
                |name: &str| matches!(name, "n" | "count" | "repeats" | "runs" | "samples");
            let named = fields.iter().enumerate();
            counts = named
                .filter(|(_, name)| is_count(&name.to_lowercase()))
                .map(|(at, _)| at)
                .collect();
            continue;
        }
        let Some(version) = fields.first().filter(|version| !version.is_empty()) else {
            return Err(MeasureError::Table { line, why: "it names no version".to_owned() });
        };
        let mut values = Vec::new();
        for (column, field) in fields.iter().enumerate().skip(1) {
            if !field.is_empty() && !counts.contains(&column) {
                values.push(number(field, line, unit)?);
            }
        }
        if values.is_empty() {
            return Err(MeasureError::Table { line, why: format!("{version:?} has no value") });
        }
        match points.iter_mut().find(|point| point.version == *version) {
            Some(point) => point.values.extend(values),
            None => points.push(Point { version: version.clone(), values }),
        }
    }
    if points.is_empty() {
        return Err(MeasureError::Table { line: 1, why: "it holds no version".to_owned() });
    }
    Ok(points)
}

/// Reads runs of a toggle's arms: rows of `arm,value`, or columns `old`, `with`, `without`.
///
/// # Errors
/// [`MeasureError::Table`] with the line that is wrong.
pub fn read_runs(bytes: &[u8], unit: Unit) -> Result<ArmRuns, MeasureError> {
    let mut runs = Vec::new();
    let mut columns: Option<Vec<Option<String>>> = None;
    let arm = |name: &str| {
        let name = name.to_lowercase();
        ARMS.contains(&name.as_str()).then_some(name)
    };
    for (at, (line, fields)) in records(bytes)?.into_iter().enumerate() {
        if at == 0 && !fields.iter().any(|field| field.parse::<f64>().is_ok()) {
            let named: Vec<Option<String>> = fields.iter().map(|field| arm(field)).collect();
            columns = named.iter().any(Option::is_some).then_some(named);
            continue;
        }
        match &columns {
            Some(columns) => {
                for (field, arm) in fields.iter().zip(columns) {
                    if let (Some(arm), false) = (arm, field.is_empty()) {
                        runs.push(Run { arm: arm.clone(), value: number(field, line, unit)? });
                    }
                }
            }
            None => match fields.as_slice() {
                [name, values @ ..] if arm(name).is_some() && !values.is_empty() => {
                    for value in values.iter().filter(|value| !value.is_empty()) {
                        let value = number(value, line, unit)?;
                        runs.push(Run { arm: arm(name).unwrap_or_default(), value });
                    }
                }
                _ => {
                    let why = "write rows of ARM,VALUE with the arms old, with, without, or a heading old,with,without over columns";
                    return Err(MeasureError::Table { line, why: why.to_owned() });
                }
            },
        }
    }
    if runs.is_empty() {
        return Err(MeasureError::Table { line: 1, why: "it holds no run".to_owned() });
    }
    Ok(runs)
}

fn records(bytes: &[u8]) -> Result<Vec<(u64, Vec<String>)>, MeasureError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(bytes);
    let mut out = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|error| MeasureError::Table {
            line: error.position().map_or(1, csv::Position::line),
            why: error.to_string(),
        })?;
        let line = record.position().map_or(1, csv::Position::line);
        let text = |field: &[u8]| {
            String::from_utf8_lossy(field).trim_start_matches('\u{feff}').trim().to_owned()
        };
        let fields: Vec<String> = record.iter().map(text).collect();
        if fields.iter().any(|field| !field.is_empty()) {
            out.push((line, fields));
        }
    }
    Ok(out)
}

fn number(field: &str, line: u64, unit: Unit) -> Result<f64, MeasureError> {
    let value = field
        .parse()
        .map_err(|_| MeasureError::Table { line, why: format!("{field:?} is no number") })?;
    unit.check(value).map_err(|error| MeasureError::Table { line, why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Unit = Unit::TokensPerSecond;

    #[test]
    fn repeats_are_further_columns_or_further_rows() {
        let text = "version,tok/s,again,n\nv1, 100, 101, 2\nv2,50,,9\n# a remark\nv1,102\n\n";
        let points = read_table(text.as_bytes(), RATE).unwrap();
        assert_eq!(points[0], Point { version: "v1".into(), values: vec![100.0, 101.0, 102.0] });
        assert_eq!(points[1], Point { version: "v2".into(), values: vec![50.0] });
        let plain = read_table("\u{feff}v1,100\nv2,\"50\"\n".as_bytes(), RATE).unwrap();
        assert_eq!((plain.len(), plain[0].version.as_str()), (2, "v1"));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = |text: &str| read_table(text.as_bytes(), RATE).unwrap_err().to_string();
        assert!(error("version,value\nv1,100\nv2,fast\n").contains("line 3"));
        assert!(error("v1,0\n").contains("above 0"));
        assert!(error("version,value\n").contains("holds no version"));
        assert!(error("a,b\nv1,\n").contains("has no value"));
    }

    #[test]
    fn runs_come_in_rows_or_columns() {
        let rows = read_runs(b"arm,value\nold,139.5\nWith,136.1,136.2\n", RATE).unwrap();
        let told: Vec<(&str, f64)> = rows.iter().map(|r| (r.arm.as_str(), r.value)).collect();
        assert_eq!(told, [("old", 139.5), ("with", 136.1), ("with", 136.2)]);
        let columns = read_runs(b"old,with,without,note\n1,2,3,\n,2,,\n", RATE).unwrap();
        assert_eq!(columns.len(), 4);
        assert!(read_runs(b"fast,1\n", RATE).is_err() && read_runs(b"", RATE).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read_table(&bytes, RATE);
            let _ = read_runs(&bytes, RATE);
        }

        #[test]
        fn no_row_makes_the_search_panic(rows in proptest::collection::vec(
            proptest::collection::vec(1e-300f64..1e300, 1..5), 0..12)) {
            let row: Vec<_> = rows.into_iter().enumerate().map(|(n, r)| (n.to_string(), r)).collect();
            let _ = find_steps(&row, &Conventions::shipped().unwrap());
        }
    }
}
