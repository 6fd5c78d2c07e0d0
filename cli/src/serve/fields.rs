//! What a page is asked: the fields of its address.

/// No address that a form makes is longer.
const LONGEST: usize = 8_000;

/// The fields of an address, in its order.
#[derive(Debug, Default)]
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
    pub fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
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
}
