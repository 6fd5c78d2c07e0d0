//! A rig file, written from a reading.

use chrono::{DateTime, Utc};
use headwater_store::rig::RigReading;

use super::text::one_line;

const HEAD: &str = "\
# What this machine should be, for `headwater rig`. How each key is meant: docs/rig.md.
# Paths stand in single quotes, within which a \\ is a sign like any other.

# What its readings are called.
name = \"rig\"
";

const SCRIPT: &str = r#"
# A script that checks a library before it starts the server. It is an alert where it
# expects another hash than the file has. The pattern's first group is the hash.
# [[script]]
# path = 'C:\rig\start-ollama.ps1'
# pattern = '''(?i)\$expected\s*=\s*["']([0-9a-f]{64})["']'''
# file = 'cuda_v13/ggml-cuda.dll'
"#;

const OTHERS: &str = r#"
# Another build that may turn up, such as the stock one that an update brings: with it an
# alert can say what lies there.
# [[build]]
# name = "stock 0.32.15"
# ollama = "0.32.15"
# pin = "b10488"
# [build.files]
# 'cuda_v13/ggml-cuda.dll' = "64 digits"
"#;

/// The file's text. `pin` is what the version that runs pins.
pub fn text(reading: &RigReading, pin: Option<&str>, now: DateTime<Utc>) -> String {
    let day = now.format("%Y-%m-%d");
    let build = format!("as found {day}");
    let files: Vec<_> = reading.libraries().filter(|(_, one)| one.link.is_none()).collect();
    let mut out = HEAD.to_owned();
    if !files.is_empty() {
        out.push_str("\n# Which of the builds below should be installed.\n");
        out.push_str(&format!("expects = {}\n", quoted(&build)));
    }
    out.push_str("\n# The folders of backends, with one level of folders in them.\n");
    match reading.folders.is_empty() {
        true => out.push_str(
            "# None of the usual places is there.\n# folders = ['/usr/local/lib/ollama']\n",
        ),
        false => {
            let folders: Vec<String> = reading
                .folders
                .iter()
                .map(|folder| format!("  {},\n", quoted(&folder.path)))
                .collect();
            out.push_str(&format!("folders = [\n{}]\n", folders.concat()));
        }
    }
    out.push_str("\n# Where tools are, if not on the path or in the usual places.\n[tools]\n");
    let nvcc =
        reading.nvcc.get().map(|nvcc| format!("{} of release {}", nvcc.version, nvcc.release));
    let driver = reading.gpus.get().and_then(|gpus| gpus.first());
    let driver = driver.map(|gpu| format!("driver {} of {}", gpu.driver, gpu.name));
    let whole = reading.toolkit.get().map(|toolkit| toolkit.version.clone());
    let tools = [
        ("nvcc", "/usr/local/cuda/bin/nvcc", &nvcc),
        ("nvidia_smi", "/usr/bin/nvidia-smi", &driver),
        ("version_json", "/usr/local/cuda/version.json", &whole),
    ];
    for (key, path, found) in tools {
        let found =
            found.as_deref().map_or("not found".to_owned(), |what| format!("found: {what}"));
        out.push_str(&format!("# {key} = '{path}'    # {}\n", one_line(&found)));
    }
    out.push_str(SCRIPT);
    if !files.is_empty() {
        out.push_str(
            "\n# What is installed now. Name it as you do, and say what you know of it.\n",
        );
        out.push_str(&format!("[[build]]\nname = {}\n", quoted(&build)));
        match reading.server.get() {
            Some(server) => out.push_str(&format!("ollama = {}\n", quoted(&server.version))),
            None => out.push_str("# ollama = \"0.32.15\"    # no server answered\n"),
        }
        match pin {
            Some(pin) => out.push_str(&format!(
                "pin = {}    # what that version pins; a build of yours may be of another\n",
                quoted(pin)
            )),
            None => out.push_str("# pin = \"b10488\"    # the llama.cpp that it was built from\n"),
        }
        let nvcc = reading.nvcc.get().map_or("13.4.92", |nvcc| &nvcc.version);
        let whole = reading.toolkit.get().map_or("13.4.3", |toolkit| &toolkit.version);
        out.push_str(&format!(
            "# What built these files, which only you know: three counts of one toolkit, none of which\n# follows from another.\n# toolkit = {{ release = \"13.4 Update 2\", version_json = {}, nvcc = {} }}\n[build.files]\n",
            quoted(whole),
            quoted(nvcc)
        ));
        // The same place in two folders can only be told by one name: the first counts.
        let mut seen = std::collections::BTreeSet::new();
        for (_, library) in files {
            if seen.insert(&library.place) {
                out.push_str(&format!(
                    "{} = \"{}\"\n",
                    quoted(&library.place),
                    library.sha256.hex()
                ));
            }
        }
    }
    out.push_str(OTHERS);
    out
}

