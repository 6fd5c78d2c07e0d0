//! Lines of a file that are for operations or architectures which the model has not: by the
//! names that they hold, and by the block that such a name opens. In doubt a line is for all.

use headwater_store::model::{FileChange, Hunk, Line, Side};
use regex::Regex;

use super::layout::{
    block_end, indent, is_names, of_architectures, quoted, statement_end, top_level_end,
};
use crate::QueryError;
use crate::why::lineage::Lineage;

/// Whose a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Anyone's.
    All,
    /// A comment's, or nobody's.
    Nobody,
    /// An operation's, by its place among those that the model is spared.
    Operation(usize),
    /// Other architectures'.
    Architecture,
}

impl Whose {
    fn is_others(self) -> bool {
        matches!(self, Whose::Operation(_) | Whose::Architecture)
    }
}

/// Reads lines of code for a model.
pub(super) struct Blocks<'l> {
    lineage: &'l Lineage,
    /// What a text holds where a name of somebody's may be.
    hint: Regex,
    word: Regex,
    constant: Regex,
    /// A condition that asks for one thing and no more.
    only_if: Regex,
}

impl<'l> Blocks<'l> {
    pub(super) fn new(lineage: &'l Lineage) -> Result<Self, QueryError> {
        let regex = |text: &str| Regex::new(text).map_err(|e| QueryError::Pattern(e.to_string()));
        let hints = lineage.spared().iter().map(|one| one.hint.as_str());
        let hint = hints.chain(["LLM_ARCH_"]).collect::<Vec<_>>().join("|");
        Ok(Blocks {
            lineage,
            hint: regex(&hint)?,
            word: regex(r"[A-Za-z_]\w*")?,
            constant: regex(r"^LLM_ARCH_(\w+)$")?,
            only_if: regex(r"^(?:\} )?(?:else )?if \(?[\w.>()-]+ == (\w+)\)? \{$")?,
        })
    }

    /// Whether each hunk speaks of what may not be the model's, as far as it can be seen
    /// without the file: the cheap question.
    pub(super) fn may_tell(&self, file: &FileChange) -> bool {
        file.parsed().iter().all(|hunk| self.may_tell_of(&file.path, hunk))
    }

