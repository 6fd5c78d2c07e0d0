//! What every tool needs: the store and the rules.

use std::sync::{Arc, OnceLock};

use headwater_queries::why::Rules;
use headwater_store::Store;
use headwater_store::progress::{Progress, Silent, Stage};
use rmcp::service::{RequestContext, RoleServer};

use crate::answers;
use crate::context::Context;
use crate::lying::AsItLies;

/// Where questions are answered.
#[derive(Clone)]
pub struct Desk {
    /// The surroundings.
    pub context: Arc<Context>,
    /// Whether `why` may fetch.
    pub online: bool,
    /// The store of this call, where it is read as it lies.
    pub lying: AsItLies,
    rules: Arc<OnceLock<Rules>>,
    progress: Arc<dyn Progress>,
}

/// A call that its client can take back.
struct Called(RequestContext<RoleServer>);

impl Progress for Called {
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage> {
        Silent.stage(name, total)
    }

    fn is_wanted(&self) -> bool {
        !self.0.ct.is_cancelled()
    }
}

impl Desk {
    /// A desk that has read no rules yet.
    pub fn new(context: Context, online: bool) -> Self {
        Desk {
            context: Arc::new(context),
            online,
            lying: AsItLies::default(),
            rules: Arc::default(),
            progress: Arc::new(Silent),
        }
    }

    /// The same, for a call that ends when its client takes it back.
    pub fn during(&self, call: RequestContext<RoleServer>) -> Self {
        let lying = AsItLies::default();
        Desk { lying, progress: Arc::new(Called(call)), ..self.clone() }
    }

    /// The rules, compiled when they are first asked for.
    pub fn rules(&self) -> anyhow::Result<&Rules> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let made = answers::why::rules(&self.context)?;
        Ok(self.rules.get_or_init(|| made))
    }

    /// The store, as it is now: a crawl may run beside the server.
    pub fn store(&self) -> anyhow::Result<Store> {
        let mut store = match self.online {
            true => self.context.open_to_fetch()?,
            false => self.context.open()?,
        };
        self.lying.note(&store);
        store.watch(&self.progress)?;
        Ok(store)
    }

    /// What the store holds, in a line for each upstream.
    pub fn holds(&self) -> String {
        let told = || -> anyhow::Result<String> {
            let status = answers::status::ask(&self.context.open()?)?;
            let mut lines = vec!["The store holds:".to_owned()];
            for one in &status.upstreams {
                let as_of = one.last_crawl.as_ref().and_then(|crawl| crawl.finished);
                lines.push(format!(
                    "- {}: {} commits, {}",
                    one.upstream,
                    one.commits,
                    as_of.map_or_else(
                        || "a crawl of it was cut short".to_owned(),
                        |time| format!("as of {}", time.format("%Y-%m-%d")),
                    )
                ));
            }
            lines.push(format!("- published parameters of {} models", status.models.tags));
            Ok(lines.join("\n"))
        };
        told().unwrap_or_else(|error| format!("The store cannot be read: {error:#}"))
    }
}
