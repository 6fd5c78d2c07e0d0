//! A question as it is kept, so that it can be asked again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::QueryError;
use crate::why::{AsOf, WhyQuestion};
use crate::window::WindowSpec;

/// A question about a window, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SavedQuestion {
    /// The upstream.
    pub upstream: String,
    /// The excluded end, as written.
    pub base: String,
    /// The included end, as written.
    pub head: String,
    /// What was seen.
    pub symptom: Option<String>,
    /// The backend.
    pub backend: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The phase.
    pub phase: Option<String>,
    /// The kind of change.
    pub kind: Option<String>,
    /// `head`, `now`, or seconds since 1970.
    pub as_of: String,
}

impl SavedQuestion {
    /// The question to be kept.
    pub fn of(question: &WhyQuestion) -> Self {
        SavedQuestion {
            upstream: question.upstream.clone(),
            base: question.window.base.clone(),
            head: question.window.head.clone(),
            symptom: question.symptom.clone(),
            backend: question.backend.clone(),
            model: question.model.clone(),
            phase: question.phase.clone(),
            kind: question.kind.clone(),
            as_of: match question.as_of {
                AsOf::Head => "head".to_owned(),
                AsOf::Now => "now".to_owned(),
                AsOf::Time(time) => time.to_string(),
            },
        }
    }

    /// Reads a kept question.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(value: &serde_json::Value) -> Result<Self, QueryError> {
        serde_json::from_value(value.clone())
            .map_err(|error| QueryError::Report(format!("its question: {error}")))
    }

    /// The question, to be asked.
    ///
    /// # Errors
    /// Where a part of it cannot be read.
    pub fn ask(&self, jobs: usize) -> Result<WhyQuestion, QueryError> {
        let as_of = match self.as_of.as_str() {
            "head" => AsOf::Head,
            "now" => AsOf::Now,
            time => AsOf::Time(
                time.parse()
                    .map_err(|_| QueryError::Report(format!("{time:?} is no time to ask as of")))?,
            ),
        };
        Ok(WhyQuestion {
            upstream: self.upstream.clone(),
            window: WindowSpec { base: self.base.clone(), head: self.head.clone() },
            symptom: self.symptom.clone(),
            backend: self.backend.clone(),
            model: self.model.clone(),
            phase: self.phase.clone(),
            kind: self.kind.clone(),
            installed: None,
            as_of,
            jobs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_comes_back_as_it_was_asked() {
        for as_of in [AsOf::Head, AsOf::Now, AsOf::Time(1_700_000_000)] {
            let question = WhyQuestion {
                upstream: "ollama".into(),
                window: WindowSpec { base: "v1".into(), head: "v2".into() },
                symptom: Some("slow".into()),
                backend: None,
                model: Some("m:1b".into()),
                phase: None,
                kind: Some("speed".into()),
                installed: None,
                as_of,
                jobs: 2,
            };
            let kept = SavedQuestion::of(&question);
            let json = serde_json::to_value(&kept).unwrap();
            let asked = SavedQuestion::read(&json).unwrap().ask(2).unwrap();
            assert_eq!((asked.as_of, SavedQuestion::of(&asked)), (as_of, kept));
        }
        assert!(SavedQuestion::read(&serde_json::json!({})).is_err());
    }
}
