//! When two values mean the same: literals that are written differently,
//! constants whose prefix was renamed.

use std::collections::{BTreeMap, BTreeSet};

use super::lex::{self, Kind};
pub(crate) use super::writing::number;
use super::writing::parts;

/// Words that say nothing in a constant's or function's name: projects, and kinds
/// of kinds. They come and go when enums are renamed.
const NEUTRAL: &[&str] =
    &["llama", "gpt", "common", "ggml", "llm", "type", "mode", "enum", "default", "e"];

/// Whether two values mean the same.
pub(crate) fn same(a: &str, b: &str, equal: &[Vec<String>]) -> bool {
    let empty = |v: &str| matches!(v.trim(), "\"\"" | "{}" | "{ }");
    if a == b || (empty(a) && empty(b)) {
        return true;
    }
    let listed = |set: &Vec<String>| {
        let plain = |v: &str| v.split_whitespace().collect::<String>();
        let has = |v: &str| set.iter().any(|s| plain(s) == plain(v));
        has(a) && has(b)
    };
    if equal.iter().any(listed) {
        return true;
    }
    if let (Some(a), Some(b)) = (product(a), product(b)) {
        return (a - b).abs() <= f64::EPSILON * a.abs();
    }
    // An address is no comment.
    if a.contains("://") || b.contains("://") {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        return words(a) == words(b);
    }
    let (a, b) = (parts(a), parts(b));
    if lettered(&a, &b) || lettered(&b, &a) {
        return true;
    }
    a.len() == b.len()
        && a.iter().zip(&b).all(|(x, y)| {
            x == y
                || same_word(x, y)
                || equal.iter().any(|set| set.contains(&x.0) && set.contains(&y.0))
        })
}

/// Whether two values are the same but for variables that got other names: one name for
/// one, declared as the same thing, of which the old stands nowhere around the new value,
/// nor the new around the old.
pub(crate) fn renamed(
    (a, around_a): (&str, &BTreeMap<String, String>),
    (b, around_b): (&str, &BTreeMap<String, String>),
) -> bool {
    if around_a.is_empty() || around_b.is_empty() {
        return false;
    }
    let (a, b): (Vec<_>, Vec<_>) = (lex::tokens(a, 0).collect(), lex::tokens(b, 0).collect());
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let variable = |all: &[lex::Token<'_>], at: usize| {
        let word = all[at].text;
        all[at].kind == Kind::Word
            && word.starts_with(|c: char| c.is_ascii_lowercase())
            && !(at > 0 && all[at - 1].is("."))
            && !all.get(at + 1).is_some_and(|next| next.is("(") || next.is("."))
            && !matches!(word, "true" | "false" | "nil" | "else")
    };
    let same = a.len() == b.len()
        && (0..a.len()).all(|at| {
            if a[at].text == b[at].text {
                return true;
            }
            variable(&a, at)
                && variable(&b, at)
                && *names.entry(a[at].text).or_insert(b[at].text) == b[at].text
        });
    let targets: BTreeSet<&str> = names.values().copied().collect();
    same && targets.len() == names.len()
        && names.iter().all(|(old, new)| {
            !around_b.contains_key(*old)
                && !around_a.contains_key(*new)
                && around_a.get(*old) == around_b.get(*new)
        })
}

/// Whether a text's letters stand for the names of a list, one each, in its order:
/// `"ktp"` is `{ STEP_TOP_K, STEP_TEMP, STEP_TOP_P }`.
fn lettered(text: &[(String, Kind)], list: &[(String, Kind)]) -> bool {
    let [(letters, Kind::Text)] = text else { return false };
    let letters: Vec<char> = letters.trim_matches('"').to_lowercase().chars().collect();
    let listed = list.first().is_some_and(|open| open.0 == "{" && open.1 == Kind::Punct);
    let named = list.iter().filter(|(_, kind)| *kind == Kind::Word);
    let names: Vec<Vec<String>> = named.map(|(name, _)| meaning(name)).collect();
    if !listed || letters.len() < 3 || letters.len() != names.len() {
        return false;
    }
    // Words that every name has tell none of them apart.
    let own = |name: usize| {
        names[name].iter().filter(|word| !names.iter().all(|other| other.contains(*word)))
    };
    let fits = |letter: usize, name: usize| {
        let letter = letters[letter];
        if own(name).next_back().is_some_and(|word| word.starts_with(letter)) {
            return Some(2);
        }
        let word = own(name).find(|word| word.contains(letter))?;
        Some(u32::from(word.starts_with(letter)))
    };
    let all: Option<Vec<u32>> = (0..letters.len()).map(|at| fits(at, at)).collect();
    let Some(all) = all else { return false };
    // No two may fit better the other way round.
    (0..all.len()).all(|a| {
        (0..a).all(|b| match (fits(a, b), fits(b, a)) {
            (Some(ab), Some(ba)) => ab + ba <= all[a] + all[b],
            _ => true,
        })
    })
}

