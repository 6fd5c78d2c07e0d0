//! `headwater effects`: which models a default change reaches.

use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::models;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Which stored models a default change reaches, which not, and which cannot be told
///
/// A model that sets the knob itself is not reached by the server's default.
///
/// Examples:
///   headwater effects 6a261db7d
///   headwater effects llama.cpp 153d324bc
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The commit; or its upstream, and then the commit
    #[arg(value_name = "[UPSTREAM] SHA", num_args = 1..=2, required = true)]
    pub commit: Vec<String>,
}

/// Prints the models for each default that the commit moves.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let (upstream, sha) = match args.commit.as_slice() {
        [upstream, sha] => (Some(upstream.as_str()), sha.as_str()),
        [sha] => (None, sha.as_str()),
        _ => anyhow::bail!("say which commit: `headwater effects [UPSTREAM] SHA`"),
    };
    let store = context.open()?;
    let extractors = context.extractors()?;
    let mut found = models::effects(&store, &context.upstreams, &extractors, upstream, sha)?;
    let answer = match (found.pop(), found.as_slice()) {
        (Some(only), []) => only,
        (last, others) => {
            let all = others.iter().chain(last.as_ref());
            let names: Vec<String> =
                all.map(|a| format!("{} {}", a.upstream, a.sha.short())).collect();
            anyhow::bail!("{sha:?} could be any of: {}; name one of these", names.join(", "));
        }
    };
    if format == Format::Json {
        render::json(&answer)?;
    } else {
        write!(anstream::stdout(), "{}", render::model::effects(&answer, format))?;
    }
    Ok(ExitCode::SUCCESS)
}