    /// Whether a hunk does.
    pub(super) fn may_tell_of(&self, path: &str, hunk: &Hunk<'_>) -> bool {
        let go = path.ends_with(".go");
        let tells = |line: &Line<'_>| {
            let text = line.text_lossy();
            self.hint.is_match(&text) || go && (text.contains("case \"") || is_names(&text))
        };
        let bare =
            |line: &Line<'_>| line.side == Side::Context || super::says_nothing(&line.text_lossy());
        self.hint.is_match(&String::from_utf8_lossy(hunk.section))
            || hunk.lines.iter().any(tells)
            || hunk.lines.iter().all(bare)
    }

    fn operation(&self, word: &str) -> Option<usize> {
        self.lineage.spared().iter().position(|one| one.is_named(word))
    }

    /// Whose a name is.
    fn of_word(&self, word: &str) -> Option<Whose> {
        if let Some(at) = self.operation(word) {
            return Some(Whose::Operation(at));
        }
        let architecture = self.constant.captures(word)?.get(1)?.as_str();
        Some(match self.lineage.may_be(architecture) {
            true => Whose::All,
            false => Whose::Architecture,
        })
    }

    /// Whose the names of a line are; `None` where it names nothing of anybody.
    fn named(&self, line: &str) -> Option<Whose> {
        if !self.hint.is_match(line) {
            return None;
        }
        let mut found = None;
        for word in self.word.find_iter(line) {
            match (self.of_word(word.as_str()), found) {
                (Some(Whose::All), _) => return Some(Whose::All),
                (Some(whose), None) => found = Some(whose),
                _ => {}
            }
        }
        found
    }

    /// Whose each line of a file is.
    pub(super) fn read(&self, path: &str, text: &str) -> Vec<Whose> {
        let lines: Vec<&str> = text.lines().collect();
        let mut whose = vec![Whose::All; lines.len()];
        let go = path.ends_with(".go");
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let bare = line.trim();
            if bare.is_empty() || bare.starts_with("//") {
                set(&mut whose, at..=at, Whose::Nobody);
            } else if bare.starts_with("case ") {
                let end = self.cases(&lines, at, go, &mut whose);
                at = at.max(end);
            } else if !line.starts_with([' ', '\t', '#', '}', '/']) {
                if let Some(found) = self.declared(bare, go) {
                    set(&mut whose, at..=top_level_end(&lines, at), found);
                }
            } else if line.starts_with('}') {
                // `typedef struct {` … `} ggml_args_of_an_operation;`
                if let Some(found) = self.named(bare).filter(|found| found.is_others())
                    && let Some(from) = lines.get(..at).and_then(|before| {
                        before.iter().rposition(|l| !l.starts_with([' ', '\t']) && !l.is_empty())
                    })
                    && lines.get(from).is_some_and(|l| l.trim_end().ends_with("struct {"))
                {
                    set(&mut whose, from..=at, found);
                }
            } else if let Some(found) = self.only_for(bare) {
                // The condition's own line stays anyone's: what follows it may be another's.
                set(&mut whose, at + 1..=block_end(&lines, at), found);
            } else if let Some(found) = self.stated(bare) {
                set(&mut whose, at..=statement_end(&lines, at), found);
            }
            at += 1;
        }
        if go {
            self.lists(&lines, &mut whose);
        }
        whose
    }

    /// Whose a condition is that asks for one thing and no more.
    fn only_for(&self, line: &str) -> Option<Whose> {
        if !line.ends_with('{') || !line.contains(" == ") {
            return None;
        }
        let word = self.only_if.captures(line)?.get(1)?;
        self.of_word(word.as_str()).filter(|found| found.is_others())
    }

    /// Whose a declaration at the left edge is, by the name that it declares.
    fn declared(&self, line: &str, go: bool) -> Option<Whose> {
        let name = if go {
            let rest = line.strip_prefix("func ")?;
            let rest = match rest.strip_prefix('(') {
                Some(receiver) => receiver.split_once(") ")?.1,
                None => rest,
            };
            rest.split(['(', '[']).next()?
        } else if let Some(name) = line.strip_prefix("struct ").and_then(|l| l.strip_suffix(" {")) {
            name
        } else {
            line.split_once('(')?.0.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?
        };
        self.of_word(name).filter(|found| found.is_others())
    }

    /// Whose a statement is that names them: no condition, and nothing that returns.
    fn stated(&self, line: &str) -> Option<Whose> {
        let words =
            ["if", "else", "for", "while", "switch", "return", "do", "}", "&&", "||", "?", ":"];
        let first = line.split([' ', '(']).next().unwrap_or_default();
        if words.contains(&first)
            || line.contains("&&")
            || line.contains("||")
            || line.contains('?')
        {
            return None;
        }
        self.named(line).filter(|found| found.is_others())
    }

    /// Labels that stand together, and what is done for them; the last line of it.
    fn cases(&self, lines: &[&str], from: usize, go: bool, whose: &mut [Whose]) -> usize {
        let depth = indent(lines.get(from).copied().unwrap_or_default());
        let mut all: Option<Whose> = None;
        let mut at = from;
        let mut mixed = false;
        while let Some(line) = lines.get(at).filter(|l| l.trim().starts_with("case ")) {
            if indent(line) != depth {
                break;
            }
            let found = self.labelled(lines, at, go).unwrap_or(Whose::All);
            mixed |= found == Whose::All;
            all = all.or(Some(found));
            // What a label adds or takes is its own, whatever else is done for others: but
            // only where nothing else stands in its line.
            let label_alone = line.trim_end().ends_with(':') || line.trim_end().ends_with('{');
            if found.is_others() && (label_alone || !mixed) {
                set(whose, at..=at, found);
            }
            at += 1;
        }
        let Some(found) = all.filter(|_| !mixed) else { return at.saturating_sub(1) };
        let mut end = at.saturating_sub(1);
        while let Some(line) = lines.get(end + 1) {
            if !line.trim().is_empty() && indent(line) <= depth {
                break;
            }
            end += 1;
        }
        // The brace that the last label opened.
        let opened = at.checked_sub(1).and_then(|last| lines.get(last));
        if opened.is_some_and(|line| line.trim_end().ends_with('{'))
            && lines.get(end + 1).is_some_and(|line| line.trim_start().starts_with('}'))
        {
            end += 1;
        }
        set(whose, from..=end, found);
        end
    }

    /// Whose a label is.
    fn labelled(&self, lines: &[&str], at: usize, go: bool) -> Option<Whose> {
        let line = lines.get(at)?.trim();
        let label = line.strip_prefix("case ")?;
        if !go {
            return self.named(label.split(':').next()?);
        }
        let names = quoted(label.split_once(':')?.0)?;
        let depth = indent(lines.get(at)?);
        let before = lines.get(..at)?.iter().rev();
        let switch =
            before.clone().find(|l| indent(l) <= depth && l.trim_start().starts_with("switch "))?;
        let asks = switch.to_ascii_lowercase().contains("arch");
        let others = names.iter().all(|name| !self.lineage.may_be(name));
        (asks && others).then_some(Whose::Architecture)
    }

    /// Names in lists of architectures, a line or more each: those of others.
    fn lists(&self, lines: &[&str], whose: &mut [Whose]) {
        for (at, line) in lines.iter().enumerate() {
            if !is_names(line) {
                continue;
            }
            let others = quoted(line.trim().trim_end_matches(','))
                .is_some_and(|names| names.iter().all(|name| !self.lineage.may_be(name)));
            if others && of_architectures(lines, at) {
                set(whose, at..=at, Whose::Architecture);
            }
        }
    }
}

