//! The commands that give the same answer again, with headwater and without.

use super::request::{Filter, GrepRequest, Within};

/// The commands.
pub(super) fn rederive(request: &GrepRequest<'_>) -> Vec<String> {
    let mut ours = String::from("headwater grep");
    let mut flags = String::new();
    let options = request.options;
    for (flag, set) in [(" -i", options.ignore_case), (" -F", options.fixed), (" -w", options.word)]
    {
        flags.push_str(if set { flag } else { "" });
    }
    ours.push_str(&flags);
    for upstream in &request.upstreams {
        ours.push_str(&format!(" --upstream {}", upstream.name));
    }
    let filter = &request.filter;
    for (flag, set) in [
        (" --all", filter.all),
        (" --merges", filter.merges),
        (" --occurrences", request.occurrences),
    ] {
        ours.push_str(if set { flag } else { "" });
    }
    let within = match request.within {
        Within::Changes => "",
        Within::Added => " --in added",
        Within::Removed => " --in removed",
        Within::Message => " --in message",
    };
    ours.push_str(within);
    for path in &filter.paths {
        ours.push_str(&format!(" --path {}", quote(path)));
    }
    if let Some(class) = &filter.class {
        ours.push_str(&format!(" --class {}", quote(class)));
    }
    for (flag, time) in [("--since", filter.since), ("--until", filter.until)] {
        if let Some(time) = time.and_then(|time| chrono::DateTime::from_timestamp(time, 0)) {
            ours.push_str(&format!(" {flag} {}", time.format("%Y-%m-%dT%H:%M:%SZ")));
        }
    }
    if let Some(author) = &filter.author {
        ours.push_str(&format!(" --author {}", quote(author)));
    }
    for pattern in &request.patterns {
        ours.push_str(&format!(" -e {}", quote(pattern)));
    }
    if let Some(window) = &filter.window {
        ours.push_str(&format!(" {window}"));
    }
    let mut commands = vec![ours];
    commands.extend(git_command(request));
    commands
}

/// The `git log` that gives the same commits, where one command does.
fn git_command(request: &GrepRequest<'_>) -> Option<String> {
    let [pattern] = &request.patterns[..] else { return None };
    let [upstream] = request.upstreams[..] else { return None };
    let Filter { all, merges, window, paths, author, since, until, class } = &request.filter;
    // Git compares dates differently, and knows no classes.
    if since.is_some() || until.is_some() || class.is_some() || request.options.word {
        return None;
    }
    let pattern = if request.options.fixed { regex::escape(pattern) } else { pattern.clone() };
    if !is_read_alike(&pattern) {
        return None;
    }
    let what = match (request.within, request.occurrences) {
        (Within::Changes, false) => format!("-G{}", quote(&pattern)),
        (Within::Changes, true) => format!("--pickaxe-regex -S{}", quote(&pattern)),
        (Within::Message, _) => format!("-E --grep={}", quote(&pattern)),
        (Within::Added | Within::Removed, _) => return None,
    };
    let case = if request.options.ignore_case { "-i " } else { "" };
    let by = author.as_ref().map_or_else(String::new, |a| format!("--author={} ", quote(a)));
    let range = match window {
        Some(window) => window.to_string(),
        None if *all => format!("{} --tags", upstream.branch),
        None => upstream.branch.clone(),
    };
    let paths: String = paths.iter().map(|path| format!(" {}", quote(path))).collect();
    let paths = if paths.is_empty() { paths } else { format!(" --{paths}") };
    let which = if *merges { "--diff-merges=first-parent -s" } else { "--no-merges" };
    Some(format!("git log {which} --oneline {case}{by}{what} {range}{paths}"))
}

/// Whether git, which reads POSIX extended expressions, reads a pattern as it is meant here.
/// Of escapes of letters it knows only a few of GNU's; groups with options, lazy repetitions
/// and sets within sets it does not.
fn is_read_alike(pattern: &str) -> bool {
    let mut before = ' ';
    let mut letters = pattern.chars();
    let mut in_set = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                // A backslash in a set is itself to POSIX.
                Some(_) if in_set => return false,
                Some(escaped) if escaped.is_alphanumeric() && !"wWsSbB".contains(escaped) => {
                    return false;
                }
                _ => before = ' ',
            },
            '?' if "(*+?}".contains(before) => return false,
            '[' if in_set => return false,
            '[' | ']' => {
                in_set = letter == '[';
                before = ' ';
            }
            other => before = other,
        }
    }
    true
}

/// A word for a shell.
pub(crate) fn quote(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{is_read_alike, quote};

    #[test]
    fn git_is_named_only_for_what_it_reads_alike() {
        for pattern in ["RepeatPenalty: +1", r"a\.b", r"\bword\b", "x{2,3}", "[^a]b?", r"f\(x\)"] {
            assert!(is_read_alike(pattern), "{pattern}");
        }
        for pattern in [r"b10\d{3}", "(?i)x", r"\p{Lu}", "a+?b", "a??", r"[\s]", "[a[bc]]", r"\x41"]
        {
            assert!(!is_read_alike(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quote("n_ctx"), "n_ctx");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote(""), "''");
    }
}
