//! Code that was there, and now runs on another condition.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

use headwater_store::model::{Line, Side};

use super::{Found, fact, is_condition, line_tokens, runs, text};
use crate::classify::lexer::Token;
use crate::classify::view::{FileView, HunkView, Kind, View};

/// The facts that are found here.
pub(super) const NAMES: [&str; 3] = ["gated-by-environment", "gated-by-new-flag", "hardware-test"];

/// The flags that a commit declares, off at first; found when first asked for.
pub(super) type NewFlags<'v> = OnceCell<HashSet<&'v [u8]>>;

pub(super) fn find<'v>(
    view: &'v View<'_>,
    flags: &NewFlags<'v>,
    file: &FileView<'_>,
    hunk: &HunkView<'_>,
    facts: &mut Vec<Found>,
) {
    guards(view, flags, file, hunk, facts);
    for (old, new) in runs(hunk) {
        variables(file, &old, &new, facts);
        hardware(file, &old, &new, facts);
    }
}

/// Where a condition stands to the code that was there.
#[derive(PartialEq, Eq)]
enum Holds {
    /// The code is in its branch.
    Around,
    /// Its branch returns before the code.
    Before,
}

/// Whether a condition holds where a variable or flag is not set.
fn asks_for_nothing(tokens: &[Token<'_>]) -> bool {
    let not =
        tokens.windows(2).any(|pair| pair[0] == Token::Mark(b'!') && pair[1] != Token::Mark(b'='));
    let is = tokens.windows(3).any(|three| {
        three[0] == Token::Mark(b'=')
            && three[1] == Token::Mark(b'=')
            && matches!(
                three[2],
                Token::Name(b"nullptr" | b"NULL" | b"false") | Token::Text(b"\"\"")
            )
    });
    not != is
}

/// New conditions above lines that were there: those lines are indented anew, or stay
/// while the condition returns before them.
fn guards<'v>(
    view: &'v View<'_>,
    flags: &NewFlags<'v>,
    file: &FileView<'_>,
    hunk: &HunkView<'_>,
    facts: &mut Vec<Found>,
) {
    let lines = &hunk.hunk.lines;
    for (at, (line, kind)) in lines.iter().zip(&hunk.kinds).enumerate() {
        if line.side != Side::Added || *kind != Kind::Code {
            continue;
        }
        let tokens = line_tokens(line);
        if tokens.first() != Some(&Token::Name(b"if")) {
            continue;
        }
        let mut rest = lines
            .iter()
            .zip(&hunk.kinds)
            .skip(at + 1)
            .filter(|(_, kind)| !matches!(kind, Kind::Comment | Kind::Blank | Kind::Log));
        let holds = match (rest.next(), rest.next()) {
            (Some((next, Kind::Same)), _) if next.side == Side::Added => Holds::Around,
            (Some((next, _)), _)
                if next.side == Side::Added && next.text.trim_ascii().starts_with(b"return") =>
            {
                Holds::Before
            }
            (_, Some((next, Kind::Same))) if next.side == Side::Added => Holds::Around,
            _ => continue,
        };
        // Only where nothing is set does the code that was there no longer run: around it
        // stands "if set", or before it "if not set, return".
        if asks_for_nothing(&tokens) != (holds == Holds::Before) {
            continue;
        }
        if let Some(variable) = environment(&tokens) {
            let found = fact("gated-by-environment", variable, file, line);
            facts.push(Found { passing: found.passing || hunk.fresh[at], ..found });
        } else if let Some(flag) = single_flag(&tokens)
            && flags.get_or_init(|| new_flags(view)).contains(flag)
        {
            let flag = String::from_utf8_lossy(flag).into_owned();
            facts.push(fact("gated-by-new-flag", flag, file, line));
        }
    }
}

