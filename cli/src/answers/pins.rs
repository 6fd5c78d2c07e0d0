//! Which version of another upstream each tag names.

use anyhow::bail;
use headwater_queries::pins::{self, PinRow};
use headwater_queries::window::Resolver;
use headwater_store::Store;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;

/// The pins of an upstream's tags.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pins {
    /// `headwater/pins/1`
    pub schema: &'static str,
    /// The upstream.
    pub upstream: String,
    /// How many tags are told.
    pub tags: usize,
    /// A row for each pin of each tag, in the order of the tagged commits' dates.
    pub pins: Vec<PinRow>,
}

/// Asks them, of one tag or one pin alone where these are named, and of no more than the
/// newest so many tags.
pub fn ask(
    context: &Context,
    store: &Store,
    upstream: &str,
    tag: Option<&str>,
    pin: Option<&str>,
    newest: usize,
) -> anyhow::Result<Pins> {
    let upstream = context.upstreams.get(upstream)?;
    let prefixed = tag.map(|tag| format!("{}{tag}", upstream.tag_prefix));
    let is_asked = |of: &str| tag.is_none() || [tag, prefixed.as_deref()].contains(&Some(of));
    let wanted = |of: &str, newer: usize| is_asked(of) && (tag.is_some() || newer < newest);
    let mut rows = pins::pins(store, &context.upstreams, upstream, &wanted)?;
    if rows.is_empty() {
        let asked = tag.unwrap_or_default();
        // A name that is none is told with those that are like it.
        Resolver::new(store, upstream)?.resolve(asked)?;
        bail!(
            "no stored tag of {0} is {asked}; `headwater pins {0}` lists the newest",
            upstream.name
        );
    }
    if let Some(pin) = pin
        && !upstream.pins.iter().any(|declared| declared.name == pin)
    {
        let names: Vec<&str> = upstream.pins.iter().map(|pin| pin.name.as_str()).collect();
        bail!("{} has no pin {pin:?}; it has {}", upstream.name, names.join(", "));
    }
    rows.retain(|row| pin.is_none_or(|pin| row.pin == pin || row.pin.is_empty()));
    let mut tags: Vec<&str> = rows.iter().map(|row| row.tag.as_str()).collect();
    tags.dedup();
    Ok(Pins {
        schema: "headwater/pins/1",
        upstream: upstream.name.clone(),
        tags: tags.len(),
        pins: rows,
    })
}
