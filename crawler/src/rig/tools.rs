//! What CUDA's tools say of themselves. Release, version.json and nvcc count differently,
//! so that each is kept as it was said.

use std::collections::BTreeMap;
use std::io::Read as _;

use headwater_store::rig::{Found, Gpu, NvccRead, ToolkitFile};
use serde_json::Value;

/// More of a version.json is not read.
const MOST: u64 = 1 << 20;
/// More devices or parts are not kept.
const MOST_ROWS: usize = 256;
/// A text that names a version or a device is no longer.
const LONGEST: usize = 120;

/// What `nvcc --version` prints: `release 13.4, V13.4.92`.
pub fn nvcc_version(text: &str) -> Option<NvccRead> {
    text.lines().find_map(|line| {
        let rest = line.split_once("release ")?.1;
        let (release, rest) = rest.split_once(',')?;
        let version = rest.trim().strip_prefix('V')?;
        let version = version.split_whitespace().next()?;
        Some(NvccRead { release: numbers(release.trim())?, version: numbers(version)? })
    })
}

/// What `nvidia-smi --query-gpu=driver_version,name --format=csv,noheader` prints, a line
/// each.
pub fn gpus(text: &str) -> Vec<Gpu> {
    let lines = text.lines().filter_map(|line| {
        let (driver, name) = line.split_once(',')?;
        Some(Gpu { driver: numbers(driver.trim())?, name: plain(name)? })
    });
    lines.take(MOST_ROWS).collect()
}

/// What version.json says: an object of parts, of which `cuda` is the whole.
pub fn toolkit_file(text: &str) -> Option<ToolkitFile> {
    let value: Value = serde_json::from_str(text).ok()?;
    let version = |part: &Value| part.get("version").and_then(Value::as_str).and_then(numbers);
    let parts: BTreeMap<String, String> = value
        .as_object()?
        .iter()
        .filter_map(|(name, part)| Some((plain(name)?, version(part)?)))
        .take(MOST_ROWS)
        .collect();
    Some(ToolkitFile { version: value.get("cuda").and_then(version)?, parts })
}

/// The first of these files that is there.
pub(super) fn find_toolkit_file(paths: &[String]) -> Found<ToolkitFile> {
    for path in paths {
        let Ok(meta) = std::fs::metadata(path) else { continue };
        let mut bytes = Vec::new();
        let read = match meta.is_file() {
            true => std::fs::File::open(path)
                .and_then(|file| file.take(MOST).read_to_end(&mut bytes))
                .map_err(|error| error.to_string()),
            false => Err("it is no plain file".to_owned()),
        };
        return match read {
            Ok(_) => match toolkit_file(&String::from_utf8_lossy(&bytes)) {
                Some(found) => Found::Is(found),
                None => Found::Lacks("version.json names no version of CUDA".to_owned()),
            },
            Err(why) => Found::Lacks(format!("version.json cannot be read: {why}")),
        };
    }
    Found::Lacks("no version.json is there".to_owned())
}

/// Numbers with dots between them, as a version is written.
fn numbers(text: &str) -> Option<String> {
    let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (text.len() <= LONGEST && text.split('.').all(part)).then(|| text.to_owned())
}

/// A name, short and on one line.
fn plain(text: &str) -> Option<String> {
    let text: String = text.trim().chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nvcc_tells_its_release_and_its_own_version() {
        let text = "nvcc: a compiler driver\nBuilt on Tue_Jan_01\nCuda compilation tools, release 13.4, V13.4.92\nBuild cuda_13.4.r13.4/compiler.1_0\n";
        let found = nvcc_version(text).unwrap();
        assert_eq!((found.release.as_str(), found.version.as_str()), ("13.4", "13.4.92"));
        for bad in ["", "release", "release 13.4", "release x, V1", "release 13.4, V\u{1b}[2J"] {
            assert_eq!(nvcc_version(bad), None, "{bad}");
        }
    }

    #[test]
    fn devices_are_lines_of_driver_and_name() {
        let found =
            gpus("580.65.06, NVIDIA GeForce RTX 5090\r\n580.65.06, Card \u{1b}[31mB, big\n");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].name, "NVIDIA GeForce RTX 5090");
        assert_eq!(
            (found[1].driver.as_str(), found[1].name.as_str()),
            ("580.65.06", "Card [31mB, big")
        );
        assert!(gpus("NVIDIA-SMI has failed because, well").is_empty());
    }

    #[test]
    fn the_whole_and_the_parts_count_differently() {
        let text = r#"{"cuda": {"name": "CUDA SDK", "version": "13.4.3"},
            "cuda_nvcc": {"name": "CUDA NVCC", "version": "13.4.92"},
            "libcublas": {"name": "CUDA cuBLAS", "version": "13.3.0.8"}, "odd": 1}"#;
        let found = toolkit_file(text).unwrap();
        assert_eq!(found.version, "13.4.3");
        assert_eq!(found.parts["cuda_nvcc"], "13.4.92");
        assert_eq!(found.parts.len(), 3);
        for bad in ["", "[]", "{}", "{\"cuda\": \"13\"}", "{\"cuda\": {\"version\": \"new\"}}"] {
            assert_eq!(toolkit_file(bad), None, "{bad}");
        }
        assert_eq!(
            find_toolkit_file(&["/nowhere/version.json".to_owned()]).lacks(),
            Some("no version.json is there")
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "\\PC{0,60}(\n\\PC{0,60}){0,3}", tail in "[0-9.,V ]{0,20}") {
            let _ = (nvcc_version(&text), gpus(&text), toolkit_file(&text));
            let line = format!("release {tail}");
            if let Some(found) = nvcc_version(&line) {
                prop_assert!(found.version.bytes().all(|b| b == b'.' || b.is_ascii_digit()));
            }
            let _ = gpus(&tail);
            let _ = toolkit_file(&format!("{{\"cuda\":{{\"version\":\"{tail}\"}}}}"));
        }
    }
}
