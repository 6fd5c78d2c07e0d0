//! What a line that matches must hold, in terms of runs.
//!
//! A regular expression is read as a sequence of stretches whose bytes are all of one
//! class. Each such stretch lies inside one run of the line, so the runs that the
//! stretch can lie in are found in the dictionary of runs, by the stretch's own
//! expression, anchored where the run is known to begin or end with it.

use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::class::{Class, ClassSet};
use super::facts::Facts;

/// What must be so of a row that holds a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// Nothing is known: every row has to be read.
    Anything,
    /// No row can match.
    Never,
    /// A run of this class that the expression matches.
    Run(Class, Hir),
    /// All of these.
    All(Vec<Need>),
    /// At least one of these.
    Either(Vec<Need>),
}

/// How a pattern is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What a matching row must hold.
    pub need: Need,
    /// Rows that hold it do match: none has to be read.
    pub exact: bool,
}

impl Plan {
    /// The plan for a tree that [`Pattern`](super::Pattern) has prepared.
    pub fn of(hir: &Hir) -> Self {
        Self { need: needs(hir, ClassSet::ANY, ClassSet::ANY), exact: is_exact(hir) }
    }
}

impl std::fmt::Display for Need {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let join = |f: &mut std::fmt::Formatter<'_>, parts: &[Need], word| {
            for (index, part) in parts.iter().enumerate() {
                let nested = matches!(part, Need::All(_) | Need::Either(_));
                let (open, close) = if nested { ("(", ")") } else { ("", "") };
                write!(f, "{}{open}{part}{close}", if index > 0 { word } else { "" })?;
            }
            Ok(())
        };
        match self {
            Self::Anything => f.write_str("anything"),
            Self::Never => f.write_str("nothing"),
            Self::Run(Class::Word, hir) => write!(f, "a word with {hir}"),
            Self::Run(_, hir) => write!(f, "marks with {hir}"),
            Self::All(parts) => join(f, parts, " and "),
            Self::Either(parts) => join(f, parts, " or "),
        }
    }
}

/// A piece of a sequence.
enum Piece {
    /// Bytes of one class.
    Stretch(Class, Vec<Hir>, Facts),
    /// The beginning or the end of a line.
    Edge,
    /// Bytes of several classes.
    Mixed(Hir, Facts),
}

/// Whether every match lies inside one run, so that a run says all.
fn is_exact(hir: &Hir) -> bool {
    let facts = Facts::of(hir);
    match facts.pure() {
        // Beside a word stand only bytes that are no word characters, in its line as in
        // the dictionary: what an expression asserts of words holds there as here.
        Some(Class::Word) => !facts.nullable,
        Some(Class::Mark) => !facts.nullable && !facts.looks,
        _ => match hir.kind() {
            HirKind::Alternation(parts) => parts.iter().all(is_exact),
            _ => false,
        },
    }
}

/// What a match of the tree needs. `left` and `right` hold the classes that may stand
/// beside it in a line.
fn needs(hir: &Hir, left: ClassSet, right: ClassSet) -> Need {
    let facts = Facts::of(hir);
    match hir.kind() {
        HirKind::Alternation(parts) if facts.pure().is_none() => {
            either(parts.iter().map(|part| needs(part, left, right)).collect())
        }
        HirKind::Repetition(repetition) if facts.pure().is_none() => {
            if repetition.min == 0 {
                return Need::Anything;
            }
            // Beside one round may stand another one.
            let sub = Facts::of(&repetition.sub);
            needs(&repetition.sub, left.or(sub.last), right.or(sub.first))
        }
        HirKind::Look(_) => Need::Anything,
        // No class at all: the expression that never matches.
        HirKind::Class(_) if facts.bytes.is_empty() => Need::Never,
        HirKind::Class(_) if facts.pure().is_none() => Need::Anything,
        _ => sequence(hir, left, right),
    }
}

