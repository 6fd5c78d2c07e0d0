//! Conditions as code writes them, with what is known of their tests put in.

/// Longer conditions are not read.
const LONGEST: usize = 4000;
/// Nor are those that nest deeper.
const DEEPEST: usize = 32;

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    /// It holds, or it does not.
    Known(bool),
    /// A test that is not read further.
    Test(String),
    /// The other way round.
    Not(Box<Expression>),
    /// All of them.
    All(Vec<Expression>),
    /// One of them at least.
    Any(Vec<Expression>),
}

impl Expression {
    /// Reads a condition; what cannot be read is one test.
    pub(super) fn read(text: &str) -> Self {
        let whole = || Expression::Test(squeezed(text));
        if text.len() > LONGEST {
            return whole();
        }
        let mut reader = Reader { text, at: 0 };
        match reader.any(0) {
            Some(found) if reader.rest().trim().is_empty() => found,
            _ => whole(),
        }
    }

    /// The condition with the tests answered of which `known` says what comes of them.
    pub(super) fn with(self, known: &dyn Fn(&str) -> Option<bool>) -> Self {
        match self {
            Expression::Known(_) => self,
            Expression::Test(test) => match known(&test) {
                Some(holds) => Expression::Known(holds),
                None => Expression::Test(test),
            },
            Expression::Not(inner) => match inner.with(known) {
                Expression::Known(holds) => Expression::Known(!holds),
                Expression::Not(inner) => *inner,
                other => Expression::Not(Box::new(other)),
            },
            Expression::All(parts) => joined(parts, true, known),
            Expression::Any(parts) => joined(parts, false, known),
        }
    }
}

/// The parts without those that decide nothing; `end` is what leaves a part without a say.
fn joined(parts: Vec<Expression>, end: bool, known: &dyn Fn(&str) -> Option<bool>) -> Expression {
    let mut left: Vec<Expression> = Vec::new();
    for part in parts {
        match part.with(known) {
            Expression::Known(holds) if holds == end => {}
            Expression::Known(holds) => return Expression::Known(holds),
            other => left.push(other),
        }
    }
    match (left.len(), end) {
        (0, _) => Expression::Known(end),
        (1, _) => left.remove(0),
        (_, true) => Expression::All(left),
        (_, false) => Expression::Any(left),
    }
}

impl std::fmt::Display for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = |f: &mut std::fmt::Formatter<'_>, parts: &[Expression], by: &str| {
            f.write_str("(")?;
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    f.write_str(by)?;
                }
                write!(f, "{part}")?;
            }
            f.write_str(")")
        };
        match self {
            Expression::Known(holds) => write!(f, "{holds}"),
            Expression::Test(test) => f.write_str(test),
            Expression::Not(inner) => write!(f, "!({inner})"),
            Expression::All(parts) => all(f, parts, " && "),
            Expression::Any(parts) => all(f, parts, " || "),
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn takes(&mut self, sign: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn any(&mut self, depth: usize) -> Option<Expression> {
        let mut parts = vec![self.all(depth)?];
        while self.takes("||") {
            parts.push(self.all(depth)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn all(&mut self, depth: usize) -> Option<Expression> {
        let mut parts = vec![self.one(depth)?];
        while self.takes("&&") {
            parts.push(self.one(depth)?);
        }
        Some(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    fn one(&mut self, depth: usize) -> Option<Expression> {
        if depth > DEEPEST {
            return None;
        }
        self.skip();
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.at += 1;
            return Some(Expression::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.takes("(") {
            let inner = self.any(depth + 1)?;
            if !self.takes(")") {
                return None;
            }
            // `(a + b) > c` is no condition in brackets.
            self.skip();
            let rest = self.rest();
            let ends = rest.is_empty() || ["&&", "||", ")"].iter().any(|s| rest.starts_with(s));
            return ends.then_some(inner);
        }
        self.test()
    }

    /// Up to the next sign between conditions that no bracket or text holds.
    fn test(&mut self) -> Option<Expression> {
        let (from, mut depth, mut text) = (self.at, 0_usize, None);
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at).copied() {
            match (text, byte) {
                (Some(_), b'\\') => self.at += 1,
                (Some(open), _) if open == byte => text = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'' | b'`') => text = Some(byte),
                (None, b'(' | b'[' | b'{') => depth += 1,
                (None, b')' | b']' | b'}') if depth > 0 => depth -= 1,
                (None, b')') => break,
                (None, b'&' | b'|') if depth == 0 && bytes.get(self.at + 1) == Some(&byte) => break,
                (None, _) => {}
            }
            self.at += 1;
        }
        let test = self.text.get(from..self.at.min(self.text.len()))?;
        let test = squeezed(test);
        if test.is_empty() || depth > 0 {
            return None;
        }
        let defined = test
            .strip_prefix("defined")
            .map(|rest| rest.trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace()));
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if let Some(name) = defined.filter(|name| is_name(name)) {
            return Some(Expression::Test(name.to_owned()));
        }
        match test.split_once(" != ") {
            Some((a, b)) if !b.contains(" != ") => {
                Some(Expression::Not(Box::new(Expression::Test(format!("{a} == {b}")))))
            }
            _ => Some(Expression::Test(test)),
        }
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        let known = |test: &str| match test {
            "NO" | "d.Kind == \"no\"" => Some(false),
            "YES" => Some(true),
            _ => None,
        };
        Expression::read(text).with(&known).to_string()
    }

    #[test]
    fn what_is_known_is_put_in_and_the_rest_stays() {
        for (text, is) in [
            ("defined(A) && !defined(NO)", "A"),
            ("!defined(A) || defined NO", "!(A)"),
            ("defined(NO) && defined(A)", "false"),
            ("YES || f(a && b)", "true"),
            ("(d.Kind == \"no\" && x > 1) || (y != 2)", "!(y == 2)"),
            ("!(d.Kind == \"no\" || (a && b >= 7) || c)", "!(((a && b >= 7) || c))"),
            ("(a + b) > 2 && NO", "(a + b) > 2 && NO"),
            ("d.Kind != \"no\"", "true"),
            ("", ""),
        ] {
            assert_eq!(left(text), is, "{text}");
        }
    }

    #[test]
    fn never_panics() {
        proptest::proptest!(|(text in "[ab()!&|=\"' é]{0,60}")| {
            let _ = left(&text);
        });
    }
}
