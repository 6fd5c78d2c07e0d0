//! What models run on, by each name that people write for it.

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The backends, and what else people call them.
const SPELLINGS: [(&str, &[&str]); 10] = [
    ("cuda", &["nvidia", "cublas"]),
    ("hip", &["rocm", "amd", "hipblas"]),
    ("musa", &["mthreads"]),
    ("metal", &["apple", "mps"]),
    ("vulkan", &["vk"]),
    ("sycl", &["oneapi"]),
    ("opencl", &["cl"]),
    ("webgpu", &["wgpu"]),
    ("rpc", &[]),
    ("cpu", &[]),
];

/// Their names.
pub const BACKENDS: [&str; SPELLINGS.len()] = {
    let mut names = [""; SPELLINGS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = SPELLINGS[at].0;
        at += 1;
    }
    names
};

/// A backend by any of its spellings, in either case.
pub fn named(text: &str) -> Option<&'static str> {
    let is = |name: &str| name.eq_ignore_ascii_case(text);
    SPELLINGS
        .iter()
        .find(|(name, others)| is(name) || others.iter().any(|other| is(other)))
        .map(|(name, _)| *name)
}

/// The same, for whoever writes it by hand.
///
/// # Errors
/// Where it is none, with the names.
pub fn read(text: &str) -> anyhow::Result<String> {
    match named(text) {
        Some(name) => Ok(name.to_owned()),
        None => bail!("{text:?} is no backend; it is one of {}", BACKENDS.join(", ")),
    }
}

/// Reads an argument: help and completions show the names, and other spellings are taken.
pub fn parser() -> impl TypedValueParser<Value = String> {
    let values = SPELLINGS.map(|(name, others)| PossibleValue::new(name).aliases(others));
    PossibleValuesParser::new(values).map(|text| named(&text).unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_means_one_backend() {
        let mut all: Vec<&str> =
            SPELLINGS.iter().flat_map(|(name, others)| [&[*name], *others].concat()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "a spelling stands twice");
        for (text, name) in [
            ("rocm", "hip"),
            ("ROCm", "hip"),
            ("NVIDIA", "cuda"),
            ("apple", "metal"),
            ("cpu", "cpu"),
        ] {
            assert_eq!(named(text), Some(name), "{text}");
        }
        assert_eq!(named("roc"), None);
        assert!(read("ROCM").unwrap() == "hip" && read("roc").is_err());
        let facets = headwater_queries::rank::Facets::shipped().unwrap();
        for name in BACKENDS {
            assert!(facets.backend_bit(name).is_some(), "no rule tells a file of {name}");
        }
    }
}
