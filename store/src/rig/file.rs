//! The rig file: which folders hold backends, which builds are known, what start scripts
//! expect.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// More of a rig file is not read.
const LARGEST: u64 = 4 << 20;

/// What can be wrong with a rig file.
#[derive(Debug, thiserror::Error)]
pub enum RigFileError {
    /// It could not be read.
    #[error("cannot read the rig file {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no valid TOML, or not of the shape that docs/rig.md describes.
    #[error("the rig file {path} is not valid: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// It contradicts itself.
    #[error("the rig file {path}: {why}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// What the user knows of a rig.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RigFile {
    /// What the rig is called in readings.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The build that should be installed.
    pub expects: Option<String>,
    /// The folders that hold backends, with one level of folders in them.
    #[serde(default)]
    pub folders: Vec<String>,
    /// Where tools are, if not on the path.
    #[serde(default)]
    pub tools: Tools,
    /// Scripts that check a library before they start a server.
    #[serde(default, rename = "script")]
    pub scripts: Vec<StartScript>,
    /// Builds that are known.
    #[serde(default, rename = "build")]
    pub builds: Vec<KnownBuild>,
}

/// Where tools are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// CUDA's compiler.
    pub nvcc: Option<String>,
    /// The driver's own tool.
    pub nvidia_smi: Option<String>,
    /// CUDA's version.json.
    pub version_json: Option<String>,
}

/// A script that expects a library to have a hash.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartScript {
    /// The script.
    pub path: String,
    /// A regular expression whose first group, or which itself, is the hash.
    pub pattern: String,
    /// The library that it is of, as a build's files name it.
    pub file: String,
}

/// A build whose files are known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBuild {
    /// What it is called.
    pub name: String,
    /// The version of Ollama that it belongs to.
    pub ollama: Option<String>,
    /// The llama.cpp that it was built from.
    pub pin: Option<String>,
    /// The toolkit that it was built with.
    #[serde(default)]
    pub toolkit: Toolkit,
    /// The sha256 of each file, by its name or by its place in the folder.
    #[serde(default)]
    pub files: BTreeMap<String, Digest>,
}

/// The three ways in which a CUDA toolkit is numbered. None follows from another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Toolkit {
    /// What the release is called: `13.4 Update 2`.
    pub release: Option<String>,
    /// What version.json says of the whole: `13.4.3`.
    pub version_json: Option<String>,
    /// What nvcc says of itself: `13.4.92`.
    pub nvcc: Option<String>,
}

fn unnamed() -> String {
    "rig".to_owned()
}

impl Default for RigFile {
    fn default() -> Self {
        RigFile {
            name: unnamed(),
            expects: None,
            folders: Vec::new(),
            tools: Tools::default(),
            scripts: Vec::new(),
            builds: Vec::new(),
        }
    }
}

impl RigFile {
    /// Reads a rig file.
    ///
    /// # Errors
    /// [`RigFileError`].
    pub fn read(path: &Path) -> Result<Self, RigFileError> {
        let failed = |source| RigFileError::Read { path: path.to_owned(), source };
        let size = std::fs::metadata(path).map_err(failed)?.len();
        if size > LARGEST {
            let why = format!("it has {size} bytes; is it a rig file?");
            return Err(RigFileError::Wrong { path: path.to_owned(), why });
        }
        Self::parse(&std::fs::read_to_string(path).map_err(failed)?, path)
    }

