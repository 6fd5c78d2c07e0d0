//! `headwater schema`: what the documents of `--format json` look like.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::render::{self, table::Table, text};
use crate::schemas::{self, Document};

/// The JSON Schema of what a command prints with --format json
///
/// Every such document names its schema at its top: `"schema": "headwater/why/1"`. Without a
/// name, this lists them all.
///
/// Examples:
///   headwater schema
///   headwater schema why
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// A document's name, like why or headwater/why/1
    #[arg(conflicts_with = "write")]
    pub name: Option<String>,
    /// Write every schema into a directory, with a list of them
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,
}

/// The documents that this headwater prints.
#[derive(Serialize, JsonSchema)]
pub struct List {
    /// `headwater/schemas/1`
    schema: &'static str,
    /// A row for each kind of document.
    documents: Vec<Row>,
}

/// A kind of document.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// Its name, by which `headwater schema NAME` prints its schema.
    name: &'static str,
    /// What its `schema` field says.
    id: String,
    /// The command that prints it.
    command: &'static str,
    /// What it is.
    about: String,
}

/// Prints one schema or the list, or writes them all.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    match (args.name, args.write) {
        (Some(name), _) => match Document::find(&name) {
            Some(document) => render::json(&document.schema())?,
            None => {
                let names: Vec<&str> = schemas::ALL.iter().map(|one| one.name).collect();
                bail!("no document is called {name:?}; there are {}", names.join(", "));
            }
        },
        (None, Some(dir)) => write(&dir)?,
        (None, None) if format == Format::Json => {
            render::json(&List { schema: "headwater/schemas/1", documents: rows() })?;
        }
        (None, None) => {
            let mut table = Table::new(&["name", "printed by", "what it is"]);
            for row in rows() {
                table.row(vec![row.name.to_owned(), row.command.to_owned(), row.about]);
            }
            render::print(&table.print(format))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn rows() -> Vec<Row> {
    let row = |one: &Document| Row {
        name: one.name,
        id: one.id(),
        command: one.command,
        about: one.about(),
    };
    schemas::ALL.iter().map(row).collect()
}

/// Writes every schema, and the page that lists them.
fn write(dir: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let mut page = String::from(HEAD);
    for row in rows() {
        let Row { name, command, about, .. } = row;
        let [command, about] = [command, about.as_str()].map(text::markdown);
        let _ = writeln!(page, "| [{name}]({name}.json) | {command} | {about} |");
    }
    for one in schemas::ALL {
        let text = format!("{}\n", serde_json::to_string_pretty(&one.schema())?);
        render::write_whole(&dir.join(format!("{}.json", one.name)), &text)?;
    }
    render::write_whole(&dir.join("README.md"), &page)
}

/// What the page of all schemas begins with.
const HEAD: &str = "# JSON schemas

Every document that `--format json` prints has a `schema` at its top, like
`headwater/why/1`. Its JSON Schema (2020-12) is here by that name, and
`headwater schema NAME` prints the one of the binary that you have. They are made from the
types that are printed (`headwater schema --write DIR`), and tests hold them and
what the miniatures yield against each other.

Names and meanings of fields stay from release to release; where one must change, the number
at the end of `schema` grows. New fields may come at any time, so do not refuse fields that a
schema does not name. A field that may be missing is not in `required`.

| document | printed by | what it is |
| --- | --- | --- |
";
