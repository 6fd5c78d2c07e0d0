//! How much of GitHub's hourly limit is used.
//! <https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>

use chrono::{DateTime, Utc};
use http::HeaderMap;

/// The requests of this run, and what GitHub says is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Requests that this run made, repeated ones included.
    pub requests: u64,
    /// Of them, those that asked only for what is newer.
    pub conditional: u64,
    /// Requests an hour, as last told.
    pub limit: Option<u64>,
    /// How many are left of them.
    pub remaining: Option<u64>,
    /// When the hour ends.
    pub reset: Option<DateTime<Utc>>,
}

impl Budget {
    /// Takes over what an answer says.
    pub(super) fn heed(&mut self, headers: &HeaderMap) {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
        self.limit = number("x-ratelimit-limit").or(self.limit);
        self.remaining = number("x-ratelimit-remaining").or(self.remaining);
        let reset = number("x-ratelimit-reset").and_then(|s| i64::try_from(s).ok());
        self.reset = reset.and_then(|s| DateTime::from_timestamp(s, 0)).or(self.reset);
    }
}

impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} requests to GitHub's API", self.requests)?;
        if let (Some(remaining), Some(limit)) = (self.remaining, self.limit) {
            write!(f, ", {remaining} of {limit} an hour left")?;
        }
        if let Some(reset) = self.reset.filter(|_| self.remaining == Some(0)) {
            write!(f, " until {}", reset.format("%H:%M UTC"))?;
        }
        Ok(())
    }
}
