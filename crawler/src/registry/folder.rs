//! The local models folder: manifests by name, blobs by digest.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use headwater_store::{Digest, ModelLayer, ModelName};

use super::RegistryError;
use super::crawl::KEPT;
use super::fetch::{BLOB_LIMIT, MANIFEST_LIMIT};

/// A manifest of the folder.
pub(super) struct Local {
    pub name: ModelName,
    /// Its place within the folder.
    pub within: String,
    pub manifest: Vec<u8>,
}

/// The names of all manifests, with their paths, in the order of names. Files that are no
/// manifests' places are passed over.
pub(super) fn list(dir: &Path) -> std::io::Result<Vec<(ModelName, PathBuf)>> {
    let mut level = vec![(Vec::<String>::new(), dir.join("manifests"))];
    for depth in 0..4 {
        let mut next = Vec::new();
        for (parts, path) in level {
            let entries = match std::fs::read_dir(&path) {
                Ok(entries) => entries,
                // A file where a folder should be holds no manifest.
                Err(_) if depth > 0 => continue,
                Err(error) => return Err(error),
            };
            for entry in entries {
                let entry = entry?;
                let Ok(part) = entry.file_name().into_string() else { continue };
                let mut parts = parts.clone();
                parts.push(part);
                next.push((parts, entry.path()));
            }
        }
        level = next;
    }
    let mut out: Vec<(ModelName, PathBuf)> = level
        .into_iter()
        .filter(|(_, path)| path.is_file())
        .filter_map(|(parts, path)| {
            let [host, namespace, model, tag] = parts.as_slice() else { return None };
            Some((ModelName::from_parts(host, namespace, model, tag).ok()?, path))
        })
        .collect();
    out.sort();
    Ok(out)
}

/// A manifest's bytes.
pub(super) fn manifest(dir: &Path, name: &ModelName, path: &Path) -> Result<Local, RegistryError> {
    let manifest = bounded(path, MANIFEST_LIMIT).map_err(|source| RegistryError::Io {
        what: "manifest".to_owned(),
        name: name.to_string(),
        source,
    })?;
    let within = path.strip_prefix(dir).unwrap_or(path).display().to_string();
    Ok(Local { name: name.clone(), within, manifest })
}

/// The bytes of the layers that are kept, each checked against its digest.
pub(super) fn blobs<'l>(
    dir: &Path,
    name: &ModelName,
    layers: &'l [ModelLayer],
) -> Result<Vec<(&'l ModelLayer, Vec<u8>)>, RegistryError> {
    let mut out = Vec::new();
    for layer in layers.iter().filter(|layer| KEPT.contains(&layer.kind.as_str())) {
        let file = format!("sha256-{}", layer.digest.hex());
        let path = dir.join("blobs").join(&file);
        let bytes = bounded(&path, BLOB_LIMIT).map_err(|source| RegistryError::Io {
            what: layer.kind.clone(),
            name: name.to_string(),
            source,
        })?;
        let got = Digest::of(&bytes);
        if got != layer.digest {
            return Err(RegistryError::Mismatch {
                what: layer.kind.clone(),
                name: name.to_string(),
                source_of: format!("blobs/{file} of the models folder"),
                wanted: Box::new(layer.digest),
                got: Box::new(got),
            });
        }
        out.push((layer, bytes));
    }
    Ok(out)
}

fn bounded(path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        let why = format!("it is larger than {limit} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, why));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_lies_four_deep_and_has_a_name_is_a_manifest() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let path = dir.path().join("manifests").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        };
        put("registry.ollama.ai/library/gemma4/26b");
        put("registry.ollama.ai/library/my gemma/x");
        put("hf.co/owner/m/Q4");
        put("stray");
        put("registry.ollama.ai/stray");
        put("registry.ollama.ai/library/deep/dir/file");
        let names: Vec<String> =
            list(dir.path()).unwrap().iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, ["hf.co/owner/m:Q4", "gemma4:26b"]);
        assert!(list(&dir.path().join("nowhere")).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn no_folder_makes_it_panic(
            parts in proptest::collection::vec("[A-Za-z0-9._:é \u{1b}-]{1,12}", 4),
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut path = dir.path().join("manifests");
            for part in &parts {
                path = path.join(if matches!(part.as_str(), "." | "..") { "x" } else { part });
            }
            if std::fs::create_dir_all(path.parent().unwrap()).is_ok()
                && std::fs::write(&path, &bytes).is_ok()
            {
                for (name, path) in list(dir.path()).unwrap() {
                    let local = manifest(dir.path(), &name, &path).unwrap();
                    prop_assert!(name.to_string().chars().all(|c| !c.is_control()));
                    let _ = crate::registry::layers(&local.manifest);
                }
            }
        }
    }
}
