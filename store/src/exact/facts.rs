//! What can be known of a regular expression's matches without running it.

use regex_syntax::hir::{Class as HirClass, Hir, HirKind, Look};

use super::class::{Class, ClassSet, class_of};

/// What is known of every match of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Classes of the bytes that a match may hold.
    pub bytes: ClassSet,
    /// Classes that a match which is not empty may begin with.
    pub first: ClassSet,
    /// Classes that a match which is not empty may end with.
    pub last: ClassSet,
    /// A match may be empty.
    pub nullable: bool,
    /// It holds an assertion about an end of a line.
    pub anchored: bool,
    /// It holds an assertion about word characters.
    pub looks: bool,
}

impl Facts {
    /// Those of a tree that matches the empty text and nothing else.
    pub const EMPTY: Self = Self {
        bytes: ClassSet::EMPTY,
        first: ClassSet::EMPTY,
        last: ClassSet::EMPTY,
        nullable: true,
        anchored: false,
        looks: false,
    };

    fn of_bytes(bytes: ClassSet) -> Self {
        Self { bytes, first: bytes, last: bytes, nullable: false, ..Self::EMPTY }
    }

    /// The one class of all its bytes, if it asserts nothing about ends of lines.
    pub fn pure(&self) -> Option<Class> {
        if self.anchored { None } else { self.bytes.single() }
    }

    /// The facts of a tree.
    pub fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty => Self::EMPTY,
            HirKind::Literal(literal) => {
                let set = |byte: Option<&u8>| {
                    byte.map_or(ClassSet::EMPTY, |&byte| ClassSet::only(class_of(byte)))
                };
                Self {
                    bytes: literal
                        .0
                        .iter()
                        .fold(ClassSet::EMPTY, |all, byte| all.or(set(Some(byte)))),
                    first: set(literal.0.first()),
                    last: set(literal.0.last()),
                    nullable: literal.0.is_empty(),
                    ..Self::EMPTY
                }
            }
            HirKind::Class(class) => Self::of_bytes(classes_of(class)),
            HirKind::Look(look) => match look {
                Look::Start
                | Look::End
                | Look::StartLF
                | Look::EndLF
                | Look::StartCRLF
                | Look::EndCRLF => Self { anchored: true, ..Self::EMPTY },
                _ => Self { looks: true, ..Self::EMPTY },
            },
            HirKind::Repetition(repetition) => {
                let sub = Self::of(&repetition.sub);
                if repetition.max == Some(0) {
                    return Self::EMPTY;
                }
                Self { nullable: sub.nullable || repetition.min == 0, ..sub }
            }
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => parts.iter().map(Self::of).fold(Self::EMPTY, Self::then),
            HirKind::Alternation(parts) => {
                parts.iter().map(Self::of).reduce(Self::either).unwrap_or(Self::EMPTY)
            }
        }
    }

    /// The facts of this followed by the next.
    pub fn then(self, next: Self) -> Self {
        Self {
            bytes: self.bytes.or(next.bytes),
            first: if self.nullable { self.first.or(next.first) } else { self.first },
            last: if next.nullable { self.last.or(next.last) } else { next.last },
            nullable: self.nullable && next.nullable,
            anchored: self.anchored || next.anchored,
            looks: self.looks || next.looks,
        }
    }

    fn either(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.or(other.bytes),
            first: self.first.or(other.first),
            last: self.last.or(other.last),
            nullable: self.nullable || other.nullable,
            anchored: self.anchored || other.anchored,
            looks: self.looks || other.looks,
        }
    }
}

fn classes_of(class: &HirClass) -> ClassSet {
    let mut set = ClassSet::EMPTY;
    let mut add = |start: u32, end: u32| {
        for byte in start..=end.min(0x80) {
            // From 0x80 on all bytes are alike.
            set = set.or(ClassSet::only(class_of(byte as u8)));
        }
        if end >= 0x80 {
            set = set.or(ClassSet::only(Class::Word));
        }
    };
    match class {
        HirClass::Unicode(class) => {
            class.iter().for_each(|range| add(range.start().into(), range.end().into()));
        }
        HirClass::Bytes(class) => {
            class.iter().for_each(|range| add(range.start().into(), range.end().into()));
        }
    }
    set
}
