//! Searching history.

use headwater_store::evidence::{Absence, Claim, Coverage, Grade, Method, Source};
use headwater_store::exact::Pattern;
use headwater_store::{Oid, Store, StoredCommit};

use super::answer::{CommitHits, GrepAnswer, LineHit};
use super::candidates::candidates;
use super::explain::Explanation;
use super::request::{GrepRequest, Within};
use super::scope::Commits;
use super::verify::{Check, map};
use super::{messages, request};
use crate::QueryError;

/// The commits that match, and nothing more.
///
/// # Errors
/// Where a pattern or a filter is wrong, or the store fails.
pub fn commits(
    store: &Store,
    request: &GrepRequest<'_>,
) -> Result<(Vec<Oid>, Vec<Explanation>), QueryError> {
    let pattern = request.pattern()?;
    let check = Check::of(request, &pattern)?;
    let (mut found, mut explanations) = (Vec::new(), Vec::new());
    for upstream in &request.upstreams {
        let scope = Commits::of(store, request, upstream)?;
        if request.within == Within::Message {
            let hits = messages::search(store, &scope, &pattern, 1)?;
            found.extend(hits.into_iter().map(|(place, _)| scope.list[place].oid));
            continue;
        }
        let filtered = check.globs.is_some();
        let first = check.index_suffices() && !filtered;
        let told = candidates(store, &scope, &pattern, request.jobs, first)?;
        let known = told.exact && check.index_suffices();
        if known && !filtered {
            found.extend(told.texts.iter().map(|texts| scope.list[texts.commit].oid));
        } else {
            let hits = map(store, &check, &told.texts, request.jobs, |reader, texts| {
                reader.any(texts, known)
            })?;
            let hits = told.texts.iter().zip(hits).filter(|(_, hit)| *hit);
            found.extend(hits.map(|(texts, _)| scope.list[texts.commit].oid));
        }
        explanations.push(told.explanation);
    }
    Ok((found, explanations))
}

/// The lines that match, with what was searched.
///
/// # Errors
/// Where a pattern or a filter is wrong, or the store fails.
pub fn grep(store: &Store, request: &GrepRequest<'_>) -> Result<GrepAnswer, QueryError> {
    let pattern = request.pattern()?;
    let check = Check::of(request, &pattern)?;
    let mut answer = GrepAnswer {
        commits: Vec::new(),
        coverage: Vec::new(),
        rederive: rederive(request),
        explanation: Vec::new(),
    };
    for upstream in &request.upstreams {
        let scope = Commits::of(store, request, upstream)?;
        let mut hits = if request.within == Within::Message {
            messages::search(store, &scope, &pattern, check.most)?
        } else {
            changes(store, request, &scope, &pattern, &check, &mut answer)?
        };
        // Newest first, as git tells history.
        hits.sort_by_key(|(place, _)| std::cmp::Reverse(scope.list[*place].committed));
        let ids: Vec<_> = hits.iter().map(|(place, _)| scope.list[*place].id).collect();
        let stored = store.commits(scope.id, &ids)?;
        let coverage = scope.coverage(store)?;
        let grade = grade(stored.first(), &coverage, &answer.rederive);
        answer.coverage.push(scope.told(store, coverage, grade)?);
        for (commit, (_, lines)) in stored.into_iter().zip(hits) {
            let place = store.place(commit.id())?;
            answer.commits.push(CommitHits {
                upstream: upstream.name.clone(),
                sha: commit.commit().oid,
                date: commit.commit().committed,
                subject: commit.commit().subject().to_owned(),
                first_tag: place.and_then(|place| place.first_tag),
                lines,
            });
        }
    }
    Ok(answer)
}

fn changes(
    store: &Store,
    request: &GrepRequest<'_>,
    scope: &Commits<'_>,
    pattern: &Pattern,
    check: &Check<'_>,
    answer: &mut GrepAnswer,
) -> Result<Vec<(usize, Vec<LineHit>)>, QueryError> {
    let told = candidates(store, scope, pattern, request.jobs, false)?;
    let lines = map(store, check, &told.texts, request.jobs, |reader, texts| {
        let lines = reader.lines(texts)?;
        // A pattern whose number of matches changes may match no changed line's own text
        // twice; the commit counts all the same.
        Ok((!lines.is_empty() || check.occurrences && reader.any(texts, false)?, lines))
    })?;
    answer.explanation.push(told.explanation);
    let found = told.texts.iter().zip(lines).filter(|(_, (hit, _))| *hit);
    Ok(found.map(|(texts, (_, lines))| (texts.commit, lines)).collect())
}

/// The grade is computed from what stands under the answer, never chosen.
fn grade(first: Option<&StoredCommit>, coverage: &Coverage, rederive: &[String]) -> Grade {
    match first {
        Some(commit) => {
            let evidence = commit.evidence();
            Claim::new("it is there", Source::FirstParty, Method::Search, evidence, vec![]).grade()
        }
        None => {
            let coverage = coverage.clone();
            Absence::new("it is not there", Method::Search, coverage, rederive.to_vec()).grade()
        }
    }
}

/// The commands that give the same answer, with headwater and without.
fn rederive(request: &GrepRequest<'_>) -> Vec<String> {
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
    let request::Filter { all, merges, window, paths, author, since, until } = &request.filter;
    if *merges || since.is_some() || until.is_some() || request.options.word {
        return None;
    }
    let pattern = if request.options.fixed { regex::escape(pattern) } else { pattern.clone() };
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
    Some(format!("git log --no-merges --oneline {case}{by}{what} {range}{paths}"))
}

/// A word for a shell.
fn quote(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quote("n_ctx"), "n_ctx");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quote(""), "''");
    }
}
