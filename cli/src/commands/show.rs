//! `headwater show`: one commit with everything that is known of it.

use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::show::Shown;
use headwater_store::model::Side;

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render::{self, text};

/// One commit: dates, stats, patch, first tags, twins, classes, receipts
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The upstream, where the commit alone could be of several; or the commit
    pub first: String,
    /// The commit, where the upstream was given: an object id or the start of one, a tag, a
    /// build's number, or a pull request ('#17679', llama.cpp#26802)
    pub second: Option<String>,
    /// Leave the patch out
    #[arg(long)]
    pub no_patch: bool,
}

/// Finds the commit and prints it.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let (upstream, revision) = match &args.second {
        Some(revision) => (Some(args.first.as_str()), revision.as_str()),
        None => (None, args.first.as_str()),
    };
    let mut shown = answers::show::ask(context, &store, upstream, revision)?;
    if args.no_patch {
        shown.patch.clear();
    }
    if format == Format::Json {
        render::json(&shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut stdout = anstream::stdout();
    stdout.write_all(screen(&shown, format == Format::Md).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn screen(shown: &Shown, md: bool) -> String {
    let safe = |t: &str| if md { text::markdown(t) } else { text::one_line(t) };
    let mut out = String::new();
    let mut line = |name: &str, value: &str| {
        if md {
            out.push_str(&format!("- **{name}** {}\n", safe(value)));
        } else {
            out.push_str(&format!("{name:14} {}\n", safe(value)));
        }
    };
    line("commit", &format!("{} {}", shown.upstream, shown.sha));
    line("subject", &shown.subject);
    line("author", &format!("{} {}", shown.author, shown.authored.format("%Y-%m-%dT%H:%M:%SZ")));
    line(
        "committer",
        &format!("{} {}", shown.committer, shown.committed.format("%Y-%m-%dT%H:%M:%SZ")),
    );
    if let Some(pr) = shown.pr {
        line("pull request", &format!("#{pr}"));
    }
    let tag = |tag: &Option<String>| tag.clone().unwrap_or_else(|| "none".to_owned());
    line(
        "first tag",
        &format!("{} (final: {})", tag(&shown.first_tag), tag(&shown.first_final_tag)),
    );
    line(
        "first shipped",
        &format!("{} (final: {})", tag(&shown.first_shipped), tag(&shown.first_final_shipped)),
    );
    if let Some(build) = &shown.build {
        line("build", build);
    }
    line("on branch", if shown.on_branch { "yes" } else { "no: only tags reach it" });
    for twin in &shown.twins {
        line("twin", &twin.to_string());
    }
    line("changes", &format!("{} files, +{} -{}", shown.files.len(), shown.added, shown.deleted));
    for class in &shown.classes {
        line("class", &format!("{} (rule {})", class.class, class.rule));
        for evidence in &class.evidence {
            let place =
                format!("{}:{}", evidence.path().unwrap_or_default(), evidence.line().unwrap_or(0));
            line("", &format!("  {place} {}", evidence.text().unwrap_or_default()));
        }
    }
    if let Some(abi) = &shown.abi {
        line("abi", &format!("{} (grade {})", abi.says, abi.grade));
    }
    for gap in &shown.gaps {
        line("gap", gap);
    }
    let receipt = &shown.receipt;
    // Where a clone lies is nobody's business but its owner's.
    let source = match md && !receipt.source().contains("://") {
        true => "a clone",
        false => receipt.source(),
    };
    line(
        "receipt",
        &format!(
            "{} {source} {}",
            receipt.transport(),
            receipt.obtained().format("%Y-%m-%dT%H:%M:%SZ")
        ),
    );
    out.push('\n');
    for body in shown.body.lines() {
        out.push_str(&format!("    {}\n", safe(body)));
    }
    if md && !shown.patch.is_empty() {
        out.push_str("\n~~~~~~diff\n");
    }
    for patch in &shown.patch {
        out.push_str(&format!("\n{}\n", text::one_line(&patch.header)));
        for line in &patch.lines {
            let sign = match line.side {
                Side::Added => '+',
                Side::Removed => '-',
                Side::Context => ' ',
            };
            let body = format!("{sign}{}", text::safe(&line.text).replace('\n', " "));
            match (md, line.side) {
                (false, Side::Added) => out.push_str(&format!("\u{1b}[32m{body}\u{1b}[0m\n")),
                (false, Side::Removed) => out.push_str(&format!("\u{1b}[31m{body}\u{1b}[0m\n")),
                _ => out.push_str(&format!("{body}\n")),
            }
        }
    }
    if md && !shown.patch.is_empty() {
        out.push_str("~~~~~~\n");
    }
    out
}
