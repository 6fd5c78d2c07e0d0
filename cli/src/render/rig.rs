//! What a log tells, for a screen, as Markdown and as HTML.

use headwater_queries::rig::{Flag, RigLog};

use super::page::Page;

/// Flags whose values lie in somebody's home: the file's name says enough.
const PATHS: &[&str] = &["--model", "-m", "--mmproj", "--spec-draft-model", "--lora"];

/// The whole log.
pub fn log(page: &mut Page<'_>, name: &str, log: &RigLog) {
    page.headline(&log.penalties.says);
    page.heading("Versions", "");
    for version in &log.versions {
        let commit = version.commit.as_ref().map_or_else(String::new, |c| format!(" ({c})"));
        page.say(0, &format!("{} {}{commit}, line {}", version.of, version.version, version.line));
    }
    if log.versions.is_empty() {
        page.say(0, "the log names none");
    }
    if !log.chains.is_empty() {
        page.heading("Samplers", "?name is an empty link, which costs nothing");
    }
    for chain in &log.chains {
        let links: Vec<String> = chain
            .samplers
            .iter()
            .map(|one| if one.active { one.name.clone() } else { format!("?{}", one.name) })
            .collect();
        page.say(
            0,
            &format!("{} × {} (first in line {})", chain.requests, links.join(" -> "), chain.line),
        );
    }
    for params in &log.params {
        let values: Vec<String> =
            params.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
        page.say(
            0,
            &format!("{} × {} (first in line {})", params.requests, values.join(", "), params.line),
        );
    }
    if !log.launches.is_empty() {
        page.heading("Started", "the flags in use; ports are left out");
    }
    for launch in &log.launches {
        let flags: Vec<String> = launch.flags.iter().map(flag).collect();
        page.say(
            0,
            &format!(
                "{} × {} {} (first in line {})",
                launch.times,
                launch.program,
                flags.join(" "),
                launch.line
            ),
        );
    }
    if !log.settings.is_empty() {
        page.heading("What the engine says of itself", "");
    }
    for setting in &log.settings {
        page.say(0, &format!("{} {}, line {}", setting.name, setting.value, setting.line));
    }
    if !log.environment.is_empty() {
        page.heading("The server's settings", "those that are set");
    }
    for setting in &log.environment {
        page.say(0, &format!("{}={}", setting.name, setting.value));
    }
    page.heading("Read", "");
    page.say(0, &format!("{name}: {} lines", log.lines));
    for note in &log.notes {
        page.say(0, note);
    }
}

fn flag(flag: &Flag) -> String {
    match &flag.value {
        Some(value) if PATHS.contains(&flag.flag.as_str()) => {
            let file = value.rsplit(['/', '\\']).next().unwrap_or(value);
            format!("{} {file}", flag.flag)
        }
        Some(value) => format!("{} {value}", flag.flag),
        None => flag.flag.clone(),
    }
}
