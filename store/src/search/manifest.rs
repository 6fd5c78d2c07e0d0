//! What an index is made from, and which files it has: written when it is whole.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The manifest's name.
pub(super) const MANIFEST: &str = "manifest.json";

/// Tantivy's own list of segments, which must be the very one.
const META: &str = "meta.json";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    version: u32,
    /// What the records carry that it was made from.
    pub mark: String,
    /// Every commit up to this row is in it.
    pub through: i64,
    /// Commits of which something was left out.
    pub cut: u64,
    /// The digest of tantivy's list of segments.
    meta: String,
    /// The length of each file.
    files: BTreeMap<String, u64>,
}

impl Manifest {
    /// `None` where there is none, or one that is not understood: the index is then made
    /// anew.
    pub fn read(dir: &Path, version: u32) -> Option<Self> {
        let text = std::fs::read_to_string(dir.join(MANIFEST)).ok()?;
        let manifest: Self = serde_json::from_str(&text).ok()?;
        (manifest.version == version).then_some(manifest)
    }

    /// Makes sure that the files are those that it names.
    pub fn check(&self, dir: &Path) -> Result<(), String> {
        if meta(dir).ok().as_ref() != Some(&self.meta) {
            return Err("its list of segments is not the one that was written".to_owned());
        }
        for (name, len) in &self.files {
            match std::fs::metadata(dir.join(name)) {
                Ok(file) if file.len() == *len => {}
                Ok(_) => return Err(format!("its file {name} is cut short, or too long")),
                Err(error) => return Err(format!("its file {name}: {error}")),
            }
        }
        Ok(())
    }

    /// Writes what the files in `dir` are now.
    pub fn write(dir: &Path, version: u32, mark: &str, through: i64, cut: u64) -> io::Result<()> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let own = name.starts_with("manifest") || name.ends_with("lock");
            if !own && entry.file_type()?.is_file() {
                files.insert(name, entry.metadata()?.len());
            }
        }
        let mark = mark.to_owned();
        let manifest = Manifest { version, mark, through, cut, meta: meta(dir)?, files };
        let beside = dir.join("manifest.new");
        let mut file = File::create(&beside)?;
        file.write_all(&serde_json::to_vec_pretty(&manifest)?)?;
        file.sync_all()?;
        std::fs::rename(beside, dir.join(MANIFEST))
    }
}

fn meta(dir: &Path) -> io::Result<String> {
    let digest = Sha256::digest(std::fs::read(dir.join(META))?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}
