//! What moved upstream.

use chrono::{DateTime, Utc};
use headwater_queries::digest::{Digest, DigestRequest, Marks, Period, digest};
use headwater_store::Store;

use crate::context::Context;

/// A time, and the question that asks for it again.
pub struct When {
    /// The time.
    pub period: Period,
    /// The question.
    pub question: String,
}

impl When {
    /// From a day until now, or an ISO week: this one where none is named.
    pub fn new(
        since: Option<&str>,
        week: Option<&str>,
        now: DateTime<Utc>,
    ) -> anyhow::Result<Self> {
        Ok(match since {
            Some(day) => When {
                period: Period::since(day, now)?,
                question: format!("headwater digest --since {day}"),
            },
            None => {
                let period = Period::week(week.filter(|week| !week.is_empty()), now)?;
                let question = format!("headwater digest --week {}", period.name);
                When { period, question }
            }
        })
    }
}

/// The upstreams that are named, or all that are stored.
pub fn names(context: &Context, store: &Store, asked: &[String]) -> anyhow::Result<Vec<String>> {
    if asked.is_empty() {
        return context.stored_names(store);
    }
    let found = asked.iter().map(|name| Ok(context.upstreams.get(name)?.name.clone()));
    found.collect()
}

/// Asks it of these upstreams.
pub fn ask(
    context: &Context,
    store: &mut Store,
    asked: &[String],
    when: When,
    marks: Option<Marks>,
) -> anyhow::Result<Digest> {
    let mut upstreams = Vec::new();
    for name in names(context, store, asked)? {
        upstreams.push(context.upstreams.get(&name)?);
    }
    let mut question = when.question;
    for name in asked {
        question.push_str(&format!(" --upstream {name}"));
    }
    let labelling = context.labelling()?;
    let request = DigestRequest {
        period: when.period,
        upstreams,
        sources: labelling.sources(),
        question,
        marks,
        jobs: context.question_jobs(),
    };
    Ok(digest(store, &context.upstreams, &request)?)
}
