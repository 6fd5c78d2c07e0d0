//! Measurements on the reader's own machine: the arithmetic of a toggle, what repeated
//! runs bound, where observations disagree, where a table of speeds has a step, and which
//! toggles are worth a measurement.

mod asked;
mod conventions;
mod disagree;
mod error;
mod interval;
mod output;
mod plan;
mod record;
mod setting;
mod shown;
mod speed;
mod step;
mod table;
mod tolerance;

pub(crate) use asked::AskedChange;
pub use asked::SymptomRule;
pub use conventions::Conventions;
pub use disagree::{CheapestRun, Differing, Disagreement, disagreements};
pub use error::MeasureError;
pub use interval::{Interval, welch};
pub use output::OutputFinding;
pub use plan::{Plan, PlannedToggle, plan};
pub use record::{ToRecord, read_toggle, record, speeds};
pub use setting::{moved_by, same_setting};
pub use shown::{ObservationShown, ToggledCommit};
pub use speed::{Arm, Finding, Speed, Unit, mean_speed};
pub use step::{Step, Steps, find_steps};
pub use table::{ArmRuns, Point, SpeedTable, read_runs, read_table};
pub use tolerance::{Tolerance, of_run};
