//! Where things end in a file, by how it is laid out: both upstreams are formatted by tools.

/// Whether a list that a line stands in is asked whether it holds the architecture.
pub(super) fn of_architectures(lines: &[&str], at: usize) -> bool {
    const FAR: usize = 200;
    let opened = lines.get(at.saturating_sub(FAR)..at).unwrap_or_default();
    let opens = opened.iter().rev().find(|line| !is_names(line));
    let closes = lines.iter().skip(at + 1).take(FAR).find(|line| !is_names(line));
    opens.is_some_and(|line| line.trim_end().ends_with("slices.Contains([]string{"))
        && closes.is_some_and(|line| {
            let line = line.trim();
            line.starts_with("}, ") && line.to_ascii_lowercase().contains("arch")
        })
}

/// Whether a line holds names in quotes and no more.
pub(super) fn is_names(line: &str) -> bool {
    let line = line.trim();
    line.ends_with(',') && quoted(line.trim_end_matches(',')).is_some()
}

/// The names of a list in quotes.
pub(super) fn quoted(list: &str) -> Option<Vec<&str>> {
    let all: Option<Vec<&str>> = list
        .split(',')
        .map(|one| one.trim().strip_prefix('"').and_then(|one| one.strip_suffix('"')))
        .collect();
    all.filter(|all| !all.is_empty() && all.iter().all(|one| !one.contains('"')))
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The end of what a line at the left edge declares: the first line there that closes a
/// brace, or a `;` before any brace opens.
pub(super) fn top_level_end(lines: &[&str], from: usize) -> usize {
    let mut braced = false;
    for (at, line) in lines.iter().enumerate().skip(from) {
        braced |= line.contains('{');
        let ends = match braced {
            true => at > from && line.starts_with('}') || one_line(line),
            false => line.trim_end().ends_with(';'),
        };
        if ends {
            return at;
        }
        // Another declaration begins: what this one is was not understood.
        if at > from && !braced && !line.starts_with([' ', '\t', ')']) && !line.is_empty() {
            return from;
        }
    }
    from
}

pub(super) fn one_line(line: &str) -> bool {
    line.contains('{') && line.matches('{').count() == line.matches('}').count()
}

/// The last line inside the block that a line opens, by indentation.
pub(super) fn block_end(lines: &[&str], from: usize) -> usize {
    let depth = indent(lines.get(from).copied().unwrap_or_default());
    let inside = lines.iter().enumerate().skip(from + 1);
    let end = inside.take_while(|(_, line)| line.trim().is_empty() || indent(line) > depth);
    end.last().map_or(from, |(at, _)| at)
}

/// The end of a statement: where its brackets are closed.
pub(super) fn statement_end(lines: &[&str], from: usize) -> usize {
    const LONGEST: usize = 40;
    let mut depth = 0_i64;
    for (at, line) in lines.iter().enumerate().skip(from).take(LONGEST) {
        depth += line.matches('(').count() as i64 - line.matches(')').count() as i64;
        if depth <= 0 {
            return at;
        }
    }
    from
}
