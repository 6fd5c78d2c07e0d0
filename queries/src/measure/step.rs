//! Steps in a row of speeds, told from noise.
//!
//! The row is cut where the two sides' means lie furthest apart for the noise, again and
//! again, as long as chance alone makes such a cut less often than the conventions allow
//! (a t test, Bonferroni's correction for the places where it could have been cut). Noise
//! is estimated from repeated runs of a version and from neighbouring versions (the median
//! of their differences, which a few steps do not move); the larger one counts.

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::Conventions;
use super::interval::{count, mean, variance};

/// Noise is never taken for less than this part of the values: readings are rounded.
const LEAST_NOISE: f64 = 0.001;
/// From so many versions on neighbours say something of noise.
const NEIGHBOURS: usize = 4;
/// A median of absolute differences knows about as much as so many of its values.
const EFFICIENCY: f64 = 0.37;
/// The median of |x| where x is normal with standard deviation 1.
const MEDIAN_OF_NORMAL: f64 = 0.6745;

/// A step between two neighbouring versions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Step {
    /// The version after which it comes.
    pub base: String,
    /// The version that has it.
    pub head: String,
    /// The mean before it, back to the step before, in milliseconds a token.
    pub before_ms: f64,
    /// The mean after it, up to the next step.
    pub after_ms: f64,
    /// How often chance alone makes a step as large.
    pub chance: f64,
}

/// The steps of a row, and what they were told from.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Steps {
    /// The steps, in the order of versions.
    pub steps: Vec<Step>,
    /// The noise of one version's value, in milliseconds a token; none where nothing tells
    /// of it.
    pub noise_ms: Option<f64>,
    /// Where the noise was read from.
    pub noise_from: String,
    /// Why no step is told, where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
}

struct Noise {
    /// Of one version's mean.
    deviation: f64,
    freedom: f64,
    from: String,
}

/// A cut of a row, as far as chance allows one.
struct Cut {
    at: usize,
    chance: f64,
    /// The difference in parts of the larger side.
    part: f64,
}

/// The steps in a row of versions with their runs, in milliseconds a token.
pub fn find_steps(row: &[(String, Vec<f64>)], conventions: &Conventions) -> Steps {
    let means: Vec<f64> = row.iter().map(|(_, runs)| mean(runs)).collect();
    let Some(noise) = noise(row, &means) else {
        let none = match means.as_slice() {
            [] | [_] => "one version is no row: a step needs two".to_owned(),
            _ => format!(
                "{} versions, each measured once, tell nothing of noise: repeat each version's run (more columns, or more rows of a version)",
                means.len()
            ),
        };
        return Steps {
            steps: Vec::new(),
            noise_ms: None,
            noise_from: "nothing".to_owned(),
            none: Some(none),
        };
    };
    let mut cuts: Vec<(usize, f64)> = Vec::new();
    let mut best: Option<Cut> = None;
    let mut todo = vec![(0, means.len())];
    while let Some((start, end)) = todo.pop() {
        let Some(part) = means.get(start..end) else { continue };
        let Some(cut) = cut(part, &noise) else { continue };
        if cut.chance < conventions.chance && cut.part >= conventions.least_step {
            let at = start + cut.at;
            cuts.push((at, cut.chance));
            todo.extend([(start, at), (at, end)]);
        } else if best.as_ref().is_none_or(|best| cut.chance < best.chance) {
            best = Some(cut);
        }
    }
    cuts.sort_by_key(|(at, _)| *at);
    let none = match (cuts.is_empty(), best) {
        (false, _) => None,
        (true, Some(cut)) if cut.chance < conventions.chance => Some(format!(
            "the largest step is {:.1} %, less than the {:.0} % from which one is told",
            cut.part * 100.0,
            conventions.least_step * 100.0
        )),
        (true, Some(cut)) => Some(format!(
            "the noise allows no step: chance alone makes one as large as the largest here (between {} and {}, {:.1} %) in {:.0} of 100 such tables; repeated runs would tell more",
            row.get(cut.at.wrapping_sub(1)).map_or("", |(version, _)| version),
            row.get(cut.at).map_or("", |(version, _)| version),
            cut.part * 100.0,
            (cut.chance * 100.0).ceil()
        )),
        (true, None) => Some("one version is no row: a step needs two".to_owned()),
    };
    let bounds: Vec<usize> = std::iter::once(0)
        .chain(cuts.iter().map(|(at, _)| *at))
        .chain(std::iter::once(means.len()))
        .collect();
    let level = |from: usize, to: usize| means.get(from..to).map_or(f64::NAN, mean);
    let name = |at: usize| row.get(at).map_or_else(String::new, |(version, _)| version.clone());
    let steps = cuts
        .iter()
        .zip(bounds.windows(3))
        .map(|((at, chance), bounds)| Step {
            base: name(at - 1),
            head: name(*at),
            before_ms: level(bounds[0], bounds[1]),
            after_ms: level(bounds[1], bounds[2]),
            chance: *chance,
        })
        .collect();
    Steps { steps, noise_ms: Some(noise.deviation), noise_from: noise.from, none }
}