fn sequence(hir: &Hir, left: ClassSet, right: ClassSet) -> Need {
    let mut pieces = Vec::new();
    cut(hir, &mut pieces);
    let mut found = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let before = || beside(pieces[..index].iter().rev(), left, |facts| facts.last);
        let after = || beside(pieces[index + 1..].iter(), right, |facts| facts.first);
        match piece {
            Piece::Stretch(Class::Blank, ..) | Piece::Edge => {}
            Piece::Stretch(_, _, facts) if facts.nullable => {}
            Piece::Stretch(class, parts, _) => {
                let mut parts = parts.clone();
                if !before().has(*class) {
                    parts.insert(0, Hir::look(Look::StartLF));
                }
                if !after().has(*class) {
                    parts.push(Hir::look(Look::EndLF));
                }
                found.push(Need::Run(*class, Hir::concat(parts)));
            }
            Piece::Mixed(hir, _) => found.push(needs(hir, before(), after())),
        }
    }
    all(found)
}

/// The classes that may stand next to a place, going outwards from it.
fn beside<'a>(
    pieces: impl Iterator<Item = &'a Piece>,
    outside: ClassSet,
    side: impl Fn(&Facts) -> ClassSet,
) -> ClassSet {
    let mut classes = ClassSet::EMPTY;
    for piece in pieces {
        match piece {
            // What stands further on can match nothing but the empty text.
            Piece::Edge => return classes,
            Piece::Stretch(_, _, facts) | Piece::Mixed(_, facts) => {
                classes = classes.or(side(facts));
                if !facts.nullable {
                    return classes;
                }
            }
        }
    }
    classes.or(outside)
}

/// Cuts a sequence into pieces.
fn cut(hir: &Hir, pieces: &mut Vec<Piece>) {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().for_each(|part| cut(part, pieces)),
        HirKind::Capture(capture) => cut(&capture.sub, pieces),
        HirKind::Literal(literal) => {
            for part in
                literal.0.chunk_by(|a, b| super::class::class_of(*a) == super::class::class_of(*b))
            {
                add(Hir::literal(part), pieces);
            }
        }
        HirKind::Look(Look::Start | Look::End | Look::StartLF | Look::EndLF) => {
            pieces.push(Piece::Edge);
        }
        HirKind::Empty => {}
        _ => add(hir.clone(), pieces),
    }
}

fn add(hir: Hir, pieces: &mut Vec<Piece>) {
    let facts = Facts::of(&hir);
    // Nothing but the empty text, in whatever form: what stands around it stands together.
    if facts == Facts::EMPTY {
        return;
    }
    // An assertion about words can be told from a word alone; beside marks it is left
    // out, and the rows are read.
    let assertion = facts.bytes.is_empty() && facts.looks && !facts.anchored;
    let class = if assertion { Some(Class::Word) } else { facts.pure() };
    let Some(class) = class else {
        pieces.push(Piece::Mixed(hir, facts));
        return;
    };
    let hir = if class == Class::Word { hir } else { without_looks(&hir) };
    match pieces.last_mut() {
        Some(Piece::Stretch(last, parts, known)) if *last == class => {
            parts.push(hir);
            *known = known.then(facts);
        }
        // An assertion after marks or blanks begins a word that may stay empty.
        _ => pieces.push(Piece::Stretch(class, vec![hir], facts)),
    }
}

fn without_looks(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(without_looks(&repetition.sub)),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => without_looks(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_looks).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(without_looks).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

fn all(parts: Vec<Need>) -> Need {
    let mut flat: Vec<Need> = Vec::new();
    for part in parts {
        match part {
            Need::Anything => {}
            Need::Never => return Need::Never,
            Need::All(inner) => flat.extend(inner),
            other if flat.contains(&other) => {}
            other => flat.push(other),
        }
    }
    if flat.len() > 1 { Need::All(flat) } else { flat.pop().unwrap_or(Need::Anything) }
}

fn either(parts: Vec<Need>) -> Need {
    let mut flat: Vec<Need> = Vec::new();
    for part in parts {
        match part {
            Need::Anything => return Need::Anything,
            Need::Never => {}
            Need::Either(inner) => flat.extend(inner),
            other if flat.contains(&other) => {}
            other => flat.push(other),
        }
    }
    if flat.len() > 1 { Need::Either(flat) } else { flat.pop().unwrap_or(Need::Never) }
}
