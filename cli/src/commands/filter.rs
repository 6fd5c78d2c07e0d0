//! Which commits a search of history is about: the options that `grep` and `search` share.

use anyhow::Context as _;
use headwater_queries::grep::{self, Filter};
use headwater_queries::window::WindowSpec;
use headwater_store::Store;
use headwater_store::upstream::Upstream;

use crate::context::Context;

/// Options that narrow a search.
#[derive(Debug, Default, clap::Args)]
pub struct FilterArgs {
    /// Only this upstream; may be given several times [default: all that are stored]
    #[arg(long, value_name = "UPSTREAM")]
    pub upstream: Vec<String>,
    /// Also commits that only tags reach
    #[arg(long)]
    pub all: bool,
    /// Only changes of a file here, under its path before or after: a glob, or a directory
    #[arg(long, value_name = "GLOB")]
    pub path: Vec<String>,
    /// Only commits of this class, as `headwater classify` gives them
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// Only commits by this author: a regular expression over `Name <address>`
    #[arg(long, value_name = "REGEX")]
    pub author: Option<String>,
    /// Only commits made on this day or later: 2026-08-12, or an RFC 3339 time
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only commits made on this day or earlier
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
}

impl FilterArgs {
    /// The filter that they mean.
    pub fn filter(&self, window: Option<WindowSpec>, merges: bool) -> anyhow::Result<Filter> {
        Ok(Filter {
            all: self.all,
            merges,
            class: self.class.clone(),
            window,
            paths: self.path.clone(),
            author: self.author.clone(),
            since: self.since.as_deref().map(|text| seconds(text, false)).transpose()?,
            until: self.until.as_deref().map(|text| seconds(text, true)).transpose()?,
        })
    }

    /// The upstreams that are named, or all that are stored.
    pub fn upstreams<'a>(
        &self,
        context: &'a Context,
        store: &Store,
    ) -> anyhow::Result<Vec<&'a Upstream>> {
        if !self.upstream.is_empty() {
            let found = self.upstream.iter().map(|name| context.upstreams.get(name));
            return Ok(found.collect::<Result<_, _>>()?);
        }
        // One whose file has gone since it was crawled is told, not left out.
        let stored = context.stored_names(store)?;
        let stored = stored.iter().map(|name| context.upstreams.get(name));
        Ok(stored.collect::<Result<_, _>>()?)
    }

    /// Refuses a class whose labels are not there.
    pub fn require_class(
        &self,
        context: &Context,
        store: &Store,
        upstreams: &[&Upstream],
    ) -> anyhow::Result<()> {
        if let Some(class) = &self.class {
            let labelling = context.labelling()?;
            grep::require_class(store, upstreams, labelling.sources(), class)?;
        }
        Ok(())
    }
}

/// The first or last second of a day, or a time.
fn seconds(text: &str, end: bool) -> anyhow::Result<i64> {
    if let Ok(time) = chrono::DateTime::parse_from_rfc3339(text) {
        return Ok(time.timestamp());
    }
    let day: chrono::NaiveDate = text.parse().map_err(|_| {
        anyhow::anyhow!("{text:?} is no date; write 2026-08-12 or 2026-08-12T10:00:00Z")
    })?;
    let time = if end { day.and_hms_opt(23, 59, 59) } else { day.and_hms_opt(0, 0, 0) };
    Ok(time.context("no such time")?.and_utc().timestamp())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn a_day_begins_and_ends_in_utc() {
        assert_eq!(seconds("1970-01-02", false).unwrap(), 86_400);
        assert_eq!(seconds("1970-01-02", true).unwrap(), 2 * 86_400 - 1);
        assert_eq!(seconds("1970-01-01T01:00:00+01:00", true).unwrap(), 0);
        assert!(seconds("yesterday", false).is_err());
    }
}
