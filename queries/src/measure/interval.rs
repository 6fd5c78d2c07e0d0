//! The interval of a difference between two sets of runs.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// How often the true difference lies within.
const LEVEL: f64 = 0.95;

/// An interval of the difference of two means.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// 0.95
    pub level: f64,
    /// How it was computed.
    pub method: &'static str,
    /// How many runs stand behind each mean.
    pub runs: [usize; 2],
}

impl Interval {
    /// Whether a value lies within.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Whether two intervals meet.
    pub fn meets(&self, other: &Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// The 95 % interval of mean(a) − mean(b) by Welch's t, which lets the two sets of runs
/// scatter differently. `None` with fewer than two runs on a side, or where none scatters
/// (the same number typed again says nothing of noise).
pub fn welch(a: &[f64], b: &[f64]) -> Option<Interval> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (count_a, count_b) = (count(a), count(b));
    let (part_a, part_b) = (variance(a) / count_a, variance(b) / count_b);
    let squared = part_a + part_b;
    if squared <= 0.0 || !squared.is_finite() {
        return None;
    }
    let freedom =
        squared * squared / (part_a * part_a / (count_a - 1.0) + part_b * part_b / (count_b - 1.0));
    let t = StudentsT::new(0.0, 1.0, freedom).ok()?.inverse_cdf(0.5 + LEVEL / 2.0);
    let (middle, half) = (mean(a) - mean(b), t * squared.sqrt());
    Some(Interval {
        low: middle - half,
        high: middle + half,
        level: LEVEL,
        method: "Welch's t",
        runs: [a.len(), b.len()],
    })
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values)
}

/// The variance within a sample: 0 of fewer than two values.
pub(super) fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let middle = mean(values);
    values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / (count(values) - 1.0)
}

#[allow(clippy::cast_precision_loss)] // counts of runs are small
pub(super) fn count(values: &[f64]) -> f64 {
    values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_what_a_table_of_t_gives() {
        // By hand: difference -0.1725, standard error 0.05170, 5.546 degrees of freedom, so
        // between the table's 2.571 (5) and 2.447 (6): t = 2.497.
        let interval = welch(&[7.1, 7.2, 7.3, 7.15], &[7.3, 7.4, 7.35, 7.45, 7.3]).unwrap();
        assert!((interval.low - -0.3016).abs() < 0.001, "{interval:?}");
        assert!((interval.high - -0.0434).abs() < 0.001, "{interval:?}");
        assert!(!interval.contains(0.0) && interval.contains(-0.17));
        assert_eq!(interval.runs, [4, 5]);
    }

    #[test]
    fn single_or_equal_runs_give_none() {
        assert_eq!(welch(&[1.0], &[2.0, 2.1]), None);
        assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0]), None);
        assert_eq!(welch(&[], &[]), None);
        assert_eq!(welch(&[f64::MAX, -f64::MAX], &[1.0, 2.0]), None);
    }
}
