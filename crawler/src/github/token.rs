//! A token for GitHub, where the user has one: it is shown to the API host alone, never
//! printed and never stored.

use std::process::{Command, Stdio};

/// A token and where it is from. It does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
    place: &'static str,
}

impl Token {
    /// The token as it is sent.
    pub(super) fn secret(&self) -> &str {
        &self.text
    }

    /// Where it is from: a variable's name, or the command that printed it.
    pub fn place(&self) -> &'static str {
        self.place
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Token(from {})", self.place)
    }
}

/// The token of `GH_TOKEN`, `GITHUB_TOKEN` or `gh auth token`, in this order, as GitHub's
/// own command line looks for it
/// (<https://cli.github.com/manual/gh_help_environment>).
pub fn find(environment: &dyn Fn(&str) -> Option<String>) -> Option<Token> {
    for place in ["GH_TOKEN", "GITHUB_TOKEN"] {
        if let Some(token) = environment(place).and_then(|text| usable(&text, place)) {
            return Some(token);
        }
    }
    let printed = Command::new("gh")
        .args(["auth", "token"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    usable(&String::from_utf8_lossy(&printed.stdout), "gh auth token")
}

/// A token has no spaces and nothing that could end a header.
fn usable(text: &str, place: &'static str) -> Option<Token> {
    let text = text.trim();
    let fits = !text.is_empty() && text.len() < 1024 && text.bytes().all(|b| b.is_ascii_graphic());
    fits.then(|| Token { text: text.to_owned(), place })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_usable_one_counts_and_none_prints_itself() {
        let env = |name: &str| match name {
            "GH_TOKEN" => Some("two words".to_owned()),
            "GITHUB_TOKEN" => Some("secret\n".to_owned()),
            _ => None,
        };
        let token = find(&env).unwrap();
        assert_eq!((token.secret(), token.place()), ("secret", "GITHUB_TOKEN"));
        assert!(!format!("{token:?}").contains("secret"));
    }
}
