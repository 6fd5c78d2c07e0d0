//! A window as somebody writes it.

use crate::QueryError;

/// The two ends of a window, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowSpec {
    /// The older end, which is not in the window.
    pub base: String,
    /// The newer end, which is.
    pub head: String,
}

impl WindowSpec {
    /// Reads `BASE..HEAD` or `BASE...HEAD`.
    ///
    /// # Errors
    /// [`QueryError::NoWindow`] where an end is missing.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let no_window = || QueryError::NoWindow(text.to_owned());
        let (base, head) = text.split_once("..").ok_or_else(no_window)?;
        let head = head.strip_prefix('.').unwrap_or(head);
        if base.is_empty() || head.is_empty() || head.contains("..") {
            return Err(no_window());
        }
        Ok(WindowSpec { base: base.to_owned(), head: head.to_owned() })
    }

    /// As [`Self::parse`], or from two arguments.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn from_args(first: &str, second: Option<&str>) -> Result<Self, QueryError> {
        match second {
            Some(head) if !first.contains("..") => {
                Ok(WindowSpec { base: first.to_owned(), head: head.to_owned() })
            }
            Some(head) => Err(QueryError::NoWindow(format!("{first} {head}"))),
            None => Self::parse(first),
        }
    }
}

impl std::fmt::Display for WindowSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.base, self.head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dots_and_two_arguments() {
        let window = WindowSpec { base: "v0.32.9".into(), head: "v0.32.13".into() };
        assert_eq!(WindowSpec::parse("v0.32.9..v0.32.13").unwrap(), window);
        assert_eq!(WindowSpec::parse("v0.32.9...v0.32.13").unwrap(), window);
        assert_eq!(WindowSpec::from_args("v0.32.9", Some("v0.32.13")).unwrap(), window);
        for bad in ["", "..", "v1", "v1..", "..v2", "a..b..c"] {
            assert!(WindowSpec::parse(bad).is_err(), "{bad}");
        }
        assert!(WindowSpec::from_args("a..b", Some("c")).is_err());
    }
}
