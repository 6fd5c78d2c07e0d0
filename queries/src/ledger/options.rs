//! The options that an upstream's own parser takes at one version: which flags and
//! variables there are, what each sets, and which programs hear it. A way back that the
//! parser would refuse is none.

use std::sync::Arc;

use headwater_store::objects::ObjectReader;
use headwater_store::{Oid, StoreError};
use regex::{Captures, Regex};
use serde::Deserialize;

use super::rules::Extractors;
use super::value;

/// Where an upstream declares its options, and how. Each key but `begins` and `programs`'
/// names is a regular expression that is matched within one option's own text.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionRule {
    /// The upstream.
    pub upstream: String,
    /// The files in which they may be: the first that has any is read.
    pub paths: Vec<String>,
    /// How each option begins, as text.
    begins: String,
    /// Where one ends, if not where the next begins.
    #[serde(default)]
    ends: Option<String>,
    /// Group `names`: its flags, each in quotes; group `negative`: those that turn it off.
    names: String,
    /// Group `env`: its environment variable.
    #[serde(default)]
    env: Option<String>,
    /// Group `field`: what it sets, with what that lies in; group `value`: to what.
    sets: String,
    /// What reads it; group `takes` is the type of the value that follows its flag.
    handler: String,
    /// It is refused.
    #[serde(default)]
    removed: Option<String>,
    /// Group `when`: comparisons of the value with a number, joined by `||`; a value that
    /// meets one is refused.
    #[serde(default)]
    refuses: Option<String>,
    /// Group `programs`: those that alone take it, parted by commas.
    #[serde(default)]
    programs: Option<String>,
    /// Group `programs`: those that do not take it.
    #[serde(default)]
    except: Option<String>,
    /// The names that stand for a program that serves models.
    #[serde(default)]
    serving: Vec<String>,
}

/// What an upstream's parser does not have.
const NEVER: &str = r"[^\s\S]";

/// The rule's patterns.
struct Patterns {
    ends: Regex,
    names: Regex,
    env: Regex,
    sets: Regex,
    handler: Regex,
    removed: Regex,
    refuses: Regex,
    compared: Regex,
    programs: Regex,
    except: Regex,
    flag: Regex,
}

impl OptionRule {
    fn patterns(&self) -> Result<Patterns, regex::Error> {
        let of = |pattern: &Option<String>| Regex::new(pattern.as_deref().unwrap_or(NEVER));
        Ok(Patterns {
            ends: of(&self.ends)?,
            names: Regex::new(&self.names)?,
            env: of(&self.env)?,
            sets: Regex::new(&self.sets)?,
            handler: Regex::new(&self.handler)?,
            removed: of(&self.removed)?,
            refuses: of(&self.refuses)?,
            compared: Regex::new(
                r"\A\s*\w+\s*(?P<sign>[<>=!]=|[<>])\s*(?P<number>-?[\d.]+)f?\s*\z",
            )?,
            programs: of(&self.programs)?,
            except: of(&self.except)?,
            flag: Regex::new("\"(?P<flag>-[^\"\\s]+)\"")?,
        })
    }

    /// Whether its patterns are right.
    pub(super) fn check(&self) -> Result<(), String> {
        self.patterns().map(drop).map_err(|error| error.to_string())
    }
}

/// What follows an option's flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// Nothing: the flag alone sets what it sets.
    Nothing,
    /// Nothing, but another flag sets the opposite.
    Switch,
    /// A value.
    Value,
}

/// One option.
#[derive(Debug, Clone)]
struct Row {
    names: Vec<String>,
    negative: Vec<String>,
    env: Option<String>,
    takes: Takes,
    /// What it sets, and to what.
    sets: Vec<(Field, String)>,
    /// The programs that alone take it; all where empty.
    programs: Vec<String>,
    serves: bool,
    removed: bool,
    refuses: Vec<Refused>,
}

/// Numbers that an option's own code refuses.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Refused {
    Below(f64),
    Above(f64),
    UpTo(f64),
    From(f64),
    Equal(f64),
    Unequal(f64),
}

