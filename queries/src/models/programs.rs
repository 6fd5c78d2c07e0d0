//! Which programs take an option of an engine, as its own table of options says.

use regex::Regex;

use super::effective::TakenBy;
use crate::QueryError;

/// The programs that alone take the option for a field, where none of them serves models;
/// `None` where one does, or where the table says nothing.
pub(super) fn only_others(
    table: &str,
    field: &str,
    rule: &TakenBy,
) -> Result<Option<Vec<String>>, QueryError> {
    let bad = |e: regex::Error| QueryError::Rules {
        file: "effective.toml".to_owned(),
        why: e.to_string(),
    };
    let set = Regex::new(&rule.set.replace("{field}", &regex::escape(field))).map_err(bad)?;
    let programs = Regex::new(&rule.programs).map_err(bad)?;
    let mut found: Vec<String> = Vec::new();
    for place in set.find_iter(table) {
        // An option's own words go on to where the next one begins.
        let rest = table.get(place.end()..).unwrap_or_default();
        let own = rest.split(rule.begins.as_str()).next().unwrap_or(rest);
        let Some(named) = programs.captures(own).and_then(|c| c.name("programs")) else {
            return Ok(None);
        };
        let named = named.as_str().split(',').map(str::trim).filter(|name| !name.is_empty());
        for name in named {
            if rule.serving.iter().any(|serving| serving == name) {
                return Ok(None);
            }
            if !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "
add_opt(arg({\"--tone\"}, [](params_t & params, int v) { params.tone = v; }));
add_opt(arg({\"--paper\"}, [](params_t & params, int v) { params.paper = v; }
).set_examples({EX_PRINTER, EX_FAX}));
add_opt(arg({\"--tea\"}, [](params_t & params, int v) { params.kitchen.tea = v; }
).set_examples({EX_PRINTER, EX_SERVER}));
";

    fn rule() -> TakenBy {
        TakenBy {
            table: "arg.cpp".to_owned(),
            begins: "add_opt(".to_owned(),
            set: r"\bparams\.(\w+\.)*{field}\s*=[^=]".to_owned(),
            programs: r"set_examples\(\{(?P<programs>[^}]*)\}\)".to_owned(),
            serving: vec!["EX_SERVER".to_owned()],
        }
    }

    #[test]
    fn an_option_of_other_programs_is_known() {
        let of = |field: &str| only_others(TABLE, field, &rule()).unwrap();
        assert_eq!(of("paper"), Some(vec!["EX_PRINTER".to_owned(), "EX_FAX".to_owned()]));
        assert_eq!((of("tone"), of("tea"), of("nothing")), (None, None, None));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(table in "\\PC{0,200}", field in "\\PC{0,20}") {
            only_others(&table, &field, &rule()).unwrap();
        }
    }
}
