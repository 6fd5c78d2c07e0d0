//! `headwater model`: what a model publishes, and what of it changed.

use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::models;

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;

/// What a model sets itself, and what of it changed from one digest to the next
///
/// With --at: what a request that sets nothing runs with at that version, knob by knob,
/// and where each value comes from. Without a name: the models that are stored.
///
/// Examples:
///   headwater crawl models gemma4:26b && headwater model gemma4:26b
///   headwater model gemma4:26b --at v0.32.9
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The model, as Ollama names it
    pub name: Option<String>,
    /// A version of the server that runs it
    #[arg(long, value_name = "TAG", requires = "name")]
    pub at: Option<String>,
    /// That server
    #[arg(long, value_name = "NAME", default_value = "ollama", requires = "at")]
    pub upstream: String,
    /// Also the options that nothing sets, the flags that are not always passed, and all
    /// defaults of the engine
    #[arg(long, requires = "at")]
    pub all: bool,
}

/// The models that the store knows.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct List {
    /// `headwater/models/1`
    schema: &'static str,
    /// A row for each tag of a model.
    models: Vec<models::ModelSummary>,
}

impl List {
    /// The list of these.
    pub fn of(models: Vec<models::ModelSummary>) -> Self {
        List { schema: "headwater/models/1", models }
    }
}

/// Prints one model, or the list of them.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let mut stdout = anstream::stdout();
    let Some(name) = args.name else {
        let models = models::summaries(&store)?;
        if format == Format::Json {
            render::json(&List::of(models))?;
        } else {
            write!(stdout, "{}", render::model::list(&models, format))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let at = args.at.as_deref().map(|at| (args.upstream.as_str(), at));
    let answer = answers::model::ask(context, &store, &name, at)?;
    if format == Format::Json {
        render::json(&answer)?;
    } else {
        write!(stdout, "{}", render::model::screen(&answer, args.all, format))?;
    }
    Ok(ExitCode::SUCCESS)
}
