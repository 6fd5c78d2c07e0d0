//! `headwater receipts`: what stands under a kept report.

use std::process::ExitCode;

use anyhow::bail;
use chrono::{DateTime, Utc};
use headwater_queries::reports::ReceiptLine;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::Format;
use crate::context::Context;
use crate::render::{self, table::Table};

/// Every receipt under a kept report: URL, hash and date
///
/// Examples:
///   headwater why ollama v0.32.9..v0.32.13 --save upgrade && headwater receipts upgrade
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The report's name (`headwater reports` lists them)
    pub name: String,
}

/// The receipts under a kept report.
#[derive(Serialize, JsonSchema)]
pub struct Receipts<'a> {
    /// `headwater/receipts/1`
    schema: &'static str,
    /// The report's name.
    name: &'a str,
    /// When it was kept.
    saved: DateTime<Utc>,
    /// A line for each record that it rests on.
    #[schemars(with = "Vec<ReceiptLine>")]
    receipts: &'a [Value],
}

/// Prints the receipts.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let report = super::reports::find(&store, &args.name)?;
    let Some((text, _)) = store.report_text(&report, "receipts")? else {
        bail!(
            "{:?} was kept without receipts; `headwater reports show {}` has what was told",
            report.name,
            report.name
        );
    };
    let lines: Vec<Value> = serde_json::from_str(&text)?;
    if format == Format::Json {
        render::json(&Receipts {
            schema: "headwater/receipts/1",
            name: &report.name,
            saved: report.saved,
            receipts: &lines,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["record", "transport", "url", "hash", "obtained"]);
    for line in &lines {
        let field = |name: &str| line[name].as_str().unwrap_or("none").to_owned();
        table.row(["of", "transport", "url", "hash", "obtained"].map(field).to_vec());
    }
    render::print(&table.print(format))?;
    Ok(ExitCode::SUCCESS)
}
