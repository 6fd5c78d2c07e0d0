//! A value's tokens without what is only a way of writing: layout, casts, suffixes.

use super::lex::{self, Kind};

/// A value's meaning without layout: numbers in one form, names joined over `::`,
/// trailing commas and comments dropped.
pub(super) fn parts(value: &str) -> Vec<(String, Kind)> {
    let mut out: Vec<(String, Kind)> = Vec::new();
    for token in lex::tokens(value, 0).filter(|t| t.kind != Kind::Comment) {
        let text = match token.kind {
            Kind::Number => number(token.text),
            Kind::Word if token.text == "NULL" => "nullptr".to_owned(),
            Kind::Text | Kind::Char => format!("\"{}\"", lex::unquote(token.text)),
            _ => token.text.to_owned(),
        };
        // `a::b` is one name.
        if token.kind == Kind::Word && out.len() >= 3 {
            let n = out.len();
            if out[n - 1].0 == ":" && out[n - 2].0 == ":" && out[n - 3].1 == Kind::Word {
                out.truncate(n - 2);
                out[n - 3].0.push('_');
                out[n - 3].0.push_str(&text);
                continue;
            }
        }
        // Where a member lives says nothing: `params.x` and `params.sampling.x` are `x`.
        if token.kind == Kind::Word && out.len() >= 2 {
            let n = out.len();
            let arrow = n >= 3 && out[n - 1].0 == ">" && out[n - 2].0 == "-";
            let owner = if arrow { n - 3 } else { n - 2 };
            if (arrow || out[n - 1].0 == ".") && out[owner].1 == Kind::Word {
                out.truncate(owner);
            }
        }
        if matches!(token.text, "}" | ")" | "]") && out.last().is_some_and(|l| l.0 == ",") {
            out.pop();
        }
        // A cast or constructor around a string says nothing.
        out.push((text, token.kind));
    }
    strip_string_constructor(&mut out);
    strip_casts(&mut out);
    negate_comparisons(&mut out);
    out
}

/// `!(a == b)` is `a != b`, and the other way round.
fn negate_comparisons(out: &mut Vec<(String, Kind)>) {
    let is = |token: Option<&(String, Kind)>, text: &str| token.is_some_and(|t| t.0 == text);
    let mut at = 0;
    while at + 1 < out.len() {
        if !(is(out.get(at), "!") && is(out.get(at + 1), "(")) {
            at += 1;
            continue;
        }
        let mut depth = 0u32;
        let mut compared = Vec::new();
        let mut several = false;
        let close = (at + 1..out.len()).find(|n| {
            let next = out.get(n + 1);
            match out[*n].0.as_str() {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "=" | "!" if depth == 1 && is(next, "=") => compared.push(*n),
                "&" | "|" | "<" | ">" if depth == 1 => several = true,
                _ => {}
            }
            depth == 0
        });
        if let (Some(close), [sign], false) = (close, compared.as_slice(), several) {
            let other = if out[*sign].0 == "=" { "!" } else { "=" };
            out[*sign].0 = other.to_owned();
            out.remove(close);
            out.drain(at..at + 2);
        }
        at += 1;
    }
}

/// Go's ways of writing a number as text, and casts, say nothing of the number; nor
/// does a text's case, or whether a name is called or read.
fn strip_casts(out: &mut Vec<(String, Kind)>) {
    const CASTS: &[&str] = &[
        "int",
        "uint",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "Itoa",
        "FormatUint",
        "FormatInt",
        "ToLower",
        "ToUpper",
        "TrimSpace",
    ];
    let mut at = 0;
    while at + 1 < out.len() {
        let word = out[at].1 == Kind::Word;
        if word && out[at + 1].0 == "(" && out.get(at + 2).is_some_and(|t| t.0 == ")") {
            out.drain(at + 1..at + 3);
            continue;
        }
        let sprintf = out[at].0 == "Sprintf"
            && out.get(at + 2).is_some_and(|t| t.0 == "\"%d\"")
            && out.get(at + 3).is_some_and(|t| t.0 == ",");
        if word && out[at + 1].0 == "(" && (CASTS.contains(&out[at].0.as_str()) || sprintf) {
            let mut depth = 0u32;
            let close = (at + 1..out.len()).find(|n| {
                match out[*n].0.as_str() {
                    "(" => depth += 1,
                    ")" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0
            });
            let Some(close) = close else { return };
            // The base of a number that is written out.
            let base = out[at].0.starts_with("Format") && out[close - 1].0 == "10";
            out.drain(if base { close - 2..close + 1 } else { close..close + 1 });
            out.drain(at..at + if sprintf { 4 } else { 2 });
            continue;
        }
        at += 1;
    }
}

fn strip_string_constructor(out: &mut Vec<(String, Kind)>) {
    if out.len() == 4
        && matches!(out[0].0.as_str(), "std_string" | "string")
        && out[1].0 == "("
        && out[3].0 == ")"
    {
        out.swap(0, 2);
        out.truncate(1);
    }
}

/// A number in one form: `1.0f`, `1.`, `1` and `0x1` are one; what is no number
/// stays.
pub(crate) fn number(text: &str) -> String {
    let clean = text.replace(['\'', '_'], "").to_ascii_lowercase();
    if let Some(hex) = clean.strip_prefix("0x") {
        let digits = hex.trim_end_matches(['u', 'l']);
        return u64::from_str_radix(digits, 16).map_or(clean.clone(), |n| n.to_string());
    }
    let digits = clean.trim_end_matches(['f', 'u', 'l']);
    match digits.parse::<f64>() {
        Ok(n) if n.is_finite() => n.to_string(),
        _ => clean,
    }
}
