//! How a line falls into runs.
//!
//! A *run* is a longest stretch of bytes of one class inside a line. Every byte of
//! a character beyond ASCII is a word byte, so a character never falls apart.

/// What a byte is to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// `[A-Za-z0-9_]` and every byte from 0x80 on.
    Word = 1,
    /// Everything else that is not blank: punctuation, and stray control bytes.
    Mark = 2,
    /// ASCII white space. Not indexed.
    Blank = 4,
}

/// The class of a byte. A line feed, which ends a line, counts as blank.
pub const fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | 0x80.. => Class::Word,
        b' ' | b'\t'..=b'\r' => Class::Blank,
        _ => Class::Mark,
    }
}

const TABLE: [Class; 256] = {
    let mut table = [Class::Word; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = class_of(byte as u8);
        byte += 1;
    }
    table
};

/// A set of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassSet(u8);

impl ClassSet {
    /// No class.
    pub const EMPTY: Self = Self(0);
    /// Every class: nothing is known.
    pub const ANY: Self = Self(7);

    /// The set of one class.
    pub const fn only(class: Class) -> Self {
        Self(class as u8)
    }

    /// Both sets together.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the class is in the set.
    pub const fn has(self, class: Class) -> bool {
        self.0 & class as u8 != 0
    }

    /// Whether no class is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The class, if there is exactly one.
    pub const fn single(self) -> Option<Class> {
        match self.0 {
            1 => Some(Class::Word),
            2 => Some(Class::Mark),
            4 => Some(Class::Blank),
            _ => None,
        }
    }
}

/// Calls `each` with the class, start and end of every run of a line that is indexed.
#[inline]
pub fn each_run(line: &[u8], mut each: impl FnMut(Class, usize, usize)) {
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let class = TABLE[byte as usize];
        let start = at;
        at += 1;
        while at < line.len() && TABLE[line[at] as usize] == class {
            at += 1;
        }
        if class != Class::Blank {
            each(class, start, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_falls_into_words_and_marks() {
        let line = "\tparams->n_ctx = é2; //";
        let mut runs = Vec::new();
        each_run(line.as_bytes(), |class, start, end| runs.push((class, &line[start..end])));
        assert_eq!(
            runs,
            [
                (Class::Word, "params"),
                (Class::Mark, "->"),
                (Class::Word, "n_ctx"),
                (Class::Mark, "="),
                (Class::Word, "é2"),
                (Class::Mark, ";"),
                (Class::Mark, "//"),
            ]
        );
    }
}