impl Refused {
    fn of(sign: &str, number: f64) -> Option<Self> {
        Some(match sign {
            "<" => Refused::Below(number),
            ">" => Refused::Above(number),
            "<=" => Refused::UpTo(number),
            ">=" => Refused::From(number),
            "==" => Refused::Equal(number),
            "!=" => Refused::Unequal(number),
            _ => return None,
        })
    }

    fn meets(self, value: f64) -> bool {
        match self {
            Refused::Below(number) => value < number,
            Refused::Above(number) => value > number,
            Refused::UpTo(number) => value <= number,
            Refused::From(number) => value >= number,
            Refused::Equal(number) => value == number,
            Refused::Unequal(number) => value != number,
        }
    }
}

/// The options of one version.
#[derive(Debug, Clone, Default)]
pub(crate) struct OptionTable(Vec<Row>);

/// How a value is set: what stands after a program's name, and what in its environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Setting {
    /// `--flag value`, or the flag alone.
    pub flag: Option<String>,
    /// `NAME=value`.
    pub env: Option<String>,
}

impl OptionTable {
    /// Reads a file that declares options.
    pub(crate) fn read(text: &str, rule: &OptionRule) -> Result<Self, regex::Error> {
        let patterns = rule.patterns()?;
        let own = text.split(rule.begins.as_str()).skip(1);
        Ok(OptionTable(own.filter_map(|own| row(own, rule, &patterns)).collect()))
    }

    /// Whether an option of this name sets a knob.
    pub(crate) fn sets(&self, option: &str, knob: &str) -> bool {
        let knob = Field::of(knob);
        let named = self.0.iter().filter(|row| row.names.iter().any(|name| name == option));
        named.flat_map(|row| &row.sets).any(|(field, _)| field.is(&knob))
    }

