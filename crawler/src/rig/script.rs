//! What a start script expects a library's hash to be.

use std::io::Read as _;

use headwater_store::Digest;
use headwater_store::rig::{Found, ScriptRead, StartScript};
use regex::Regex;

/// More of a script is not read.
const MOST: u64 = 1 << 20;

/// Reads a script's expected hash.
pub(super) fn read(script: &StartScript) -> ScriptRead {
    let name = script.path.rsplit(['/', '\\']).next().unwrap_or(&script.path).to_owned();
    ScriptRead { script: name, file: script.file.clone(), expects: Found::of(found(script)) }
}

fn found(script: &StartScript) -> Result<Digest, String> {
    let meta = std::fs::metadata(&script.path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "the script is not there".to_owned(),
        _ => format!("the script cannot be read: {error}"),
    })?;
    if !meta.is_file() {
        return Err("the script is no plain file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&script.path);
    file.and_then(|file| file.take(MOST).read_to_end(&mut bytes))
        .map_err(|error| format!("the script cannot be read: {error}"))?;
    expected(&text(&bytes), &script.pattern)
}

/// A script's text; PowerShell writes UTF-16.
fn text(bytes: &[u8]) -> String {
    let units = |rest: &[u8], of: fn([u8; 2]) -> u16| -> String {
        let pairs = rest.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok());
        String::from_utf16_lossy(&pairs.map(of).collect::<Vec<u16>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The hash that a pattern finds: its first group, or all of it.
fn expected(text: &str, pattern: &str) -> Result<Digest, String> {
    let pattern = Regex::new(pattern).map_err(|_| "the pattern is not valid".to_owned())?;
    let captures = pattern
        .captures(text)
        .ok_or_else(|| "the pattern finds nothing in the script".to_owned())?;
    let found = captures.get(1).or_else(|| captures.get(0)).map_or("", |found| found.as_str());
    found.trim().parse().map_err(|_| "what the pattern finds is no sha256".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hash_is_found_by_its_group_in_any_encoding() {
        let hash = "AB".repeat(32);
        let pattern = r#"(?i)\$expected\s*=\s*["']([0-9a-f]{64})["']"#;
        let script = format!("# start\r\n$Expected = \"{hash}\"\r\n");
        let digest = hash.parse().unwrap();
        assert_eq!(expected(&script, pattern), Ok(digest));
        assert_eq!(expected(&hash, "(?i)[0-9a-f]{64}"), Ok(digest));
        let wide: Vec<u8> =
            [0xfeff].into_iter().chain(script.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(expected(&text(&wide), pattern), Ok(digest));
        assert!(expected("nothing", pattern).unwrap_err().contains("finds nothing"));
        assert!(expected("want=abc", "want=(\\w+)").unwrap_err().contains("no sha256"));
        assert!(expected("x", "(").is_err());
        let none =
            StartScript { path: r"C:\rig\start.ps1".into(), pattern: "x".into(), file: "y".into() };
        assert_eq!(read(&none).script, "start.ps1");
        assert_eq!(read(&none).expects.lacks(), Some("the script is not there"));
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), pattern in "\\PC{0,20}") {
            let _ = expected(&text(&bytes), &pattern);
        }
    }
}