/// The noise of one version's mean: from repeats and from neighbours, the larger.
fn noise(row: &[(String, Vec<f64>)], means: &[f64]) -> Option<Noise> {
    if means.len() < 2 {
        return None;
    }
    let floor = LEAST_NOISE * mean(means).abs();
    let freedom: f64 = row.iter().map(|(_, runs)| count(runs) - 1.0).sum();
    let repeats = (freedom >= 2.0).then(|| {
        let squares: f64 = row.iter().map(|(_, runs)| variance(runs) * (count(runs) - 1.0)).sum();
        let one_run = squares / freedom;
        let of_means: Vec<f64> = row.iter().map(|(_, runs)| one_run / count(runs)).collect();
        Noise {
            deviation: mean(&of_means).sqrt().max(floor),
            freedom,
            from: "repeated runs of a version".to_owned(),
        }
    });
    let neighbours = (means.len() >= NEIGHBOURS).then(|| {
        let mut apart: Vec<f64> = means.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        apart.sort_by(f64::total_cmp);
        let deviation = median(&apart) / (MEDIAN_OF_NORMAL * std::f64::consts::SQRT_2);
        Noise {
            deviation: deviation.max(floor),
            freedom: (EFFICIENCY * (count(means) - 2.0)).max(1.0),
            from: "neighbouring versions".to_owned(),
        }
    });
    match (repeats, neighbours) {
        // Runs of one session can agree better than sessions do.
        (Some(a), Some(b)) if b.deviation > 2.0 * a.deviation => Some(Noise {
            from: "neighbouring versions, which scatter more than repeated runs".to_owned(),
            ..b
        }),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    let at = |at: usize| sorted.get(at).copied().unwrap_or(0.0);
    if sorted.len() % 2 == 1 {
        at(middle)
    } else {
        f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
    }
}

/// The best cut of a part of the row.
fn cut(part: &[f64], noise: &Noise) -> Option<Cut> {
    let student = StudentsT::new(0.0, 1.0, noise.freedom).ok()?;
    let places = count(part) - 1.0;
    let mut best: Option<(usize, f64, f64)> = None;
    for at in 1..part.len() {
        let (left, right) = part.split_at(at);
        let (before, after) = (mean(left), mean(right));
        let scale = noise.deviation * (1.0 / count(left) + 1.0 / count(right)).sqrt();
        // Values beyond what numbers can hold make no step.
        let t = (after - before).abs() / scale;
        let t = if t.is_nan() { 0.0 } else { t.min(1e100) };
        if best.is_none_or(|(_, largest, _)| t > largest) {
            let larger = before.abs().max(after.abs());
            best = Some((at, t, (after - before).abs() / larger));
        }
    }
    let (at, t, part) = best?;
    let chance = (2.0 * student.sf(t) * places).min(1.0);
    Some(Cut { at, chance, part })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[&[f64]]) -> Vec<(String, Vec<f64>)> {
        values.iter().enumerate().map(|(at, runs)| (format!("v{at}"), runs.to_vec())).collect()
    }

    fn steps(values: &[&[f64]]) -> Steps {
        find_steps(&row(values), &Conventions::shipped().unwrap())
    }

    /// Normal noise from a fixed sequence.
    struct Normal(u64);

    impl Normal {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        fn next(&mut self) -> f64 {
            let (a, b) = (1.0 - self.uniform(), self.uniform());
            (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
        }
    }

    #[test]
    fn a_plain_step_is_found_between_its_versions() {
        let found = steps(&[&[7.17], &[7.19], &[7.16], &[4.78], &[4.77], &[4.79]]);
        let [one] = found.steps.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.base.as_str(), one.head.as_str()), ("v2", "v3"));
        assert!((one.before_ms - 7.173).abs() < 0.01 && (one.after_ms - 4.78).abs() < 0.01);
        assert!(one.chance < 0.05 && found.none.is_none());
        assert_eq!(found.noise_from, "neighbouring versions");
    }

    #[test]
    fn several_steps_are_told_in_order() {
        let found =
            steps(&[&[7.1, 7.2], &[7.2, 7.1], &[5.0, 5.1], &[5.1, 5.0], &[6.0, 6.1], &[6.1, 6.0]]);
        let heads: Vec<&str> = found.steps.iter().map(|s| s.head.as_str()).collect();
        assert_eq!(heads, ["v2", "v4"], "{found:?}");
        assert_eq!(found.noise_from, "repeated runs of a version");
    }

    #[test]
    fn noise_that_allows_no_step_is_told() {
        let found = steps(&[&[7.0, 8.0], &[7.6, 6.9], &[7.2, 8.1], &[7.9, 7.1]]);
        assert!(found.steps.is_empty());
        assert!(found.none.unwrap().contains("the noise allows no step"));
        let found = steps(&[&[7.0], &[5.0]]);
        assert!(found.noise_ms.is_none());
        assert!(found.none.unwrap().contains("tell nothing of noise"));
        assert!(steps(&[&[7.0]]).none.is_some() && steps(&[]).none.is_some());
        let small = steps(&[&[7.000, 7.001], &[7.001, 7.0], &[7.05, 7.051], &[7.051, 7.05]]);
        assert!(small.none.unwrap().contains("less than the 2 %"));
    }

    #[test]
    fn chance_alone_makes_few_steps() {
        let mut normal = Normal(7);
        for (runs, most) in [(1, 32), (4, 32)] {
            let told = (0..400)
                .filter(|_| {
                    let values: Vec<Vec<f64>> = (0..10)
                        .map(|_| (0..runs).map(|_| 7.0 + 0.5 * normal.next()).collect())
                        .collect();
                    let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
                    !steps(&values).steps.is_empty()
                })
                .count();
            assert!(told <= most, "{told} of 400 tables of noise have a step ({runs} runs)");
        }
        // And a step three times the noise is seen with some repeats.
        let seen = (0..100)
            .filter(|_| {
                let values: Vec<Vec<f64>> = (0..10)
                    .map(|at| {
                        let level = if at < 5 { 7.0 } else { 5.5 };
                        (0..3).map(|_| level + 0.5 * normal.next()).collect()
                    })
                    .collect();
                let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
                steps(&values).steps.iter().any(|step| step.head == "v5")
            })
            .count();
        assert!(seen > 80, "{seen}");
    }
}