/// A text as TOML has it: as it is where it can be, for paths of Windows.
fn quoted(text: &str) -> String {
    match text.contains('\'') || text.chars().any(char::is_control) {
        false => format!("'{text}'"),
        true => {
            let escaped = text.chars().fold(String::new(), |mut out, c| {
                match c {
                    '"' | '\\' => out.extend(['\\', c]),
                    c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
                    c => out.push(c),
                }
                out
            });
            format!("\"{escaped}\"")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use headwater_store::Digest;
    use headwater_store::rig::{
        Found, Gpu, LibraryFolder, LibraryRead, NvccRead, RigFile, ServerRead,
    };

    use super::*;

    fn reading(folder: &str, place: &str) -> RigReading {
        let library = |place: &str, link: Option<&str>| LibraryRead {
            place: place.to_owned(),
            bytes: 3,
            sha256: Digest::of(b"abc"),
            link: link.map(str::to_owned),
        };
        RigReading {
            taken: Utc::now(),
            platform: "windows".to_owned(),
            server: Found::Is(ServerRead { version: "0.32.15".to_owned() }),
            models: Found::Lacks(String::new()),
            folders: vec![LibraryFolder {
                path: folder.to_owned(),
                libraries: Found::Is(vec![library(place, None), library("x.so.1", Some("x.so"))]),
                unread: Vec::new(),
            }],
            scripts: Vec::new(),
            nvcc: Found::Is(NvccRead { release: "13.4".to_owned(), version: "13.4.92".to_owned() }),
            gpus: Found::Is(vec![Gpu { name: "Card\n[x]".to_owned(), driver: "1.2".to_owned() }]),
            toolkit: Found::Lacks("none".to_owned()),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (folder, place) in [
            (r"C:\Users\jo\AppData\Local\Programs\Ollama\lib\ollama", "cuda_v13/ggml-cuda.dll"),
            ("/opt/jo's \\ \"rig\"\u{7f}\n", "odd 'name'.so"),
        ] {
            let text = text(&reading(folder, place), Some("b10488"), Utc::now());
            let file = RigFile::parse(&text, Path::new("rig.toml")).unwrap();
            assert_eq!(file.folders, [folder]);
            let build = file.expected().unwrap();
            assert_eq!(build.files.keys().collect::<Vec<_>>(), [place]);
            assert_eq!(build.pin.as_deref(), Some("b10488"));
            assert!(text.contains("found: 13.4.92 of release 13.4") && text.contains("not found"));
        }
    }

    #[test]
    fn its_examples_are_valid_when_uncommented() {
        let empty = RigReading { folders: Vec::new(), ..reading("/x", "libx.so") };
        let text = text(&empty, None, Utc::now());
        assert!(RigFile::parse(&text, Path::new("rig.toml")).unwrap().builds.is_empty());
        let lines = SCRIPT.lines().chain(OTHERS.lines()).filter_map(|line| line.strip_prefix("# "));
        let is_toml = |line: &&str| line.starts_with('[') || line.contains(" = ");
        let all: Vec<&str> = lines.filter(is_toml).collect();
        let all = all.join("\n").replace("64 digits", &"a".repeat(64));
        let file = RigFile::parse(&all, Path::new("rig.toml")).unwrap();
        assert_eq!((file.scripts.len(), file.builds.len()), (1, 1));
    }
}