fn set(whose: &mut [Whose], lines: std::ops::RangeInclusive<usize>, found: Whose) {
    let last = whose.len().saturating_sub(1);
    let (from, to) = (*lines.start(), (*lines.end()).min(last));
    if let Some(part) = whose.get_mut(from..=to).filter(|_| from <= to) {
        part.iter_mut().filter(|one| **one != Whose::Nobody).for_each(|one| *one = found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the lines that are not for a model of the name.
    fn others(model: &str, path: &str, text: &str) -> Vec<usize> {
        let lineage = Lineage::of(model, None).unwrap();
        let blocks = Blocks::new(&lineage).unwrap();
        let whose = blocks.read(path, text);
        (1..=whose.len()).filter(|at| whose[at - 1].is_others()).collect()
    }

    #[test]
    fn a_function_and_a_case_of_an_operation_are_its_own() {
        let text = "\
static void compute_ssm_scan_f32(
        int a) {
    f(a);
}

static bool supports(const op * op) {
    switch (op->op) {
        case GGML_OP_SSM_SCAN: {
            return a > 1;
        }
        case GGML_OP_SSM_CONV:
        case GGML_OP_ADD:
            return b;
        default:
            return true;
    }
    return x && ggml_ssm_scan(a);
}
    GGML_API t * ggml_ssm_scan(
            int K);
";
        let found = others("gemma3:4b", "a.c", text);
        assert_eq!(found, [1, 2, 3, 4, 8, 9, 10, 11, 19, 20]);
        assert_eq!(others("qwen3-next:80b", "a.c", text), [0_usize; 0]);
        assert_eq!(others("solar", "a.c", text), [0_usize; 0]);
    }

    #[test]
    fn cases_and_conditions_of_other_architectures_are_theirs() {
        let text = "\
bool rolls_back(arch a) {
    switch (a) {
        case LLM_ARCH_QWEN35:
        case LLM_ARCH_NEMOTRON_H:
            return true;
        case LLM_ARCH_GEMMA3:
        case LLM_ARCH_LLAMA:
            return false;
    }
    if (a == LLM_ARCH_LLAMA) {
        f();
    } else if (a == LLM_ARCH_GEMMA3) {
        g();
    }
}
";
        assert_eq!(others("gemma3:4b", "a.cpp", text), [3, 4, 5, 7, 11], "{text}");
    }

    #[test]
    fn names_of_other_architectures_in_lists_are_theirs() {
        let text = "\
func (kv KV) On() bool {
	return slices.Contains([]string{
		\"gemma3\",
		\"qwen3\", \"qwen3moe\",
		\"laguna\",
	}, kv.Architecture())
}

func kinds() bool {
	return slices.Contains([]string{
		\"laguna\",
	}, kind)
}

func size(kv KV) int {
	switch kv.Architecture() {
	case \"laguna\", \"llama\":
		return 1
	case \"gemma3\":
		return 2
	}
}
";
        assert_eq!(others("gemma3:4b", "a.go", text), [4, 5, 17, 18]);
        assert_eq!(others("qwen3-coder:30b", "a.go", text), [3, 5, 17, 18, 19, 20]);
    }

    #[test]
    fn never_panics() {
        let lineage = Lineage::of("gemma3:4b", None).unwrap();
        let blocks = Blocks::new(&lineage).unwrap();
        proptest::proptest!(|(text in "((case |if |\\}|typedef struct \\{|  |\t|\"a\",|ggml_ssm_scan\\(|LLM_ARCH_LLAMA|:|\\{|;|é)*\n){0,12}")| {
            let _ = blocks.read("a.c", &text);
            let _ = blocks.read("a.go", &text);
        });
    }
}
