//! The ends of a window that are named by what is installed or newest.

use anyhow::{Context as _, bail};
use headwater_queries::window::{WindowSpec, finals};
use headwater_store::upstream::Upstream;

/// Whether an end is named by what is installed or newest.
pub fn is_relative(end: &str) -> bool {
    ["installed", "latest", "previous"].contains(&end)
}

/// A window with `installed`, `latest` and `previous` named: the newest final release of
/// these tags, and the one before it, by version and not by date; by the number of the
/// build where no version is tagged.
pub fn relative(
    upstream: &Upstream,
    tags: &[String],
    window: &WindowSpec,
    installed: &dyn Fn() -> anyhow::Result<String>,
) -> anyhow::Result<WindowSpec> {
    let end = |name: &str| release(upstream, tags, name, installed);
    let named = WindowSpec { base: end(&window.base)?, head: end(&window.head)? };
    if named.base == named.head {
        bail!(
            "{} is both ends of this window: nothing lies between; name another end, like previous..latest",
            named.base
        );
    }
    Ok(named)
}

/// A release that may be written `installed`, `latest` or `previous`, by its name.
pub fn release(
    upstream: &Upstream,
    tags: &[String],
    name: &str,
    installed: &dyn Fn() -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let nth = |back: usize| {
        let finals = finals(upstream, tags)?;
        let at = finals.len().checked_sub(back + 1).and_then(|at| finals.get(at));
        at.cloned().with_context(|| {
            let known = finals.len();
            format!(
                "{} has no such release as {name:?}: {known} final ones are known; name a tag",
                upstream.name
            )
        })
    };
    match name {
        "installed" => installed(),
        "latest" => nth(0),
        "previous" => nth(1),
        other => Ok(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn the_newest_is_a_version_or_else_a_build() {
        let upstreams = Upstreams::built_in().unwrap();
        let llama = upstreams.get("llama.cpp").unwrap();
        let window = WindowSpec { base: "previous".to_owned(), head: "latest".to_owned() };
        let of = |tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
            relative(llama, &tags, &window, &|| bail!("nothing is installed"))
                .map(|named| named.to_string())
        };
        assert_eq!(of(&["b9999", "b10001", "b10000", "gguf-v1"]).unwrap(), "b10000..b10001");
        assert_eq!(of(&["b10566", "v0.10.0", "v0.9.1"]).unwrap(), "v0.9.1..v0.10.0");
        assert!(of(&["b10566", "v0.1.0"]).unwrap_err().to_string().contains("no such release"));
    }
}
