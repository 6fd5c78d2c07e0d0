//! What was looked for in the time and not found.

use headwater_store::evidence::{Absence, Method};

use super::part::{Part, TOOLCHAIN, WORK, filter};
use super::report::Digest;
use crate::QueryError;
use crate::grep::{self, GrepRequest, Within, quote};
use crate::why;

impl Part<'_> {
    /// What the told classes lack: by search where no line has the class's words either.
    pub(super) fn absences(&self, out: &mut Digest) -> Result<(), QueryError> {
        let name = &self.upstream.name;
        let options = self.period().options();
        for question in why::absent_questions()? {
            let told = WORK.contains(&question.class.as_str())
                || TOOLCHAIN.contains(&question.class.as_str())
                || question.class == "default-change";
            let found = match question.class.as_str() {
                "default-change" => out.defaults.iter().any(|d| d.upstream == *name),
                class => {
                    let mut all = out.work.iter().chain(&out.toolchain);
                    all.any(|w| w.upstream == *name && w.classes.iter().any(|c| c == class))
                }
            };
            if !told || found || self.inside.is_empty() {
                continue;
            }
            let what = &question.what;
            let by_rule = format!(
                "headwater grep --commits --class {} --upstream {name} {options} -e ''",
                question.class
            );
            let none = format!("{name} {}: no rule for {what} fired", self.period().name);
            let Some(words) = &question.words else {
                out.absences.push(Absence::new(
                    none,
                    Method::Rule,
                    self.coverage.clone(),
                    vec![by_rule],
                ));
                continue;
            };
            let request = GrepRequest {
                patterns: vec![words.clone()],
                options: Default::default(),
                upstreams: vec![self.upstream],
                filter: filter(self.period()),
                within: Within::Changes,
                occurrences: false,
                context: 0,
                most: None,
                detail: grep::Detail::Count,
                jobs: self.request.jobs,
            };
            let (claim, method) = match grep::commits(self.store, &request)?.commits.len() {
                0 => (
                    format!(
                        "{name} {}: no {what}: no changed line has its words",
                        self.period().name
                    ),
                    Method::Search,
                ),
                n => (format!("{none} ({n} commits hold words of it)"), Method::Rule),
            };
            let by_words =
                format!("headwater grep -e {} --upstream {name} {options}", quote(words));
            let rederive = vec![by_words, by_rule];
            out.absences.push(Absence::new(claim, method, self.coverage.clone(), rederive));
        }
        Ok(())
    }
}