/// What numbers and named units multiply to; `None` where anything else is in it.
fn product(text: &str) -> Option<f64> {
    let mut out = 1.0;
    if !text.contains('*') {
        return None;
    }
    for factor in text.split('*') {
        let factor = factor.trim();
        let name = factor.rsplit(['.', ':']).next().unwrap_or(factor);
        out *= match name {
            "KibiByte" => 1024.0,
            "MebiByte" => 1024.0 * 1024.0,
            "GibiByte" => 1024.0 * 1024.0 * 1024.0,
            "KiloByte" => 1e3,
            "MegaByte" => 1e6,
            "GigaByte" => 1e9,
            "Millisecond" => 1e6,
            "Second" => 1e9,
            "Minute" => 60e9,
            "Hour" => 3600e9,
            _ => number(factor).parse().ok()?,
        };
    }
    Some(out)
}

fn same_word(a: &(String, Kind), b: &(String, Kind)) -> bool {
    if a.1 != Kind::Word || b.1 != Kind::Word {
        return swapped(a, b) || swapped(b, a);
    }
    if let (Some(a), Some(b)) = (truth(a), truth(b)) {
        return a == b;
    }
    let (a, b) = (meaning(&a.0), meaning(&b.0));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    let (long, short) = if a.len() >= b.len() { (&a, &b) } else { (&b, &a) };
    let negates = |w: &String| matches!(w.as_str(), "no" | "not" | "non" | "un" | "disable");
    let (rest, end) = long.split_at(long.len() - short.len());
    let alike = |(a, b): (&String, &String)| {
        let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        a == b
            || (short.len() >= 4
                && short.chars().all(char::is_alphabetic)
                && long.starts_with(short.as_str()))
    };
    end.iter().zip(short.iter()).all(alike)
        && (rest.is_empty() || short.len() >= 2)
        && !rest.iter().any(negates)
}

/// A type was swapped: a text or a number where a constant or a truth value was.
fn swapped(a: &(String, Kind), b: &(String, Kind)) -> bool {
    if b.1 != Kind::Word {
        return false;
    }
    match a.1 {
        Kind::Text => meaning(&a.0) == meaning(&b.0) && !words(&a.0).is_empty(),
        Kind::Number => truth(b).is_some_and(|t| a.0 == if t { "1" } else { "0" }),
        _ => false,
    }
}

/// Whether a word says yes or no.
fn truth(word: &(String, Kind)) -> Option<bool> {
    match word.0.as_str() {
        "true" | "ON" => Some(true),
        "false" | "OFF" => Some(false),
        name => match words(name).last()?.as_str() {
            "none" | "disabled" if name.contains('_') => Some(false),
            "enabled" if name.contains('_') => Some(true),
            _ => None,
        },
    }
}

/// The part of a text from a page or a help that is the default: what follows a comma
/// or semicolon of its own explains it.
pub(crate) fn told(text: &str) -> &str {
    let mut depth = 0i32;
    let end = text.char_indices().find(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' | ';' => return depth == 0,
            _ => {}
        }
        false
    });
    let told = end.map_or(text, |(at, _)| &text[..at]).trim();
    // A bracket that nothing opened closed a text around the default.
    if told.contains('[') { told } else { told.trim_end_matches(']') }
}

/// The words of a name that carry meaning, in lower case.
fn meaning(name: &str) -> Vec<String> {
    let words = words(name);
    let kept: Vec<String> =
        words.iter().filter(|w| !NEUTRAL.contains(&w.as_str())).cloned().collect();
    if kept.is_empty() { words } else { kept }
}

/// The words of a name: split at underscores, other marks, and where capitals begin.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = ' ';
    let chars: Vec<char> = name.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            last = ' ';
            continue;
        }
        let next_lower = chars.get(i + 1).is_some_and(|n| n.is_lowercase());
        let starts = last == ' '
            || (c.is_uppercase() && (last.is_lowercase() || (last.is_uppercase() && next_lower)));
        if starts {
            out.push(String::new());
        }
        if let Some(word) = out.last_mut() {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    out
}

/// How much a flag or variable is spelled like a field: the greater, the more.
pub(super) fn likeness(name: &str, field: &str) -> (bool, usize, std::cmp::Reverse<usize>) {
    let own = words(field);
    let shared = words(name).iter().filter(|word| own.contains(word)).count();
    (spelling(name).ends_with(&spelling(field)), shared, std::cmp::Reverse(name.len()))
}

