//! A week, or another stretch of days.

use chrono::{DateTime, Datelike as _, Days, NaiveDate, TimeDelta, Utc, Weekday};
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;

/// A stretch of time by committer dates, in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Period {
    /// `2026-W33`, or `2026-08-10..2026-08-16`.
    pub name: String,
    /// Its first moment.
    pub from: DateTime<Utc>,
    /// The first moment after it.
    pub to: DateTime<Utc>,
}

impl Period {
    /// An ISO week: `2026-W33`; without a text, the week of `now`.
    ///
    /// # Errors
    /// [`QueryError::Period`].
    pub fn week(text: Option<&str>, now: DateTime<Utc>) -> Result<Self, QueryError> {
        let wrong = || QueryError::Period(text.unwrap_or_default().to_owned());
        let (year, week) = match text {
            None => (now.iso_week().year(), now.iso_week().week()),
            Some(text) => {
                let (year, week) = text
                    .split_once(['W', 'w'])
                    .map(|(year, week)| (year.trim_end_matches('-'), week))
                    .ok_or_else(wrong)?;
                (year.parse().map_err(|_| wrong())?, week.parse().map_err(|_| wrong())?)
            }
        };
        let monday = NaiveDate::from_isoywd_opt(year, week, Weekday::Mon).ok_or_else(wrong)?;
        if midnight(monday) > now {
            return Err(wrong());
        }
        let next = monday.checked_add_days(Days::new(7)).ok_or_else(wrong)?;
        Ok(Period {
            name: format!("{year}-W{week:02}"),
            from: midnight(monday),
            to: midnight(next),
        })
    }

    /// From a day (`2026-08-10`) until `now`.
    ///
    /// # Errors
    /// [`QueryError::Period`].
    pub fn since(text: &str, now: DateTime<Utc>) -> Result<Self, QueryError> {
        let day: NaiveDate = text.parse().map_err(|_| QueryError::Period(text.to_owned()))?;
        if midnight(day) > now {
            return Err(QueryError::Period(text.to_owned()));
        }
        Ok(Period {
            name: format!("{day}.."),
            from: midnight(day),
            to: now + TimeDelta::seconds(1),
        })
    }

    /// Whether nothing more can be committed in it.
    pub fn is_closed(&self, now: DateTime<Utc>) -> bool {
        self.to <= now
    }

    /// Whether a moment lies in it.
    pub fn holds(&self, at: DateTime<Utc>) -> bool {
        self.from <= at && at < self.to
    }

    /// The options that narrow a search to it.
    pub(super) fn options(&self) -> String {
        let last = self.to - TimeDelta::seconds(1);
        let time = |at: DateTime<Utc>| at.format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let whole = self.to.time() == chrono::NaiveTime::MIN;
        match whole {
            true => format!("--since {} --until {}", self.from.date_naive(), last.date_naive()),
            false => format!("--since {} --until {}", self.from.date_naive(), time(last)),
        }
    }
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(chrono::NaiveTime::MIN).and_utc()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_iso_weeks_in_utc() {
        let now = "2026-08-19T12:00:00Z".parse().unwrap();
        let week = Period::week(Some("2026-W33"), now).unwrap();
        assert_eq!(week.from.to_rfc3339(), "2026-08-10T00:00:00+00:00");
        assert_eq!(week.to.to_rfc3339(), "2026-08-17T00:00:00+00:00");
        assert_eq!(week.options(), "--since 2026-08-10 --until 2026-08-16");
        assert!(week.is_closed(now) && !week.holds(week.to) && week.holds(week.from));
        let this = Period::week(None, now).unwrap();
        assert_eq!((this.name.as_str(), this.is_closed(now)), ("2026-W34", false));
        for bad in ["2026-33", "2026-W54", "W33", "2026-W0", "2026-W35", ""] {
            assert!(Period::week(Some(bad), now).is_err(), "{bad}");
        }
        assert!(Period::since("2027-01-01", now).is_err() && Period::since("x", now).is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,20}", year in "[0-9]{1,12}", week in "[0-9]{1,12}") {
            let now = Utc::now();
            let _ = Period::week(Some(&text), now);
            let _ = Period::week(Some(&format!("{year}-W{week}")), now);
            let _ = Period::since(&text, now);
        }
    }
}