    /// Reads the text of a rig file that lies at `path`.
    ///
    /// # Errors
    /// [`RigFileError`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, RigFileError> {
        // An editor of Windows may have put a mark before the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file: RigFile = toml::from_str(text).map_err(|source| RigFileError::Parse {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        match file.contradiction() {
            Some(why) => Err(RigFileError::Wrong { path: path.to_owned(), why }),
            None => Ok(file),
        }
    }

    fn contradiction(&self) -> Option<String> {
        let mut names: Vec<&str> = self.builds.iter().map(|build| build.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair.first() == pair.last()) {
            return Some("two builds have the same name".to_owned());
        }
        if let Some(expected) = self.expects.as_deref().filter(|name| !names.contains(name)) {
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Some(format!(
                "expects = {expected:?}, and no build is called so; there are: {known}"
            ));
        }
        self.scripts.iter().find_map(|script| {
            let error = Regex::new(&script.pattern).err()?;
            let why = error.to_string().replace('\n', " ");
            Some(format!("the pattern {:?} of a script is not valid: {why}", script.pattern))
        })
    }

    /// The build that should be installed: the one that is named, or the only one.
    pub fn expected(&self) -> Option<&KnownBuild> {
        match (&self.expects, self.builds.as_slice()) {
            (Some(name), builds) => builds.iter().find(|build| build.name == *name),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

impl KnownBuild {
    /// What it says of a file: its name, and its hash. The longest name is the most exact.
    pub fn file(&self, place: &str) -> Option<(&str, Digest)> {
        let named = self.files.iter().filter(|(name, _)| is_place(name, place));
        named.max_by_key(|(name, _)| name.len()).map(|(name, digest)| (name.as_str(), *digest))
    }
}

/// Whether a name of the rig file, alone or with folders before it, is that of a file at a
/// place: whole parts from the end, without regard to case and to the way slashes lean.
pub fn is_place(name: &str, place: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        text.split(['/', '\\'])
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_lowercase)
            .collect()
    };
    let (name, place) = (parts(name), parts(place));
    !name.is_empty() && place.ends_with(&name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<RigFile, RigFileError> {
        RigFile::parse(text, Path::new("rig.toml"))
    }

    #[test]
    fn paths_of_windows_stand_as_they_are() {
        let hash = "ab".repeat(32);
        let file = parse(&format!(
            "\u{feff}name = 'studio'\r\nexpects = 'own'\r\n\
             folders = ['C:\\Users\\jo\\AppData\\Local\\Programs\\Ollama\\lib\\ollama']\r\n\
             [[script]]\r\npath = 'C:\\rig\\start.ps1'\r\npattern = '(?i)\\$want\\s*=\\s*\"([0-9a-f]{{64}})\"'\r\nfile = 'cuda_v13\\ggml-cuda.dll'\r\n\
             [[build]]\r\nname = 'own'\r\npin = 'b10488'\r\n\
             toolkit = {{ release = '13.4 Update 2', version_json = '13.4.3', nvcc = '13.4.92' }}\r\n\
             [build.files]\r\n'cuda_v13\\ggml-cuda.dll' = '{hash}'\r\n\"cublas64_13.dll\" = 'sha256:{hash}'\r\n"
        ))
        .unwrap();
        assert!(file.folders[0].ends_with(r"Ollama\lib\ollama"), "{}", file.folders[0]);
        let build = file.expected().unwrap();
        assert_eq!(build.toolkit.version_json.as_deref(), Some("13.4.3"));
        assert!(build.file("cuda_v13/GGML-CUDA.dll").is_some());
        assert!(build.file("cuda_v12/ggml-cuda.dll").is_none());
        assert!(build.file(r"anywhere\cublas64_13.dll").is_some());
        assert!(build.file("notcublas64_13.dll").is_none());
    }

    #[test]
    fn the_most_exact_name_counts() {
        let [a, b] = ["a", "b"].map(|c| c.repeat(64));
        let file = parse(&format!(
            "[[build]]\nname = 'x'\n[build.files]\n'libggml-cuda.so' = '{a}'\n'cuda_v12/libggml-cuda.so' = '{b}'"
        ))
        .unwrap();
        let build = &file.builds[0];
        let found = |place: &str| build.file(place).unwrap().1.hex();
        assert_eq!((found("cuda_v12/libggml-cuda.so"), found("cuda_v13/libggml-cuda.so")), (b, a));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let told = |text: &str| parse(text).unwrap_err().to_string();
        assert!(told("expects = 'x'").contains("there are: none"));
        assert!(told("[[build]]\nname='a'\n[[build]]\nname='a'").contains("same name"));
        assert!(told("[[script]]\npath='a'\npattern='('\nfile='b'").contains("not valid"));
        assert!(told("[[build]]\nname='a'\nfiles = { x = 'abc' }").contains("sha256"));
        assert!(told("naem = 'x'").contains("naem"));
        assert_eq!(parse("").unwrap(), RigFile::default());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,120}", place in "\\PC{0,30}") {
            if let Ok(file) = parse(&text) {
                let _ = file.expected().and_then(|build| build.file(&place));
            }
            let _ = is_place(&text, &place);
        }
    }
}
