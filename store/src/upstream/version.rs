//! The version that a tag names.

use super::Upstream;

/// A tag's version, in the order of versions: numbers first, and a candidate before the
/// release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    numbers: Vec<u64>,
    is_final: bool,
    rest: Vec<u64>,
}

impl Version {
    /// The version that a tag names, with or without its prefix, if it names one.
    pub fn of(upstream: &Upstream, name: &str) -> Option<Self> {
        Self::parse(name.strip_prefix(upstream.tag_prefix.as_str()).unwrap_or(name))
    }

    /// The version that a text without a prefix names: `0.32.10-rc1`.
    pub fn parse(bare: &str) -> Option<Self> {
        let (numbers, rest) = match bare.split_once(['-', '+']) {
            Some((numbers, rest)) => (numbers, Some(rest)),
            None => (bare, None),
        };
        let numbers: Vec<u64> =
            numbers.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
        let digits = |text: &str| -> Vec<u64> {
            text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
        };
        Some(Version {
            numbers,
            is_final: rest.is_none(),
            rest: rest.map(digits).unwrap_or_default(),
        })
    }

    /// The number at a place, from 0; 0 where it has fewer.
    pub fn number(&self, at: usize) -> u64 {
        self.numbers.get(at).copied().unwrap_or(0)
    }

    /// Whether it is no candidate.
    pub fn is_final(&self) -> bool {
        self.is_final
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::Upstreams;

    #[test]
    fn candidates_come_before_their_release_and_ten_after_nine() {
        let upstreams = Upstreams::built_in().unwrap();
        let ollama = upstreams.get("ollama").unwrap();
        let version = |name: &str| Version::of(ollama, name);
        let order = ["v0.32.9", "0.32.10-rc0", "v0.32.10-rc12", "v0.32.10", "v0.32.11"];
        let versions: Vec<Version> = order.iter().map(|name| version(name).unwrap()).collect();
        assert!(versions.windows(2).all(|pair| pair[0] < pair[1]), "{versions:?}");
        assert!(version("main").is_none() && version("v").is_none());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(name in "\\PC{0,40}") {
            let _ = Version::parse(&name);
        }
    }
}
