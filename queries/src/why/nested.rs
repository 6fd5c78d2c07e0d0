//! The windows of pinned upstreams.

use headwater_store::Store;
use headwater_store::upstream::Upstreams;

use super::collect::{Collected, collect};
use super::report::NestedWindow;
use crate::QueryError;
use crate::pins::{PinMove, PinReader, PinTarget, PinValue};
use crate::window::WindowSpec;

/// The windows that moved pins open, and the commits of those that are stored.
pub(super) fn nested_windows<'a>(
    store: &'a Store,
    upstreams: &'a Upstreams,
    main: &Collected<'a>,
    jobs: usize,
) -> Result<(Vec<NestedWindow>, Vec<Collected<'a>>), QueryError> {
    let mut reader = PinReader::new(store, upstreams, main.upstream)?;
    let trees = [&main.base, &main.head].map(|end| end.commit.commit().tree);
    let mut nested = Vec::new();
    let mut inner = Vec::new();
    for PinMove { old, new } in reader.moves(trees)? {
        let (old, new) = (old.as_ref(), new.as_ref());
        let (window, gap) = one_nested(store, upstreams, &reader, old, new, jobs)?;
        let any = old.or(new);
        let moved_by = new.and_then(|pin| {
            main.patches
                .iter()
                .find(|patch| {
                    let files = &patch.patch().files;
                    files.iter().any(|f| f.path == pin.home && f.new_blob == pin.object)
                })
                .map(|patch| patch.stored().commit().oid)
        });
        nested.push(NestedWindow {
            pin: any.map_or_else(String::new, |pin| pin.pin.clone()),
            upstream: any.map_or_else(String::new, |pin| pin.upstream.clone()),
            pin_base: old.map(|pin| pin.value.clone()),
            pin_head: new.map(|pin| pin.value.clone()),
            moved_by,
            window: window.as_ref().map(|window| window.report.clone()),
            gap,
        });
        inner.extend(window);
    }
    Ok((nested, inner))
}

#[allow(clippy::type_complexity)]
fn one_nested<'a>(
    store: &'a Store,
    upstreams: &'a Upstreams,
    reader: &PinReader<'_>,
    old: Option<&PinValue>,
    new: Option<&PinValue>,
    jobs: usize,
) -> Result<(Option<Collected<'a>>, Option<String>), QueryError> {
    let (Some(old), Some(new)) = (old, new) else {
        return Ok((None, Some("only one end has this pin".to_owned())));
    };
    let (base, head) = match (reader.target(old)?, reader.target(new)?) {
        (Ok(base), Ok(head)) => (base, head),
        (Err(why), _) | (_, Err(why)) => return Ok((None, Some(why))),
    };
    let upstream = upstreams.get(&new.upstream)?;
    let end = |target: &PinTarget| {
        target.build.clone().unwrap_or_else(|| target.commit.commit().oid.to_string())
    };
    let spec = WindowSpec { base: end(&base), head: end(&head) };
    match collect(store, upstream, &spec, jobs) {
        Ok(window) => Ok((Some(window), None)),
        Err(QueryError::Reversed { base, head }) => {
            Ok((None, Some(format!("the pin went back, from {base} to {head}"))))
        }
        Err(error) => Err(error),
    }
}
