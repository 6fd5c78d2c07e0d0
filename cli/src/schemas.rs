//! The documents that `--format json` prints, each with its JSON Schema, which is made from
//! the very types that are printed.

use headwater_queries::brief::Brief;
use headwater_queries::defaults::DefaultsAnswer;
use headwater_queries::digest::Digest;
use headwater_queries::doctor::Diagnosis;
use headwater_queries::measure::Plan;
use headwater_queries::models::{EffectsAnswer, ModelAnswer};
use headwater_queries::rig::{RigLog, RigReport};
use headwater_queries::search::SearchAnswer;
use headwater_queries::shipping::{ContainsAnswer, Lag};
use headwater_queries::show::Shown;
use headwater_queries::why::WhyReport;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use crate::answers::{file, grep, grep_lines, pins, status};
use crate::commands::{
    classify, doctor, grep_notes, model, observe, receipts, reports, rules, schema, why,
};
use crate::serve::Problem;

/// A kind of document.
pub struct Document {
    /// Its name: `why` of `headwater/why/1`.
    pub name: &'static str,
    /// The version in its `schema` field: it grows only where a name or a meaning changes.
    pub version: u32,
    /// The command that prints it.
    pub command: &'static str,
    /// The schemas of its shapes: more than one where what is asked decides.
    shapes: &'static [fn(&mut SchemaGenerator) -> Schema],
}

/// One shape of a document.
fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

macro_rules! documents {
    ($($name:literal $version:literal $command:literal: $($shape:ty),+;)*) => {
        /// Every kind of document, by name.
        pub const ALL: &[Document] = &[$(Document {
            name: $name,
            version: $version,
            command: $command,
            shapes: &[$(of::<$shape>),+],
        }),*];
    };
}

documents! {
    "brief" 1 "headwater brief": Brief;
    "classify" 1 "headwater classify": classify::Answer;
    "contains" 1 "headwater contains": ContainsAnswer;
    "defaults" 1 "headwater defaults": DefaultsAnswer;
    "digest" 1 "headwater digest": Digest;
    "doctor" 1 "headwater doctor": Diagnosis;
    "doctor-live" 1 "headwater doctor --live": doctor::Hosts;
    "effects" 1 "headwater effects": EffectsAnswer;
    "error" 1 "headwater serve, for a question with format=json that is not answered": Problem;
    "file" 1 "headwater file": file::Document<'static>;
    "grep" 1 "headwater grep, grep --at and grep --in notes":
        grep::Document<'static>, grep::TreeDocument<'static>, grep_notes::NotesDocument<'static>;
    "grep-ndjson" 1 "headwater grep --format ndjson, a line each":
        grep_lines::Line<'static>, grep_lines::TreeLine<'static>, grep_lines::NotesLine<'static>;
    "lag" 1 "headwater lag": Lag;
    "model" 1 "headwater model NAME": ModelAnswer;
    "models" 1 "headwater model": model::List;
    "observe" 1 "headwater observe": observe::Answer<'static>;
    "pins" 1 "headwater pins": pins::Pins;
    "plan" 1 "headwater plan": Plan;
    "receipts" 1 "headwater receipts": receipts::Receipts<'static>;
    "report" 1 "headwater reports show": reports::Kept<'static>;
    "reports" 1 "headwater reports": reports::Reports;
    "reports-recheck" 1 "headwater reports recheck": reports::Rechecked<'static>;
    "rig" 1 "headwater rig": RigReport;
    "rig-log" 1 "headwater rig log": RigLog;
    "rules" 1 "headwater rules list": rules::List;
    "rules-explain" 1 "headwater rules explain": rules::Explained;
    "rules-explain-rule" 1 "headwater rules explain --rule": rules::RuleExplained;
    "rules-test" 1 "headwater rules test": rules::Test;
    "schemas" 1 "headwater schema": schema::List;
    "search" 1 "headwater search": SearchAnswer;
    "show" 1 "headwater show": Shown;
    "speeds" 1 "headwater why --speeds, where the table has no step": why::Speeds;
    "status" 1 "headwater status": status::Status;
    "why" 1 "headwater why and headwater demo": WhyReport;
}

