//! Small plots as inline SVG: readable in dark and light, since they take the text's colour.

use headwater_queries::digest::Lagging;
use maud::{Markup, html};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 120.0;
/// Room for the names of values.
const LEFT: f64 = 28.0;

/// Counts, a bar each.
#[allow(clippy::cast_precision_loss)] // counts of a week are small
pub fn bars(title: &str, series: &[(String, usize)]) -> String {
    let most = series.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1) as f64;
    let step = (WIDTH - LEFT) / series.len().max(1) as f64;
    let shapes = html! {
        @for (at, (name, n)) in series.iter().enumerate() {
            @let height = HEIGHT * *n as f64 / most;
            rect x=(LEFT + step * at as f64 + 1.0) y=(HEIGHT - height) width=(step - 2.0)
                height=(height) fill="currentColor" fill-opacity="0.6" {
                title { (name) ": " (n) }
            }
        }
    };
    let ends = [series.first(), series.last()].map(|one| one.map_or("", |(name, _)| name.as_str()));
    figure(title, &most.to_string(), ends, &shapes)
}

/// Days behind, a point for each release.
#[allow(clippy::cast_precision_loss)] // there are few releases
pub fn lag(title: &str, series: &[Lagging]) -> String {
    if series.is_empty() {
        return String::new();
    }
    let most = series.iter().map(|one| one.row.days).fold(1.0, f64::max);
    let step = (WIDTH - LEFT) / series.len().max(2) as f64;
    let place = |at: usize, days: f64| {
        (LEFT + step * (at as f64 + 0.5), HEIGHT - (HEIGHT - 4.0) * days.max(0.0) / most)
    };
    let points: Vec<String> = series
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let (x, y) = place(at, one.row.days);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    let shapes = html! {
        polyline points=(points.join(" ")) fill="none" stroke="currentColor" stroke-width="1.5";
        @for (at, one) in series.iter().enumerate() {
            @let (x, y) = place(at, one.row.days);
            circle cx=(x) cy=(y) r="3" fill="currentColor" {
                title { (one.row.tag) ": " (one.row.days) " days, " (one.row.commits) " commits" }
            }
        }
    };
    let ends =
        [series.first(), series.last()].map(|one| one.map_or("", |one| one.row.tag.as_str()));
    figure(title, &format!("{most:.0}"), ends, &shapes)
}

fn figure(title: &str, most: &str, ends: [&str; 2], shapes: &Markup) -> String {
    html! {
        h2 { (title) }
        svg viewBox=(format!("0 -8 {WIDTH} {}", HEIGHT + 30.0)) width="100%" role="img" aria-label=(title) {
            text x="0" y="4" font-size="11" fill="currentColor" { (most) }
            text x="0" y=(HEIGHT) font-size="11" fill="currentColor" { "0" }
            line x1=(LEFT) y1=(HEIGHT) x2=(WIDTH) y2=(HEIGHT) stroke="currentColor" stroke-opacity="0.4";
            (shapes)
            text x=(LEFT) y=(HEIGHT + 16.0) font-size="11" fill="currentColor" { (ends[0]) }
            text x=(WIDTH) y=(HEIGHT + 16.0) font-size="11" fill="currentColor" text-anchor="end" { (ends[1]) }
        }
    }
    .into_string()
}
