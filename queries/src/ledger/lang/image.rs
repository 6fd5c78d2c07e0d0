//! Container files: arguments, base images, environment, versions of packages.

use std::collections::BTreeMap;

use regex::Regex;

use super::Found;

/// The defaults of a container file. A stage's base image is a knob of its stage;
/// the last stage's is what runs.
pub(crate) fn image(text: &str, environment: &Regex, packages: &Regex) -> Vec<Found> {
    let mut out = Vec::new();
    let mut stage = 0usize;
    let mut stage_name = String::new();
    // What each named stage is built on, through other stages.
    let mut bases: BTreeMap<String, String> = BTreeMap::new();
    let instructions = read(text);
    let last = instructions.iter().filter(|i| i.1 == "FROM").count();
    for (at, word, rest) in instructions {
        match word.as_str() {
            "ARG" => {
                let bare = rest.split_whitespace().next().is_some_and(|w| !w.contains('='));
                let pairs = if bare { Vec::new() } else { environment_of(&rest) };
                for (name, value) in pairs {
                    out.push(Found::new(name, value.trim_start_matches("docker.io/"), at));
                }
            }
            "FROM" => {
                stage += 1;
                let words: Vec<_> =
                    rest.split_whitespace().filter(|w| !w.starts_with("--")).collect();
                let Some(base) = words.first() else { continue };
                let name = words
                    .iter()
                    .position(|w| w.eq_ignore_ascii_case("as"))
                    .and_then(|n| words.get(n + 1));
                stage_name = name.map_or_else(|| format!("stage {stage}"), |n| (*n).to_owned());
                let of_stage = bases.get(*base).cloned().or_else(|| of_stages(base, &bases));
                let image = of_stage.clone().unwrap_or_else(|| (*base).to_owned());
                if let Some(name) = name {
                    bases.insert((*name).to_owned(), image.clone());
                }
                let knob = if stage == last {
                    "FROM final".to_owned()
                } else if of_stage.is_some() {
                    continue; // it stands on what another stage tells
                } else {
                    format!("FROM {stage_name}")
                };
                // The registry that is meant where none is named.
                out.push(Found::new(knob, image.trim_start_matches("docker.io/"), at));
            }
            "ENV" => {
                for (name, value) in environment_of(&rest) {
                    if environment.is_match(&name) {
                        out.push(Found::new(format!("ENV {name}"), value, at));
                    }
                }
            }
            "RUN" => {
                for found in packages.captures_iter(&rest) {
                    if let (Some(name), Some(value)) = (found.name("knob"), found.name("value")) {
                        let knob = format!("{} in {stage_name}", name.as_str());
                        out.push(Found::new(knob, value.as_str(), at));
                    }
                }
            }
            _ => {}
        }
    }
    out
}

/// The architectures that a builder puts in the place of a variable.
const ARCHITECTURES: &[&str] = &["amd64", "arm64", "arm", "386", "ppc64le", "s390x", "riscv64"];

/// What the stages are built on that a name with an architecture's variable in it can mean.
fn of_stages(base: &str, bases: &BTreeMap<String, String>) -> Option<String> {
    let (before, rest) = base.split_once('$')?;
    let (variable, after) = match rest.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => (rest, ""),
    };
    if !variable.ends_with("ARCH") {
        return None;
    }
    let mut images: Vec<&str> = ARCHITECTURES
        .iter()
        .filter_map(|architecture| bases.get(&format!("{before}{architecture}{after}")))
        .map(String::as_str)
        .collect();
    images.sort_unstable();
    images.dedup();
    (!images.is_empty()).then(|| images.join(" / "))
}

fn environment_of(rest: &str) -> Vec<(String, String)> {
    let first = rest.split_whitespace().next().unwrap_or_default();
    if !first.contains('=') {
        let value = rest.trim_start().strip_prefix(first).unwrap_or_default().trim();
        return vec![(first.to_owned(), value.to_owned())];
    }
    let mut out: Vec<(String, String)> = Vec::new();
    let mut quoted = false;
    for word in rest.split_whitespace() {
        match word.split_once('=').filter(|_| !quoted) {
            Some((name, value)) => out.push((name.to_owned(), value.to_owned())),
            None => {
                if let Some(last) = out.last_mut() {
                    last.1.push(' ');
                    last.1.push_str(word);
                }
            }
        }
        quoted ^= word.matches('"').count() % 2 == 1;
    }
    for pair in &mut out {
        pair.1 = pair.1.trim_matches('"').trim().to_owned();
    }
    out
}

/// The instructions, continued lines joined, comments dropped.
fn read(text: &str) -> Vec<(usize, String, String)> {
    let mut out: Vec<(usize, String, String)> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let body = bare.strip_suffix('\\');
        let part = body.unwrap_or(bare).trim();
        match out.last_mut() {
            Some(last) if open => {
                last.2.push(' ');
                last.2.push_str(part);
            }
            _ => {
                let (word, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
                out.push((start, word.to_uppercase(), rest.trim().to_owned()));
            }
        }
        open = body.is_some();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_arguments_bases_and_packages() {
        let text = "ARG TOOL=12.4\nFROM base:8 AS build\nENV PATH=/a:$PATH CFLAGS=\"-O2 -g\"\nRUN dnf install \\\n  # c\n  gcc-toolset-11-gcc git\nFROM build AS more\nFROM docker.io/small:1\n";
        let found = image(
            text,
            &Regex::new("FLAGS").unwrap(),
            &Regex::new(r"(?P<knob>gcc-toolset)-(?P<value>\d+)").unwrap(),
        );
        let told: Vec<_> = found.iter().map(|f| (f.knob.as_str(), f.value.as_str())).collect();
        assert_eq!(
            told,
            [
                ("TOOL", "12.4"),
                ("FROM build", "base:8"),
                ("ENV CFLAGS", "-O2 -g"),
                ("gcc-toolset in build", "11"),
                ("FROM final", "small:1")
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "(\\PC{0,12}|(ARG|FROM|ENV|RUN) |=|\"|\\\\\n|\n){0,16}") {
            let _ = image(&text, &Regex::new("").unwrap(), &Regex::new("(?P<knob>a)(?P<value>b)?").unwrap());
        }
    }
}