/// Conditions on an environment variable that became ones on another variable.
fn variables(file: &FileView<'_>, old: &[&Line<'_>], new: &[&Line<'_>], facts: &mut Vec<Found>) {
    let of = |lines: &[&Line<'_>]| -> Vec<String> {
        let all = lines.iter().map(|line| line_tokens(line));
        all.filter(|tokens| is_condition(tokens))
            .filter_map(|tokens| environment(&tokens))
            .collect()
    };
    let (was, is) = (of(old), of(new));
    if let ([was], [is]) = (&was[..], &is[..])
        && was != is
        && let Some(line) = new.iter().find(|line| environment(&line_tokens(line)).is_some())
    {
        facts.push(fact("gated-by-environment", is.clone(), file, line));
    } else if let Some(variable) = decided_by_variable(old, new)
        && let Some(line) = new.iter().find(|line| environment(&line_tokens(line)).is_some())
    {
        facts.push(fact("gated-by-environment", variable, file, line));
    }
}

/// A decision that was made from something else, and now asks a name that an environment
/// variable gave its value just before.
fn decided_by_variable(old: &[&Line<'_>], new: &[&Line<'_>]) -> Option<String> {
    let conditions = |lines: &[&Line<'_>]| -> Vec<HashSet<Vec<u8>>> {
        let all = lines.iter().map(|line| line_tokens(line));
        let names = |tokens: Vec<Token<'_>>| {
            tokens
                .iter()
                .filter_map(|t| if let Token::Name(n) = t { Some(n.to_vec()) } else { None })
                .collect()
        };
        all.filter(|tokens| is_condition(tokens) && environment(tokens).is_none())
            .map(names)
            .collect()
    };
    let was = conditions(old);
    if was.is_empty() || old.iter().any(|line| environment(&line_tokens(line)).is_some()) {
        return None;
    }
    let is = conditions(new);
    new.iter().find_map(|line| {
        let tokens = line_tokens(line);
        let variable = environment(&tokens)?;
        // Only whether it is set, and not what it says.
        if !tokens.iter().any(|token| matches!(token, Token::Name(b"nullptr" | b"NULL"))) {
            return None;
        }
        let equals = tokens.iter().position(|token| *token == Token::Mark(b'='))?;
        let Some(Token::Name(name)) = tokens.get(equals.checked_sub(1)?) else { return None };
        let asked = |all: &[HashSet<Vec<u8>>]| all.iter().any(|names| names.contains(*name));
        (asked(&is) && !asked(&was)).then_some(variable)
    })
}

/// The variable whose presence a condition asks for.
fn environment(tokens: &[Token<'_>]) -> Option<String> {
    tokens.windows(3).find_map(|three| match three {
        [
            Token::Name(b"getenv" | b"Getenv" | b"LookupEnv"),
            Token::Mark(b'('),
            variable @ Token::Text(_),
        ] => Some(text(variable).trim_matches('"').to_owned()),
        _ => None,
    })
}

/// The last name of a condition that asks one flag: `if (a.b)`, `if a.b {`.
fn single_flag<'a>(tokens: &[Token<'a>]) -> Option<&'a [u8]> {
    let mut flag = None;
    for token in &tokens[1..] {
        match token {
            Token::Name(name) => flag = Some(*name),
            Token::Mark(b'(' | b')' | b'{' | b'.' | b'-' | b'>' | b':') => {}
            _ => return None,
        }
    }
    flag
}

