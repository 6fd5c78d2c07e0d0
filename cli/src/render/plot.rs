//! Small plots as inline SVG: readable in dark and light, since they take the text's colour.

use headwater_queries::defaults::EventRow;
use headwater_queries::digest::Lagging;
use maud::{Markup, html};

use super::text::{cut, one_line};

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
        polyline points=(points.join(" ")) fill="none" stroke="currentColor" stroke-width="1.5" {}
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

/// The life of a knob, a plot for each place that decides it: a step for each event, with
/// the release that shipped it first.
pub fn lives(events: &[EventRow]) -> String {
    let mut places: Vec<(&str, &str, &str)> = Vec::new();
    for event in events {
        let place = (event.knob.as_str(), event.scope.as_str(), event.path.as_str());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    // What users set comes before what is written of it.
    places.sort_by_key(|(_, scope, _)| (*scope == "docs", *scope == "cli-help"));
    let mut out = String::new();
    for (knob, scope, path) in places {
        let of: Vec<&EventRow> = events
            .iter()
            .filter(|e| (e.knob.as_str(), e.scope.as_str(), e.path.as_str()) == (knob, scope, path))
            .collect();
        // A single event has no course.
        if of.len() > 1 {
            out.push_str(&steps(&format!("{knob} in {path} ({scope})"), &of));
        }
    }
    if !out.is_empty() {
        let marks = "● moved, ◯ back to an earlier value, dashed: never in a final release";
        out.push_str(&html! { p.dim { (marks) } }.into_string());
    }
    out
}

/// Values from one event to the next: the newest so many, where there are more.
const STEPS: usize = 24;

#[allow(clippy::cast_precision_loss)] // there are few steps
fn steps(title: &str, events: &[&EventRow]) -> String {
    let events = events.get(events.len().saturating_sub(STEPS)..).unwrap_or(events);
    let lanes = lanes(events);
    let height = 22.0 * lanes.len() as f64 + 6.0;
    let longest = lanes.iter().map(|lane| brief(lane).chars().count()).max().unwrap_or(0);
    let left = (longest as f64 * 6.2 + 10.0).min(220.0);
    let step = (WIDTH - left) / events.len() as f64;
    let lane = |value: Option<&str>| {
        let value = value.unwrap_or(GONE);
        let at = lanes.iter().position(|one| *one == value).unwrap_or(0);
        height - 14.0 - 22.0 * at as f64
    };
    let x = |at: usize| left + step * at as f64;
    html! {
        h2 { (one_line(title)) }
        div.plot tabindex="0" { svg viewBox=(format!("0 -8 {WIDTH} {}", height + 40.0)) width="100%" role="img" aria-label=(one_line(title)) {
            @for value in &lanes {
                @let y = lane(Some(value));
                text x="0" y=(y + 4.0) font-size="11" fill="currentColor" { (brief(value)) title { (one_line(value)) } }
                line x1=(left) y1=(y) x2=(WIDTH) y2=(y) stroke="currentColor" stroke-opacity="0.15" {}
            }
            @for (at, event) in events.iter().enumerate() {
                @let y = lane(event.new.as_deref());
                @let dash = event.never_shipped.then_some("4 3");
                @if at > 0 {
                    line x1=(x(at)) y1=(lane(events[at - 1].new.as_deref())) x2=(x(at)) y2=(y) stroke="currentColor" stroke-opacity="0.6" {}
                }
                line x1=(x(at)) y1=(y) x2=(x(at + 1)) y2=(y) stroke="currentColor" stroke-width="2.5" stroke-dasharray=[dash] {}
                @if event.flips_back.is_some() {
                    circle cx=(x(at)) cy=(y) r="5" fill="none" stroke="currentColor" stroke-width="1.5" {}
                } @else {
                    circle cx=(x(at)) cy=(y) r="3" fill="currentColor" {}
                }
                circle cx=(x(at)) cy=(y) r="9" fill="transparent" { title { (told(event)) } }
                text x=(x(at)) y=(height + 8.0 + 13.0 * (at % 2) as f64) font-size="10" fill="currentColor" {
                    (one_line(event.first_shipped.as_deref().unwrap_or("not shipped")))
                }
            }
        }
        }
    }
    .into_string()
}

/// Where a value that has gone is drawn.
const GONE: &str = "none";

/// The values, lowest first where they are numbers.
fn lanes<'a>(events: &[&'a EventRow]) -> Vec<&'a str> {
    let mut lanes: Vec<&str> = Vec::new();
    for event in events {
        let value = event.new.as_deref().unwrap_or(GONE);
        if !lanes.contains(&value) {
            lanes.push(value);
        }
    }
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NEG_INFINITY);
    lanes.sort_by(|a, b| number(a).total_cmp(&number(b)));
    lanes
}

fn brief(value: &str) -> String {
    cut(&one_line(value), 34)
}

fn told(event: &EventRow) -> String {
    let value = |value: &Option<String>| value.as_deref().map_or(GONE.to_owned(), brief);
    let mut told = format!(
        "{} {}: {} → {}, {}",
        event.date.format("%Y-%m-%d"),
        event.sha.short(),
        value(&event.old),
        value(&event.new),
        match &event.first_shipped {
            Some(tag) => format!("first in {}", one_line(tag)),
            None => "in no tag yet".to_owned(),
        }
    );
    if event.never_shipped {
        told.push_str(", never in a final release");
    }
    if let Some(sha) = event.flips_back {
        told.push_str(&format!(", back to what {} left", sha.short()));
    }
    told
}

fn figure(title: &str, most: &str, ends: [&str; 2], shapes: &Markup) -> String {
    html! {
        h2 { (title) }
        div.plot tabindex="0" { svg viewBox=(format!("0 -8 {WIDTH} {}", HEIGHT + 30.0)) width="100%" role="img" aria-label=(title) {
            text x="0" y="4" font-size="11" fill="currentColor" { (most) }
            text x="0" y=(HEIGHT) font-size="11" fill="currentColor" { "0" }
            line x1=(LEFT) y1=(HEIGHT) x2=(WIDTH) y2=(HEIGHT) stroke="currentColor" stroke-opacity="0.4" {}
            (shapes)
            text x=(LEFT) y=(HEIGHT + 16.0) font-size="11" fill="currentColor" { (ends[0]) }
            text x=(WIDTH) y=(HEIGHT + 16.0) font-size="11" fill="currentColor" text-anchor="end" { (ends[1]) }
        } }
    }
    .into_string()
}
