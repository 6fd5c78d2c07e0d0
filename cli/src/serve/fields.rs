//! What a page is asked: the fields of its address.

use anyhow::bail;

use crate::commands::backend;

/// No address that a form makes is longer.
const LONGEST: usize = 8_000;

/// What a page may be asked.
pub struct Takes {
    /// The names of its fields, besides its format.
    pub fields: &'static [&'static str],
    /// Those of them that may be given several times.
    pub several: &'static [&'static str],
    /// What it is given as, besides a page.
    pub formats: &'static [&'static str],
}

/// The fields of an address, in its order.
#[derive(Debug, Default, Clone)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a query.
    pub fn read(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.get(..LONGEST).unwrap_or(query).as_bytes());
        let pairs = pairs.map(|(name, value)| (name.into_owned(), value.trim().to_owned()));
        Fields(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }

    /// A field, where it was filled in.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
    }

    /// The same as a text of its own.
    pub fn own(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// A field, or nothing.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// All fields of a name.
    pub fn all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(one, _)| one == name).map(|(_, value)| value.clone()).collect()
    }

    /// A number.
    pub fn number(&self, name: &str) -> anyhow::Result<Option<usize>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => bail!("{name} is a number, not {text:?}"),
        }
    }

    /// A field that is one of some words.
    pub fn one_of(&self, name: &str, known: &[&str]) -> anyhow::Result<Option<&str>> {
        match self.get(name) {
            Some(given) if !known.contains(&given) => {
                bail!("{given:?} is no {name}; it is one of {}", known.join(", "))
            }
            given => Ok(given),
        }
    }

    /// The backend, by any of its spellings.
    pub fn backend(&self) -> anyhow::Result<Option<String>> {
        self.get("backend").map(backend::read).transpose()
    }

    /// Whether the page takes all of them: one that is passed over in silence is an answer
    /// to another question.
    pub fn check(&self, takes: &Takes) -> anyhow::Result<()> {
        let format = (!takes.formats.is_empty()).then_some("format");
        let known = || takes.fields.iter().copied().chain(format);
        for (name, _) in &self.0 {
            if known().all(|one| one != name) {
                let known: Vec<&str> = known().collect();
                match known.is_empty() {
                    true => bail!("this page takes no field, and none called {name:?}"),
                    false => bail!("this page has no field {name:?}; it has {}", known.join(", ")),
                }
            }
        }
        for (at, (name, _)) in self.0.iter().enumerate() {
            let before = || self.0.iter().take(at).any(|(one, _)| one == name);
            if !takes.several.contains(&name.as_str()) && before() {
                bail!("{name} is given twice; this page takes it once");
            }
        }
        match self.get("format") {
            Some(given) if !takes.formats.contains(&given) => bail!(
                "{given:?} is no format of this page; it is one of {}, or left out",
                takes.formats.join(", ")
            ),
            _ => Ok(()),
        }
    }

    /// Whether a box was ticked.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The same address with one field set anew. Whatever narrows a search begins at its
    /// first page.
    pub fn with(&self, path: &str, name: &str, value: &str) -> String {
        self.with_all(path, &[(name, value)])
    }

    /// The same with several fields.
    pub fn with_all(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let set = |one: &str| fields.iter().any(|(name, _)| *name == one);
        let page = fields.iter().all(|(name, _)| ["offset", "format", "whole"].contains(name));
        let kept = self
            .0
            .iter()
            .filter(|(one, _)| !set(one) && one != "part" && (page || one != "offset"));
        let kept = kept.map(|(one, value)| (one.as_str(), value.as_str()));
        crate::render::links::to(path, kept.chain(fields.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_changed() {
        let fields = Fields::read("q=a+b%26&path=x&path=y&class=&offset=30&part=1");
        assert_eq!((fields.text("q"), fields.all("path")), ("a b&", vec!["x".into(), "y".into()]));
        assert!(fields.get("class").is_none() && fields.is_on("part"));
        assert_eq!(fields.with("/grep", "offset", "60"), "/grep?q=a+b%26&path=x&path=y&offset=60");
        assert_eq!(
            fields.with("/grep", "class", "cuda"),
            "/grep?q=a+b%26&path=x&path=y&class=cuda"
        );
    }

    #[test]
    fn a_page_takes_what_it_knows() {
        let takes = Takes { fields: &["q", "in"], several: &["q"], formats: &["json"] };
        let told = |query: &str| match Fields::read(query).check(&takes) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(told("q=a&q=b&in=&in=c&format=json&other="), "");
        assert_eq!(told("q=a&in=b&in=c"), "in is given twice; this page takes it once");
        assert!(told("format=json&format=json").contains("twice"));
        assert_eq!(told("q=a&quirk=1"), "this page has no field \"quirk\"; it has q, in, format");
        assert_eq!(
            told("format=xml"),
            "\"xml\" is no format of this page; it is one of json, or left out"
        );
        let none = Takes { fields: &[], several: &[], formats: &[] };
        let told = Fields::read("format=json").check(&none).unwrap_err().to_string();
        assert_eq!(told, "this page takes no field, and none called \"format\"");
        assert!(Fields::read("top=8").number("top").unwrap() == Some(8));
        assert!(Fields::read("top=all").number("top").is_err());
    }
}