    /// The programs that alone take the option for a field, where none of them serves
    /// models; `None` where one does, or where nothing is said of it.
    pub(crate) fn only_others(&self, knob: &str) -> Option<Vec<String>> {
        let knob = Field::of(knob);
        let mut found: Vec<String> = Vec::new();
        for row in self.0.iter().filter(|row| row.sets.iter().any(|(field, _)| field.is(&knob))) {
            if row.serves {
                return None;
            }
            for name in &row.programs {
                if !found.contains(name) {
                    found.push(name.clone());
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// How a program that serves models is told this value of a knob, which goes by these
    /// flags and variables elsewhere; nothing where no option of its does that.
    pub(super) fn setting(&self, knob: &str, also: &[&str], value: &str) -> Setting {
        let heard = || self.0.iter().filter(|row| row.serves && !row.removed);
        let own = knob.rsplit('.').next().unwrap_or(knob);
        let field = Field::of(knob);
        let mut rows: Vec<&Row> = match knob.starts_with('-') {
            true => heard().filter(|row| row.names.iter().any(|name| name == knob)).collect(),
            false => heard().filter(|row| row.sets.iter().any(|(f, _)| f.is(&field))).collect(),
        };
        if rows.is_empty() {
            // What it sets is not seen where a function does it.
            let known = |row: &&Row| {
                row.sets.is_empty()
                    && row.names.iter().chain(&row.env).any(|name| also.contains(&name.as_str()))
            };
            rows = heard().filter(known).collect();
        }
        let like = |name: &str| value::likeness(name, own);
        rows.sort_by_key(|row| std::cmp::Reverse(row.names.iter().map(|name| like(name)).max()));
        let set = rows.iter().filter_map(|row| row.setting(knob, &field, value, &like));
        let mut out = Setting::default();
        for one in set {
            out.flag = out.flag.or(one.flag);
            out.env = out.env.or(one.env);
        }
        out
    }
}

impl Row {
    fn setting<K: Ord>(
        &self,
        knob: &str,
        field: &Field,
        value: &str,
        like: &dyn Fn(&str) -> K,
    ) -> Option<Setting> {
        if value.parse().is_ok_and(|number| self.refuses.iter().any(|one| one.meets(number))) {
            return None;
        }
        let best = |all: &[String]| {
            let long = all.iter().filter(|name| name.starts_with("--"));
            long.max_by_key(|name| like(name)).or(all.first()).cloned()
        };
        let on = match value {
            "true" | "enabled" => Some(true),
            "false" | "disabled" => Some(false),
            _ => None,
        };
        let (flag, said) = match (self.takes, on) {
            // Which words stand for a truth is the option's own business.
            (Takes::Value, None) => {
                (best(&self.names).map(|flag| format!("{flag} {value}")), value)
            }
            (Takes::Value, Some(_)) | (Takes::Switch, None) => return None,
            (Takes::Switch, Some(true)) => (best(&self.names), "true"),
            (Takes::Switch, Some(false)) => (best(&self.negative), "false"),
            // One that sets much at once is no way back to one of them.
            (Takes::Nothing, _) => {
                let [(sets, to)] = self.sets.as_slice() else { return None };
                if to != value || !sets.is(field) && !knob.starts_with('-') {
                    return None;
                }
                (best(&self.names), "true")
            }
        };
        let env = self.env.as_ref().map(|env| format!("{env}={said}"));
        Some(Setting { flag, env })
    }
}

fn row(own: &str, rule: &OptionRule, patterns: &Patterns) -> Option<Row> {
    let own = patterns.ends.find(own).map_or(own, |end| &own[..end.start()]);
    let found = patterns.names.captures(own)?;
    let group = |found: &Captures<'_>, name: &str| {
        found.name(name).map(|all| all.as_str().to_owned()).unwrap_or_default()
    };
    let flags = |text: &str| -> Vec<String> {
        patterns.flag.captures_iter(text).map(|flag| group(&flag, "flag")).collect()
    };
    let list = |pattern: &Regex| -> Vec<String> {
        let named = pattern.captures(own).map(|found| group(&found, "programs"));
        let named = named.unwrap_or_default();
        named.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
    };
    let takes = match patterns.handler.captures(own).map(|found| group(&found, "takes")) {
        Some(kind) if kind == "bool" => Takes::Switch,
        Some(kind) if !kind.is_empty() => Takes::Value,
        _ => Takes::Nothing,
    };
    let refuses = patterns
        .refuses
        .captures_iter(own)
        .flat_map(|found| {
            let when = group(&found, "when");
            when.split("||").map(str::to_owned).collect::<Vec<_>>()
        })
        .filter_map(|one| {
            let found = patterns.compared.captures(&one)?;
            Refused::of(&group(&found, "sign"), group(&found, "number").parse().ok()?)
        })
        .collect();
    let programs = list(&patterns.programs);
    let serving = |name: &String| rule.serving.contains(name);
    let sets = patterns.sets.captures_iter(own);
    Some(Row {
        names: flags(&group(&found, "names")),
        negative: flags(&group(&found, "negative")),
        env: patterns.env.captures(own).map(|found| group(&found, "env")),
        takes,
        sets: sets.map(|set| (Field::of(&group(&set, "field")), group(&set, "value"))).collect(),
        serves: (programs.is_empty() || programs.iter().any(serving))
            && !list(&patterns.except).iter().any(serving),
        programs,
        removed: patterns.removed.is_match(own),
        refuses,
    })
}

/// A field's name, and that of what it lies in, without their marks and capitals.
#[derive(Debug, Clone)]
struct Field {
    inside: String,
    last: String,
}

impl Field {
    fn of(name: &str) -> Self {
        let (inside, last) = match name.rsplit_once('.') {
            Some((owner, last)) => (owner.rsplit('.').next().unwrap_or(owner), last),
            None => ("", name),
        };
        Field { inside: value::spelling(inside), last: value::spelling(last) }
    }

    /// Whether a field that an option sets is a knob: `sampling.temp` is
    /// `common_params_sampling.temp`, and `draft.n_min` is not `ngram.n_min`.
    fn is(&self, knob: &Field) -> bool {
        self.last == knob.last && (knob.inside.is_empty() || knob.inside.contains(&self.inside))
    }
}

impl Extractors {
    /// The options of an upstream as a tree's own parser has them: none at all where the
    /// tree has no file of which a rule says that they are there. `None` where no rule says
    /// where that is, the file is not stored, or it declares them in another way.
    pub(crate) fn options(
        &self,
        upstream: &str,
        tree: Oid,
        objects: &mut ObjectReader,
    ) -> Result<Option<Arc<OptionTable>>, StoreError> {
        let rules = self.options.iter().filter(|rule| rule.upstream == upstream);
        let places = rules.flat_map(|rule| rule.paths.iter().map(move |path| (rule, path)));
        let (mut known, mut there) = (false, false);
        for (rule, path) in places {
            known = true;
            let entry = match objects.entry(tree, path) {
                Err(StoreError::NoObject { .. }) => return Ok(None),
                Err(error) => return Err(error),
                Ok(None) => continue,
                Ok(Some(entry)) => entry,
            };
            there = true;
            let found = self.kept.options(upstream, entry.oid, || {
                let Some(text) = objects.blob(entry.oid)? else { return Ok::<_, StoreError>(None) };
                // Its patterns were checked when the rule was read.
                let table = OptionTable::read(&String::from_utf8_lossy(&text), rule).ok();
                Ok(table.filter(|table| !table.0.is_empty()).map(Arc::new))
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok((known && !there).then(Arc::default))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> OptionRule {
        let extractors = Extractors::built_in().unwrap();
        extractors.options.iter().find(|rule| rule.upstream == "llama.cpp").unwrap().clone()
    }

    const TABLE: &str = r#"
add_opt(common_arg(
    {"-p", "--paper", "--paper-size"}, "N", "how large",
    [](common_params & params, int value) { params.paper = value; }
).set_env("LLAMA_ARG_PAPER"));
add_opt(common_arg(
    {"--tone"}, "TONE", "of the voice",
    [](common_params & params, const std::string & value) { params.voice.tone = read(value); }
).set_examples({LLAMA_EXAMPLE_IMATRIX}));
add_opt(common_arg(
    {"--tea"}, {"--no-tea"}, "whether there is tea",
    [](common_params & params, bool value) { params.kitchen.tea = value; }
).set_examples({LLAMA_EXAMPLE_IMATRIX, LLAMA_EXAMPLE_SERVER}).set_env("LLAMA_ARG_TEA"));
add_opt(common_arg(
    {"--no-rain"}, "no rain today",
    [](common_params & params) { params.rain = false; }
).set_env("LLAMA_ARG_NO_RAIN"));
add_opt(common_arg(
    {"--picnic"}, "all that a picnic needs",
    [](common_params & params) { params.rain = false; params.paper = 3; }
));
add_opt(common_arg(
    {"--slices"}, "N", "between 1 and 9",
    [](common_params & params, int value) {
        if (value < 1 || value > 9) {
            throw std::invalid_argument("no such cake");
        }
        params.cake = value;
    }
).set_env("LLAMA_ARG_SLICES"));
add_opt(common_arg(
    {"--guess-max", "--guess"}, "N", "it has been removed",
    [](common_params & /*params*/, int /*value*/) { arg_removed("use --bets"); }
).set_env("LLAMA_ARG_GUESS_MAX"));
add_opt(common_arg(
    {"--bets"}, "N", "how many",
    [](common_params & params, int value) { params.guess.small.n_max = value; }
));
add_opt(common_arg(
    {"--shade"}, "N", "by a function",
    [](common_params & params, int value) { set_shade(params, value); }
).set_excludes({LLAMA_EXAMPLE_SERVER}));
add_opt(common_arg(
    {"--light"}, "N", "by a function",
    [](common_params & params, int value) { set_light(params, value); }
).set_env("LLAMA_ARG_LIGHT"));
"#;

    #[test]
    fn only_what_the_parser_takes_is_a_way_back() {
        let table = OptionTable::read(TABLE, &rule()).unwrap();
        let of = |knob: &str, also: &[&str], value: &str| {
            let set = table.setting(knob, also, value);
            (set.flag.unwrap_or_default(), set.env.unwrap_or_default())
        };
        let is = |flag: &str, env: &str| (flag.to_owned(), env.to_owned());
        assert_eq!(of("common_params.paper", &[], "4"), is("--paper 4", "LLAMA_ARG_PAPER=4"));
        assert_eq!(of("--paper-size", &[], "4"), is("--paper-size 4", "LLAMA_ARG_PAPER=4"));
        // Of another program.
        assert_eq!(of("common_params_voice.tone", &["--tone"], "low"), is("", ""));
        assert_eq!(of("common_params_kitchen.tea", &[], "true"), is("--tea", "LLAMA_ARG_TEA=true"));
        assert_eq!(
            of("common_params_kitchen.tea", &[], "false"),
            is("--no-tea", "LLAMA_ARG_TEA=false")
        );
        // A flag alone says one thing, and what sets more is no way back.
        assert_eq!(
            of("common_params.rain", &[], "false"),
            is("--no-rain", "LLAMA_ARG_NO_RAIN=true")
        );
        assert_eq!(of("common_params.rain", &[], "true"), is("", ""));
        assert_eq!(of("common_params.paper", &[], "3"), is("--paper 3", "LLAMA_ARG_PAPER=3"));
        // What its own code refuses.
        assert_eq!(of("common_params.cake", &[], "9"), is("--slices 9", "LLAMA_ARG_SLICES=9"));
        assert_eq!(of("common_params.cake", &[], "-1"), is("", ""));
        assert_eq!(of("common_params.cake", &[], "10"), is("", ""));
        // Removed, and of another owner.
        assert_eq!(of("--guess-max", &["LLAMA_ARG_GUESS_MAX"], "16"), is("", ""));
        assert_eq!(of("common_params_guess_small.n_max", &[], "16"), is("--bets 16", ""));
        assert_eq!(of("common_params_guess_large.n_max", &["--bets"], "16"), is("", ""));
        // What is set is not seen: its name must be known from elsewhere.
        assert_eq!(
            of("common_params.light", &["--light"], "2"),
            is("--light 2", "LLAMA_ARG_LIGHT=2")
        );
        assert_eq!(of("common_params.light", &[], "2"), is("", ""));
        assert_eq!(of("common_params.shade", &["--shade"], "2"), is("", ""));
    }

    #[test]
    fn a_parser_that_compares_names_is_read_by_the_rule_of_its_time() {
        let extractors = Extractors::built_in().unwrap();
        let rule = extractors.options.iter().find(|rule| rule.paths[0].ends_with("server.cpp"));
        let text = r#"
        if (arg == "-p" || arg == "--paper" || arg == "--paper_size") {
            if (++i >= argc) { break; }
            params.paper = std::stoi(argv[i]);
        } else if (arg == "--no-rain") {
            params.rain = false;
        } else {
            fprintf(stderr, "unknown argument");
        }
        params.n_draft = 5;
        "#;
        let table = OptionTable::read(text, rule.unwrap()).unwrap();
        let of = |knob: &str, value: &str| table.setting(knob, &["LLAMA_ARG_PAPER"], value);
        assert_eq!(of("gpt_params.paper", "4").flag.unwrap(), "--paper 4");
        assert_eq!(of("gpt_params.paper", "4").env, None);
        assert_eq!(of("gpt_params.rain", "false").flag.unwrap(), "--no-rain");
        assert_eq!(of("gpt_params.n_draft", "5"), Setting::default());
    }

    #[test]
    fn an_option_of_other_programs_is_known() {
        let table = OptionTable::read(TABLE, &rule()).unwrap();
        assert_eq!(
            table.only_others("common_params_voice.tone"),
            Some(vec!["LLAMA_EXAMPLE_IMATRIX".to_owned()])
        );
        let of = |knob: &str| table.only_others(knob);
        assert_eq!((of("paper"), of("kitchen.tea"), of("nothing")), (None, None, None));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(
            text in "(add_opt\\(common_arg\\(|\\{\"-{0,2}[a-zé]{0,4}\"\\}|[,(){}\"=;]|params\\.a\\.b|\\PC{0,6}){0,24}",
            knob in "\\PC{0,12}",
        ) {
            let table = OptionTable::read(&text, &rule()).unwrap();
            let _ = (table.setting(&knob, &[], "1"), table.only_others(&knob));
        }
    }
}
