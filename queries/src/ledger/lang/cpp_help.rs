//! C and C++: what a program's help says its options default to.

use super::Found;
use crate::ledger::entry::How;
use crate::ledger::lex::{self, Kind, Token};
use crate::ledger::tree;

/// Every option whose help holds `(default: …)`, by its longest flag.
pub(crate) fn help(text: &str) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    if !text.contains("(default") {
        return out;
    }
    let all: Vec<Token<'_>> = lex::tokens(text, 0).filter(|t| t.kind != Kind::Comment).collect();
    let mut flags: Vec<String> = Vec::new();
    let mut last_flag_end = usize::MAX;
    // The entries of the option at hand: what stands after its help names it too.
    let mut open: Vec<usize> = Vec::new();
    let mut i = 0;
    while i < all.len() {
        let token = all[i];
        if token.kind != Kind::Text {
            if token.is(".") && all.get(i + 1).is_some_and(|t| t.is("set_env")) {
                if let Some(env) = all.get(i + 3).filter(|t| t.kind == Kind::Text) {
                    name(&mut out, &open, lex::unquote(env.text));
                    i += 3;
                }
            } else if token.kind == Kind::Word
                && token.text.ends_with("params")
                && let Some(field) = assigned(&all, i)
            {
                name(&mut out, &open, field);
            }
            i += 1;
            continue;
        }
        // Adjacent literals are one text; macros between them are format letters.
        let first = i;
        let mut run = lex::unquote(token.text);
        i += 1;
        while let Some(next) = all.get(i) {
            if next.kind == Kind::Text {
                run.push_str(&lex::unquote(next.text));
            } else if !(next.kind == Kind::Word && next.text.starts_with("PRI")) {
                break;
            }
            i += 1;
        }
        let own = leading_flags(&run);
        if !own.is_empty() {
            let continues = last_flag_end != usize::MAX
                && all[last_flag_end..first].iter().all(|t| t.is(",") || t.is("{") || t.is("}"));
            if !continues {
                flags.clear();
                open.clear();
            }
            flags.extend(own);
            last_flag_end = i;
        }
        for (place, value) in defaults(&run) {
            let Some(main) = flags.iter().find(|f| f.starts_with("--")).or(flags.first()) else {
                continue;
            };
            let shown = run[..place].matches('%').count() - 2 * run[..place].matches("%%").count();
            let (value, how) = fill(&value, shown, &all, i, text);
            open.push(out.len());
            out.push(
                Found::new(main.clone(), value, token.start).with(how).named(flags.iter().cloned()),
            );
        }
    }
    out
}

fn name(out: &mut [Found], open: &[usize], name: String) {
    for &n in open {
        if let Some(found) = out.get_mut(n).filter(|f| !f.names.contains(&name)) {
            found.names.push(name.clone());
        }
    }
}

/// `params.a.b = …`: the field that an option's handler sets.
fn assigned(all: &[Token<'_>], start: usize) -> Option<String> {
    let mut i = start + 1;
    let mut field = None;
    while all.get(i)?.is(".") {
        field = Some(all.get(i + 1)?.text);
        i += 2;
    }
    let sets = all.get(i)?.is("=") && !all.get(i + 1)?.is("=");
    sets.then(|| field.map(str::to_owned))?
}

/// The flags with which a help line begins.
fn leading_flags(run: &str) -> Vec<String> {
    let run = run.trim_start_matches(['\n', ' ', '\t']);
    let mut out = Vec::new();
    if !run.starts_with('-') {
        return out;
    }
    let line = run.lines().next().unwrap_or_default();
    for word in line.split([' ', ',', '|', '=']) {
        if word.is_empty() {
            continue;
        }
        let bare = word.trim_start_matches('-');
        let dashes = word.len() - bare.len();
        let flag = (1..=2).contains(&dashes)
            && bare.starts_with(|c: char| c.is_ascii_alphabetic())
            && bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if flag {
            out.push(word.to_owned());
        } else if word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase()) {
            break; // the description has begun
        }
    }
    out
}

/// The texts after `(default:` up to its own closing bracket, and their places.
fn defaults(run: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (at, word) in run.match_indices("(default") {
        let rest = &run[at + word.len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let Some(value) = rest
            .strip_prefix([':', '='])
            .or_else(|| rest.strip_prefix(" to "))
            .or_else(|| rest.strip_prefix(" = "))
            .or_else(|| rest.strip_prefix(' '))
        else {
            continue;
        };
        let mut depth = 1;
        let end = value.char_indices().find(|(_, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        if let Some((end, _)) = end {
            out.push((at, value[..end].split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    out
}

/// Puts `inherit` where the text is filled in by the program: what it then shows
/// is decided elsewhere.
fn fill(value: &str, before: usize, all: &[Token<'_>], next: usize, text: &str) -> (String, How) {
    if !value.contains('%') {
        return (value.to_owned(), How::Literal);
    }
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        if let Some(tail) = tail.strip_prefix('%') {
            out.push('%');
            rest = tail;
            continue;
        }
        let end = tail.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'l' | 'z' | 'h'));
        out.push_str("inherit");
        rest = end.map_or("", |n| &tail[n + 1..]);
    }
    out.push_str(rest);
    // The call's arguments after the text: the one that fills the first gap.
    let mut depth = 0i32;
    let mut arguments: Vec<(usize, usize)> = Vec::new();
    for token in all.iter().skip(next) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => break,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => {
                arguments.push((token.end(), token.end()));
                continue;
            }
            ";" if depth == 0 => break,
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            last.1 = token.end();
        }
    }
    let from = arguments.get(before).map_or(String::new(), |&(a, b)| tree::flat(&text[a..b]));
    (out, How::Inherits(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_three_generations_of_help() {
        let text = r#"
            printf("  -c N, --ctx N     size (default: %d)\n", params.n_ctx);
            printf("  -ct TYPE, --cache TYPE\n");
            printf("                    the type (default: f16)\n");
            options.push_back({ "*", "-r,    --rate N", "rate (default: max(a, b), %.1f = off)", (double)params.rate });
            add_opt(common_arg({"-lm", "--mode"}, "MODE", "mode (default: auto)\n- auto: x",
                [](common_params & params, const std::string & value) { if (value == "a") { params.load.mode = A; } }
            ).set_env("ARG_MODE"));
            add_opt(common_arg({"--quiet"}, "say nothing", [](common_params & params) { params.quiet = true; }));
        "#;
        let found = help(text);
        let told: Vec<_> = found.iter().map(|f| (f.knob.as_str(), f.value.as_str())).collect();
        assert_eq!(
            told,
            [
                ("--ctx", "inherit"),
                ("--cache", "f16"),
                ("--rate", "max(a, b), inherit = off"),
                ("--mode", "auto")
            ]
        );
        assert_eq!(found[0].how, How::Inherits("params.n_ctx".into()));
        assert_eq!(found[3].names, ["-lm", "--mode", "mode", "ARG_MODE"]);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "(\\PC{0,20}|\"-{0,2}[a-z%é(]{0,9}\\(default[: =]%?[)(d ]{0,5}\"|[,{}();]){0,12}") {
            let _ = help(&text);
        }
    }
}
