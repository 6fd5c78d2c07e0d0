//! How long work tells where it stands, and how it is ended; what is shown is the caller's
//! business.

/// Looks on while there is long work.
pub trait Progress: Send + Sync {
    /// Begins a stage of `total` steps, where the number is known.
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage>;

    /// Whether anybody still waits for the answer to a question. It is asked often, so it
    /// must be cheap; a question that nobody waits for ends with
    /// [`StoreError::GivenUp`](crate::StoreError::GivenUp).
    fn is_wanted(&self) -> bool {
        true
    }
}

/// A stage of work that is under way. It ends when it is dropped.
pub trait Stage: Send + Sync {
    /// So many more steps are done.
    fn advance(&self, steps: u64);
}

/// Shows nothing.
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: Option<u64>) -> Box<dyn Stage> {
        Box::new(SilentStage)
    }
}

struct SilentStage;

impl Stage for SilentStage {
    fn advance(&self, _steps: u64) {}
}
