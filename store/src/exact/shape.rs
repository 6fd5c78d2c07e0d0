//! What can be told of a pattern's tree without running it.

use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, HirKind, Look};

/// The length of the longest text that every match holds, case aside.
pub(super) fn longest_literal(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Repetition(repetition) if repetition.min > 0 => longest_literal(&repetition.sub),
        HirKind::Capture(capture) => longest_literal(&capture.sub),
        HirKind::Alternation(parts) => parts.iter().map(longest_literal).min().unwrap_or(0),
        HirKind::Concat(parts) => {
            let (mut best, mut run) = (0, 0);
            for part in parts {
                // Letters in either case stand one by one, as small classes.
                run = match part.kind() {
                    HirKind::Literal(literal) => run + literal.0.len(),
                    HirKind::Class(class) if class.minimum_len() == Some(1) && is_letter(class) => {
                        run + 1
                    }
                    HirKind::Look(_) => run,
                    _ => {
                        best = best.max(longest_literal(part));
                        0
                    }
                };
                best = best.max(run);
            }
            best
        }
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) | HirKind::Repetition(_) => 0,
    }
}

/// Whether a class is one letter in all its cases.
fn is_letter(class: &Class) -> bool {
    match class {
        Class::Unicode(class) => {
            class.ranges().len() <= 3 && class.iter().all(|range| range.start() == range.end())
        }
        Class::Bytes(class) => {
            class.ranges().len() <= 2 && class.iter().all(|range| range.start() == range.end())
        }
    }
}

/// A tree that matches in hunks where `hir` matches in the lines themselves: the sign stands
/// between the beginning of a line and its text. `None` where a match may be empty, or asks
/// for the beginning of a line in another place than its own beginning.
pub(super) fn signed(hir: &Hir) -> Option<Hir> {
    let sign = || {
        let range = |byte| ClassBytesRange::new(byte, byte);
        Hir::class(Class::Bytes(ClassBytes::new([range(b'+'), range(b'-')])))
    };
    let anchored = |hir: &Hir| hir.properties().look_set().contains(Look::StartLF);
    match hir.kind() {
        _ if !anchored(hir) => {
            hir.properties().minimum_len().is_some_and(|len| len > 0).then(|| hir.clone())
        }
        HirKind::Look(Look::StartLF) => Some(Hir::concat(vec![hir.clone(), sign()])),
        HirKind::Capture(capture) => signed(&capture.sub),
        HirKind::Alternation(parts) => {
            Some(Hir::alternation(parts.iter().map(signed).collect::<Option<_>>()?))
        }
        HirKind::Concat(parts) => {
            let (first, rest) = parts.split_first()?;
            if !anchored(first) || rest.iter().any(anchored) {
                return None;
            }
            let first = signed(first)?;
            Some(Hir::concat(std::iter::once(first).chain(rest.iter().cloned()).collect()))
        }
        _ => None,
    }
}
