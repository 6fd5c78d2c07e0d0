//! How long work tells where it stands; what is shown is the caller's business.

/// Shows stages of work.
pub trait Progress: Sync {
    /// Begins a stage of `total` steps, where the number is known.
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage>;
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