impl Document {
    /// The document of a name, which may be written as its `schema` field is.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|one| one.name == name || one.id() == name)
    }

    /// What its `schema` field says.
    pub fn id(&self) -> String {
        format!("headwater/{}/{}", self.name, self.version)
    }

    /// What it is, in a sentence: what the type's documentation begins with.
    pub fn about(&self) -> String {
        let schema = self.schema();
        let text = schema["description"].as_str().unwrap_or_default();
        text.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Its JSON Schema (2020-12).
    pub fn schema(&self) -> Value {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut shapes: Vec<Value> =
            self.shapes.iter().map(|shape| shape(&mut generator).to_value()).collect();
        for shape in &mut shapes {
            // Of a stream only the last line names it, and says so itself.
            if shape["properties"]["schema"].is_object() {
                shape["properties"]["schema"]["const"] = self.id().into();
            }
        }
        let about = shapes.first().map(|shape| shape["description"].clone()).unwrap_or_default();
        let mut whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.id(),
            "description": about,
        });
        match (shapes.pop(), shapes.is_empty()) {
            (Some(Value::Object(only)), true) => {
                for (name, value) in only {
                    whole[name] = value;
                }
            }
            (last, _) => {
                shapes.extend(last);
                whole["anyOf"] = shapes.into();
            }
        }
        let named = generator.take_definitions(true);
        if !named.is_empty() {
            whole["$defs"] = named.into();
        }
        // The type's name in Rust says nothing to who reads the document.
        whole["title"] = self.id().into();
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field in a schema that has no description. A variant's own stands for those of
    /// the fields that tell it from others.
    fn undescribed(at: &str, schema: &Value, variant: bool, found: &mut Vec<String>) {
        let Some(object) = schema.as_object() else { return };
        let told = variant && object.contains_key("description");
        for (name, inner) in object {
            match (name.as_str(), inner) {
                ("properties", Value::Object(fields)) => {
                    for (field, schema) in fields {
                        let at = format!("{at}.{field}");
                        if schema.get("description").is_none() && !told {
                            found.push(at.clone());
                        }
                        undescribed(&at, schema, false, found);
                    }
                }
                ("$defs", Value::Object(all)) => {
                    for (name, schema) in all {
                        undescribed(name, schema, false, found);
                    }
                }
                (name, Value::Array(all)) => {
                    for one in all {
                        undescribed(at, one, name == "oneOf", found);
                    }
                }
                (_, inner) => undescribed(at, inner, false, found),
            }
        }
    }

    #[test]
    fn every_field_of_every_document_is_described() {
        for document in ALL {
            let mut found = Vec::new();
            undescribed(document.name, &document.schema(), false, &mut found);
            assert_eq!(found, Vec::<String>::new(), "{}", document.name);
            assert!(!document.about().is_empty(), "{}", document.name);
        }
    }

    #[test]
    fn no_two_types_of_a_document_share_a_name() {
        for document in ALL {
            let schema = document.schema();
            let names = schema["$defs"].as_object().into_iter().flatten().map(|(name, _)| name);
            let doubled: Vec<&String> =
                names.filter(|name| name.ends_with(|c: char| c.is_ascii_digit())).collect();
            // A number behind a name tells a reader nothing: give one of the types another.
            assert!(doubled.is_empty(), "{}: {doubled:?}", document.name);
        }
    }

    #[test]
    fn every_document_that_the_source_names_is_here() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = vec![root.join("src"), root.join("../queries/src")];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                for (_, rest) in
                    text.match_indices("\"headwater/").map(|(at, m)| text.split_at(at + m.len()))
                {
                    let Some((name, rest)) = rest.split_once('/') else { continue };
                    let version: String = rest.chars().take_while(char::is_ascii_digit).collect();
                    if !name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
                        || version.is_empty()
                    {
                        continue;
                    }
                    seen += 1;
                    assert!(
                        Document::find(&format!("headwater/{name}/{version}")).is_some(),
                        "{name}/{version} in {}",
                        path.display()
                    );
                }
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
