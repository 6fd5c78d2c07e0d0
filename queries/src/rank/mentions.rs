//! What a commit's message says of other commits: that it reverts them, that it
//! mends what they broke, or their name alone.

use regex::Regex;
use serde::Serialize;

use super::RulesError;

/// Why another commit is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MentionKind {
    /// Named, no more.
    Named,
    /// Named as the cause of what is mended.
    Cause,
    /// Reverted.
    Revert,
}

/// Which commit is meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MentionTarget {
    /// The commit whose subject ends in this pull request's number.
    Pull(u32),
    /// The commit whose id starts with these digits, seven or more.
    Sha(String),
}

/// One naming of another commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Mention {
    /// Which commit.
    pub target: MentionTarget,
    /// Why.
    pub kind: MentionKind,
}

/// Finds mentions in messages.
#[derive(Debug)]
pub struct Mentions {
    name: Regex,
    cause: Regex,
    revert: Regex,
}

impl Mentions {
    /// A finder.
    ///
    /// # Errors
    /// Never in fact; its patterns are fixed.
    pub fn new() -> Result<Self, RulesError> {
        Ok(Mentions {
            name: Regex::new(
                r"(?-u:\b)([0-9a-f]{7,40})(?-u:\b)|(?:#|/pull/|(?i:PR )#?)([0-9]{2,6})(?-u:\b)",
            )?,
            cause: Regex::new(
                r"(?i)(?-u:\b)(regress\w*|broke|breaks|broken|breakage|introduced|caused|causes|bug|bugfix|missed|forgotten|forgot|mistake\w*|oversight|accident\w*|fix(es|ed)? (for|of|up|after|from)?)(?-u:\b)",
            )?,
            revert: Regex::new(
                r#"(?i)^\s*(\w+\s*:\s*)?(partial(ly)? )?revert|^\s*this reverts|reverts? (commit|pr|#)"#,
            )?,
        })
    }

    /// The commits that a message names, each once, with the strongest reason.
    /// `own` is the number of the commit's own pull request.
    pub fn of(&self, message: &str, own: Option<u32>) -> Vec<Mention> {
        let mut out: Vec<Mention> = Vec::new();
        for (at, line) in message.lines().enumerate() {
            let lower = line.trim_start();
            if lower.starts_with("Co-authored-by") || lower.starts_with("Signed-off-by") {
                continue;
            }
            let line = if at == 0 { without_own(line, own) } else { line };
            for found in self.name.captures_iter(line) {
                let target = if let Some(sha) = found.get(1) {
                    let sha = sha.as_str();
                    // Words and numbers are no ids.
                    let digits = sha.bytes().filter(u8::is_ascii_digit).count();
                    if digits == 0 || digits == sha.len() {
                        continue;
                    }
                    MentionTarget::Sha(sha.to_owned())
                } else {
                    let number = found.get(2).and_then(|m| m.as_str().parse().ok());
                    match number {
                        Some(number) if Some(number) != own => MentionTarget::Pull(number),
                        _ => continue,
                    }
                };
                let kind = if self.revert.is_match(line) {
                    MentionKind::Revert
                } else if self.cause.is_match(line) {
                    MentionKind::Cause
                } else {
                    MentionKind::Named
                };
                match out.iter_mut().find(|known| known.target == target) {
                    Some(known) => known.kind = known.kind.max(kind),
                    None => out.push(Mention { target, kind }),
                }
            }
        }
        out
    }
}

/// The subject without the number that it ends in as a squash.
fn without_own(subject: &str, own: Option<u32>) -> &str {
    let Some(own) = own else { return subject };
    let subject = subject.trim_end();
    subject.strip_suffix(&format!("(#{own})")).unwrap_or(subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(message: &str) -> Vec<Mention> {
        Mentions::new().unwrap().of(message, Some(900))
    }

    #[test]
    fn tells_reverts_from_causes_from_names() {
        let pull = |n, kind| Mention { target: MentionTarget::Pull(n), kind };
        assert_eq!(
            of("Revert \"cuda: tile the copy (#812)\" (#900)\n\nThis reverts commit 0a1b2c3d4.\n"),
            [
                pull(812, MentionKind::Revert),
                Mention {
                    target: MentionTarget::Sha("0a1b2c3d4".to_owned()),
                    kind: MentionKind::Revert
                }
            ]
        );
        assert_eq!(
            of("server: mend slots (#900)\n\nThe regression came with #877."),
            [pull(877, MentionKind::Cause)]
        );
        assert_eq!(of("docs (#900)\n\nsee #877"), [pull(877, MentionKind::Named)]);
    }

    #[test]
    fn words_numbers_and_its_own_number_are_no_mentions() {
        assert_eq!(of("fix #900 (#900)\n\ndefaced 1234567 facade"), []);
    }

    #[test]
    fn never_panics() {
        let mentions = Mentions::new().unwrap();
        proptest::proptest!(|(text in "\\PC{0,200}")| {
            let _ = mentions.of(&text, None);
        });
    }
}
