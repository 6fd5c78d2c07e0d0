//! `headwater plan`: the toggles worth measuring, as commands.

use std::process::ExitCode;

use clap::builder::NonEmptyStringValueParser;
use headwater_queries::measure;
use headwater_queries::why;
use headwater_queries::window::WindowSpec;

use super::backend;
use super::why::Question;
use crate::args::Format;
use crate::context::Context;
use crate::render::{self, page::Page};

/// What to run on your own server to tell a window's candidates apart
///
/// For each of the first candidates: the new version with the old behaviour and as it
/// comes, as commands, and what each outcome would mean. Nothing is run.
///
/// Examples:
///   headwater plan ollama v0.32.9..v0.32.13 --model gemma4:26b --backend cuda
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp
    pub upstream: String,
    /// BASE..HEAD
    pub window: String,
    /// HEAD, where the window was given as two arguments
    pub head: Option<String>,
    /// The model, as Ollama names it
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub model: Option<String>,
    /// What the model runs on; rocm, nvidia, apple and the like are understood
    #[arg(long, value_parser = backend::parser(), ignore_case = true)]
    pub backend: Option<String>,
    /// How many candidates to plan for
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub top: usize,
}

/// Ranks, and prints the commands.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let store = context.open()?;
    let question = Question {
        upstream: args.upstream,
        window: WindowSpec::from_args(&args.window, args.head.as_deref())?,
        model: args.model.clone(),
        backend: args.backend,
    }
    .plain(context);
    let report =
        why::why(&store, &context.upstreams, &crate::answers::why::rules(context)?, &question)?;
    let plan = measure::plan(&report, args.model.as_deref(), args.top);
    if format == Format::Json {
        render::json(&plan)?;
        return Ok(ExitCode::SUCCESS);
    }
    let scrub = context.scrub_if(format, None)?;
    let mut page = Page::new(format, scrub.as_ref());
    render::measure::plan(&mut page, &plan);
    render::print(&page.finish("headwater plan"))?;
    Ok(ExitCode::SUCCESS)
}