/// A spelling without its marks and capitals: `--repeat-penalty`, `RepeatPenalty`
/// and `repeat_penalty` are one.
pub fn spelling(name: &str) -> String {
    if name.is_ascii() {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        return letters.map(|c| c.to_ascii_lowercase()).collect();
    }
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_with_another_name_is_the_same_if_it_is_the_same_thing() {
        let around = |all: &[(&str, &str)]| -> BTreeMap<String, String> {
            all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
        };
        let old = around(&[("text", ""), ("fast", "env.Fast()")]);
        let new = around(&[("tok", ""), ("quick", "env.Fast()"), ("able", "gpu.Able()")]);
        assert!(renamed(("[text == nil] a", &old), ("[tok == nil] a", &new)));
        assert!(renamed(("[fast] passed", &old), ("[quick] passed", &new)));
        assert!(!renamed(("[fast] passed", &old), ("[able] passed", &new)));
        assert!(!renamed(("[text == nil] a", &old), ("[tok == nil] b.c", &new)));
        let both = around(&[("text", ""), ("tok", "")]);
        assert!(!renamed(("[text == nil] a", &both), ("[tok == nil] a", &both)));
    }

    #[test]
    fn writing_is_not_meaning() {
        for (a, b) in [
            ("1.0", "1.0f"),
            ("1.", "1"),
            ("0x10", "16"),
            ("{512}", "{ 512, }"),
            ("NULL", "nullptr"),
            ("std::string(\"a\")", "\"a\""),
            ("FOO_SPLIT_LAYER", "FOO_SPLIT_MODE_LAYER"),
            ("GPT_SAMPLER_TYPE_TOP_K", "COMMON_SAMPLER_TYPE_TOP_K"),
            ("llama_sampler_type::TOP_K", "GPT_SAMPLER_TYPE_TOP_K"),
            ("get_num_big_cores()", "cpu_get_num_big_cores()"),
            ("STEP_TYPE_TEMP", "STEP_TYPE_TEMPERATURE"),
            ("\"q8\"", "GGML_TYPE_Q8"),
            ("false", "SOME_KIND_NONE"),
            ("0", "false"),
            ("1024 * 1024 * 1024", "1 * format.GibiByte"),
            ("5 * time.Minute", "300 * time.Second"),
            ("int(env.Parallel())", "env.Parallel"),
            ("fmt.Sprintf(\"%d\", o.N)", "strconv.Itoa(opts.N)"),
            ("strconv.FormatUint(n, 10)", "strconv.Itoa(n)"),
            ("[!(f(a) == nil)] 1", "[f(a) != nil] 1"),
            ("[x && !(a != b)] 1", "[x && a == b] 1"),
            ("env.Kind()", "strings.ToLower(env.Kind())"),
            ("\"ktp\"", "{ kind::STEP_TOP_K, kind::STEP_TEMP, kind::STEP_TOP_P }"),
        ] {
            assert!(same(a, b, &[]), "{a} {b}");
        }
    }

    #[test]
    fn meaning_is_not_writing() {
        for (a, b) in [
            ("1.0", "1.1"),
            ("-1", "1"),
            ("GGML_TYPE_Q4_0", "GGML_TYPE_Q5_0"),
            ("MODE_MMAP", "MODE_AUTO"),
            ("{ A_TOP_K, A_TOP_P }", "{ A_TOP_K, A_MIN_P, A_TOP_P }"),
            ("get_num_cores()", "get_math_cpu_count()"),
            ("\"a\"", "\"b\""),
            ("true", "false"),
            ("nullptr", "false"),
            ("false", "KIND_AUTO"),
            ("256 * format.MebiByte", "457 * format.MebiByte"),
            ("A_NONE", "A_DISABLED_NOT"),
            ("\"q8\"", "GGML_TYPE_Q4"),
            ("f(a, 1)", "f(b, 1)"),
            ("[!(a == b)] 1", "[a == b] 1"),
            ("[!(a == b && c)] 1", "[a != b && c] 1"),
            ("http://a,app://b", "http://a,app://c"),
            ("\"ktp\"", "{ STEP_TOP_K, STEP_TOP_P, STEP_TEMP }"),
            ("\"ktp\"", "{ STEP_TOP_K, STEP_TEMP }"),
        ] {
            assert!(!same(a, b, &[]), "{a} {b}");
        }
        assert!(same(
            "nil",
            "TriStateUndefined",
            &[vec!["nil".into(), "TriStateUndefined".into()]]
        ));
    }

    #[test]
    fn what_explains_a_default_is_not_part_of_it() {
        assert_eq!(told("0.9, 1.0 = disabled"), "0.9");
        assert_eq!(told("max(a, b), 0 = off"), "max(a, b)");
        assert_eq!(told("a; allowed: a, b"), "a");
        assert_eq!((told("as --poll]"), told("{a[1]}")), ("as --poll", "{a[1]}"));
    }

    #[test]
    fn finds_words_in_any_case() {
        assert_eq!(words("RepeatLastN"), ["repeat", "last", "n"]);
        assert_eq!(words("UseMMap"), ["use", "m", "map"]);
        assert_eq!(words("LLAMA_ARG_FIT"), ["llama", "arg", "fit"]);
        assert_eq!(spelling("--repeat-penalty"), spelling("RepeatPenalty"));
    }
}
