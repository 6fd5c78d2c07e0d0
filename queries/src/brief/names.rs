//! Names of models that somebody gave his own variants: nobody's business but his.

use headwater_store::{ModelPlace, Store};

use crate::QueryError;
use crate::rank::ModelNames;

/// Those of these names that are neither in a registry, as far as is stored, nor made of
/// public words alone; each with what may stand in its place.
///
/// # Errors
/// Those of the store.
pub fn own_names<'n>(
    store: &Store,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<(String, String)>, QueryError> {
    let public = ModelNames::shipped().map_err(|error| QueryError::Rules {
        file: "families.toml".to_owned(),
        why: error.to_string(),
    })?;
    let seen = store.models()?.into_iter().filter(|seen| seen.place == ModelPlace::Registry);
    let registry: Vec<String> = seen.map(|seen| seen.name.to_string()).collect();
    let is_own =
        |name: &&str| !public.is_public(name) && !registry.iter().any(|known| known == name);
    let mut out = Vec::new();
    for (at, name) in names.into_iter().filter(is_own).enumerate() {
        let label = format!("[own model {}]", at + 1);
        // Its tag may be left out, and what stands before its name too.
        let bare = name.split(':').next().unwrap_or(name);
        let last = bare.rsplit('/').next().unwrap_or(bare);
        for part in [name, bare, last] {
            let known = out.iter().any(|(known, _): &(String, String)| known == part);
            if part.len() > 1 && !known && !public.is_public(part) {
                out.push((part.to_owned(), label.clone()));
            }
        }
    }
    Ok(out)
}
