//! One commit with everything that is known of it.

use anyhow::bail;
use headwater_queries::show::{self, Shown};
use headwater_store::Store;

use crate::context::Context;

/// The one commit that is meant; several are told by name.
pub fn ask(
    context: &Context,
    store: &Store,
    upstream: Option<&str>,
    revision: &str,
) -> anyhow::Result<Shown> {
    let labelling = context.labelling()?;
    let mut found = show::show(store, &context.upstreams, labelling.sources(), upstream, revision)?;
    if found.len() > 1 {
        let names: Vec<String> =
            found.iter().map(|f| format!("{} {}", f.upstream, f.sha.short())).collect();
        bail!("{revision:?} could be any of: {}; show one of these", names.join(", "));
    }
    match found.pop() {
        Some(shown) => Ok(shown),
        None => bail!("no stored commit is {revision:?}"),
    }
}
