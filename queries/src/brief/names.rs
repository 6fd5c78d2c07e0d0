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
    let own = names.into_iter().filter(is_own).enumerate();
    Ok(own.map(|(at, name)| (name.to_owned(), format!("[own model {}]", at + 1))).collect())
}