/// The names that added lines of option structs declare as `bool` or set to `false`, and
/// that stand on no other line of the patch, nor are switched on anywhere.
fn new_flags<'v>(view: &'v View<'_>) -> HashSet<&'v [u8]> {
    let mut declared = HashSet::new();
    let hunks = || view.files.iter().flat_map(|file| &file.hunks);
    for hunk in hunks() {
        for (line, section) in hunk.changed_in(false) {
            let may = line.side == Side::Added
                && (memchr::memmem::find(line.text, b"bool").is_some()
                    || memchr::memmem::find(line.text, b"false").is_some());
            if !may || !holds_options(section) {
                continue;
            }
            let tokens = line_tokens(line);
            let names = tokens.iter().filter_map(|token| match token {
                Token::Name(name) => Some(*name),
                _ => None,
            });
            if tokens.first() == Some(&Token::Name(b"bool"))
                || tokens.contains(&Token::Name(b"false"))
                || tokens.get(1) == Some(&Token::Name(b"bool"))
            {
                declared.extend(names);
            }
        }
    }
    if declared.is_empty() {
        return declared;
    }
    for line in hunks().flat_map(|hunk| &hunk.hunk.lines) {
        let tokens = line_tokens(line);
        if line.side != Side::Added || tokens.contains(&Token::Name(b"true")) {
            for token in tokens {
                if let Token::Name(name) = token {
                    declared.remove(name);
                }
            }
        }
    }
    declared
}

/// Whether a declaration is of a type that holds what somebody may ask for.
pub(super) fn holds_options(section: &[u8]) -> bool {
    let text = String::from_utf8_lossy(section).to_ascii_lowercase();
    let kinds = ["param", "option", "opts", "config", "setting", "request", "task"];
    (text.contains("struct") || text.contains("class"))
        && !text.contains("hparams")
        && kinds.iter().any(|kind| text.contains(kind))
}

/// Conditions that differ in what they ask of the hardware.
fn hardware(file: &FileView<'_>, old: &[&Line<'_>], new: &[&Line<'_>], facts: &mut Vec<Found>) {
    let of = |lines: &[&Line<'_>]| -> BTreeSet<String> {
        lines
            .iter()
            .map(|line| line_tokens(line))
            .filter(|tokens| is_condition(tokens))
            .flat_map(|tokens| hardware_words(&tokens))
            .collect()
    };
    let (was, is) = (of(old), of(new));
    if old.is_empty() || new.is_empty() || was == is {
        return;
    }
    let line = new.iter().find(|line| {
        let tokens = line_tokens(line);
        is_condition(&tokens) && !hardware_words(&tokens).is_empty()
    });
    let Some(line) = line.or(new.first()) else { return };
    let words: Vec<&str> = was.symmetric_difference(&is).map(String::as_str).collect();
    facts.push(fact("hardware-test", words.join(" "), file, line));
}

/// The words of a condition that ask for hardware. A bare `cc` does so where it is compared;
/// handed on to a function, it is that function's matter.
fn hardware_words(tokens: &[Token<'_>]) -> Vec<String> {
    let compared = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        beside
            .filter_map(|at| tokens.get(at))
            .any(|token| matches!(token, Token::Mark(b'<' | b'>' | b'=' | b'!')))
    };
    let words = tokens.iter().enumerate().filter(|(at, token)| {
        // In small letters they are values where they are quoted; else they name anything.
        let small = matches!(token, Token::Name(name) if name.starts_with(b"metal") || name.starts_with(b"cuda") || name.starts_with(b"rocm"));
        !small && is_hardware(&text(token)) && (**token != Token::Name(b"cc") || compared(*at))
    });
    words.map(|(_, token)| text(token).into_owned()).collect()
}

fn is_hardware(word: &str) -> bool {
    let bare = word.trim_matches('"');
    let kinds = [
        "CUDA",
        "ROCm",
        "rocm",
        "cuda",
        "Metal",
        "metal",
        "Vulkan",
        "gfx",
        "GGML_CUDA_CC_",
        "ADRENO_GPU_GEN",
        "GGML_BACKEND_DEVICE_TYPE_",
    ];
    matches!(
        bare,
        "Integrated"
            | "Library"
            | "IGPU"
            | "GOOS"
            | "GOARCH"
            | "cc"
            | "adreno_gen"
            | "X1E"
            | "X2E"
            | "X1"
            | "uma"
            | "is_uma"
            | "vendor_id"
            | "integrated"
    ) || kinds.iter().any(|kind| bare.starts_with(kind) && bare.len() < 40)
}
