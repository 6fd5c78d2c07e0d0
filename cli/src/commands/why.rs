//! `headwater why`: what explains the change that a window brought.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use headwater_crawler::CrawlError;
use headwater_queries::brief::own_names;
use headwater_queries::measure::SpeedTable;
use headwater_queries::why::{self, AsOf, Rules, WhyQuestion, WhyReport};
use headwater_queries::window::WindowSpec;
use headwater_queries::{QueryError, rank};
use headwater_store::upstream::Upstream;
use headwater_store::{Store, StoreError};

use super::kept;
use crate::args::Format;
use crate::context::Context;
use crate::live::{Live, Via, Wish, is_relative, relative};
use crate::machine::Installed;
use crate::progress::Shown;
use crate::render::{self, page::Page, text::one_line};

/// Why did this version window change speed or answers?
///
/// Ranks the commits of the window, and of the windows of pinned upstreams that it opens,
/// each with its reasons and evidence; shows the defaults that moved and how to get the
/// old ones back; and says what was looked for and not found, and against what.
///
/// What the store lacks of them is fetched first, unless --offline is given.
///
/// Examples:
///   headwater why ollama v0.32.9..v0.32.13 --model gemma4:26b --backend cuda
///   headwater why ollama                      the installed version against the newest
///   headwater why ollama previous..latest     what the newest release brought
///   headwater why ollama installed..latest --mine    should I upgrade, for my models?
///   headwater why llama.cpp b10353 b10380 --symptom 'prompt processing is slower'
///   headwater why ollama --speeds speeds.csv --model gemma4:26b
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream: ollama, llama.cpp
    pub upstream: String,
    /// BASE..HEAD: tags (0.32.9 means v0.32.9), branches, commits, build numbers (b10380),
    /// installed, latest or previous
    #[arg(default_value = "installed..latest", hide_default_value = true)]
    pub window: String,
    /// HEAD, where the window was given as two arguments
    pub head: Option<String>,
    /// What you saw, in your own words
    #[arg(long, value_name = "TEXT")]
    pub symptom: Option<String>,
    /// What the model runs on
    #[arg(long, value_parser = BACKENDS)]
    pub backend: Option<String>,
    /// The model, as Ollama names it
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// For the models that are installed here: by the local server and the models folder, or
    /// by the last reading of `headwater rig`
    #[arg(long, conflicts_with_all = ["model", "save"])]
    pub mine: bool,
    /// Where the change was seen
    #[arg(long, value_parser = ["prefill", "decode", "load"])]
    pub phase: Option<String>,
    /// What kind of change it was
    #[arg(long, value_parser = ["speed", "output", "memory", "crash", "build", "api"])]
    pub kind: Option<String>,
    /// Count nothing from after HEAD (head), everything stored (now), or what was
    /// committed until a date (2026-08-20)
    #[arg(long, value_name = "head|now|DATE", default_value = "now", value_parser = as_of)]
    pub as_of: AsOf,
    /// Ask GitHub what people wrote of it, also where the window is stored: release notes,
    /// advisories, pull requests of commits whose subjects name none
    #[arg(long, conflicts_with = "offline")]
    pub notes: bool,
    /// Also what others report of it, which a token in GH_TOKEN makes unasked
    #[arg(long, conflicts_with = "offline")]
    pub reports: bool,
    /// Ask nothing of any network
    #[arg(long)]
    pub offline: bool,
    /// How what is lacking comes from GitHub
    #[arg(long, value_enum, default_value_t, conflicts_with = "offline")]
    pub via: Via,
    /// Show so many candidates [default: 5 on a screen, all in JSON]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    #[command(flatten)]
    pub kept: kept::Args,
}

/// What models run on.
pub const BACKENDS: [&str; 10] =
    ["cuda", "hip", "musa", "metal", "vulkan", "sycl", "opencl", "webgpu", "rpc", "cpu"];

/// A question about a window, a model and a backend alone.
pub struct Question {
    pub upstream: String,
    pub window: WindowSpec,
    pub model: Option<String>,
    pub backend: Option<String>,
}

impl Question {
    /// The question with nothing else said.
    pub fn plain(self, context: &Context) -> WhyQuestion {
        WhyQuestion {
            upstream: self.upstream,
            window: self.window,
            symptom: None,
            backend: self.backend,
            model: self.model,
            phase: None,
            kind: None,
            installed: None,
            as_of: AsOf::Now,
            jobs: context.question_jobs(),
        }
    }
}

/// Reads `head`, `now` or a date.
fn as_of(text: &str) -> Result<AsOf, String> {
    match text {
        "head" => Ok(AsOf::Head),
        "now" => Ok(AsOf::Now),
        date => {
            let day = chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d")
                .map_err(|_| "write head, now, or a date like 2026-08-20".to_owned())?;
            let end = day.and_hms_opt(23, 59, 59).ok_or("no such date")?;
            Ok(AsOf::Time(end.and_utc().timestamp()))
        }
    }
}

/// Asks, and prints the report.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md, Format::Html])?;
    let upstream = context.upstreams.get(&args.upstream)?;
    let mut store = if args.offline { context.open()? } else { context.open_or_create()? };
    let table = args.kept.table(context, &mut store, &upstream.name)?;
    let window = args.kept.window(table.as_ref(), &args.window, args.head.as_deref())?;
    let Some(window) = window else { return no_step(context, format, table) };
    let mine = match args.mine {
        true => Some(Installed::find(context, &mut store, args.offline)?),
        false => None,
    };
    let mut live = None;
    let window = match (is_relative(&window.base) || is_relative(&window.head), args.offline) {
        (false, _) => window,
        (true, false) => {
            live.insert(Live::new(context, args.via)?).ends(&store, upstream, &window)?
        }
        (true, true) => {
            let version = mine.as_ref().and_then(|mine| mine.version.as_deref());
            stored_ends(&store, upstream, &window, version)?
        }
    };
    let mut question = WhyQuestion {
        upstream: upstream.name.clone(),
        window,
        symptom: args.symptom,
        backend: args.backend,
        model: args.model,
        phase: args.phase,
        kind: args.kind,
        installed: None,
        as_of: args.as_of,
        jobs: context.question_jobs(),
    };
    let rules = rules(context)?;
    let wish = Wish { asked: args.notes || args.reports, reports: args.reports };
    let mut report = match why::why(&store, &context.upstreams, &rules, &question) {
        answer if args.offline || !(wish.asked || lacks(context, &answer)) => answer?,
        answer => {
            let live = match live {
                Some(live) => live,
                None => Live::new(context, args.via)?,
            };
            question.installed = live.running(upstream);
            fetched(context, &mut store, &live, &rules, answer, &question, wish)?
        }
    };
    if let Some(mine) = &mine {
        report = why::mine(&store, &context.upstreams, &rules, &question, &mine.models)?;
    }
    report.speeds = table;
    let top = args.top.unwrap_or(5);
    if let Some(name) = &args.kept.save {
        kept::save(context, &mut store, &rules, &question, &report, name, top)?;
    }
    let public = args.kept.public.unwrap_or(matches!(format, Format::Md | Format::Html));
    let scrub = match (public, &mine) {
        (false, _) => None,
        (true, None) => Some(kept::scrub(context, &report)?),
        (true, Some(mine)) => {
            let own = own_names(&store, mine.models.iter().map(String::as_str))?;
            Some(kept::scrub(context, &report)?.without(own))
        }
    };
    if format != Format::Json {
        render::print(&render::why::screen(&report, top, format, scrub.as_ref()))?;
        return Ok(ExitCode::SUCCESS);
    }
    report.candidates.truncate(args.top.unwrap_or(usize::MAX));
    let mut value = serde_json::to_value(&report)?;
    if let Some(scrub) = scrub {
        scrub.json(&mut value);
    }
    render::json(&value)?;
    Ok(ExitCode::SUCCESS)
}

/// Tells why a table of speeds has no step.
fn no_step(
    context: &Context,
    format: Format,
    table: Option<SpeedTable>,
) -> anyhow::Result<ExitCode> {
    if format == Format::Json {
        render::json(&serde_json::json!({"schema": "headwater/speeds/1", "speeds": table}))?;
    } else if let Some(table) = &table {
        let scrub = context.scrub_if(format, None)?;
        let mut page = Page::new(format, scrub.as_ref());
        render::measure::table(&mut page, table);
        render::print(&page.finish("headwater why --speeds"))?;
    }
    Ok(ExitCode::from(1))
}

/// Fetches what an answer lacked, and answers again; where it does not come, the first
/// answer stands.
fn fetched(
    context: &Context,
    store: &mut Store,
    live: &Live<'_>,
    rules: &Rules,
    answer: Result<WhyReport, QueryError>,
    question: &WhyQuestion,
    wish: Wish,
) -> anyhow::Result<WhyReport> {
    let upstream = context.upstreams.get(&question.upstream)?;
    let api = live.api()?;
    let brought = match live.windows(&api, store, upstream, &question.window, &Shown::new()) {
        Ok(brought) => brought,
        Err(error) => match answer {
            Ok(report) => {
                let line = one_line(&format!("{error:#}"));
                writeln!(anstream::stderr(), "headwater: {line}; answered from what is stored")?;
                return Ok(report);
            }
            // The host was asked, and knows no such end either.
            Err(_) if matches!(error.downcast_ref(), Some(CrawlError::NoSuchRef { .. })) => {
                return Err(error);
            }
            Err(unanswered) => bail!("{unanswered}; to fetch it now: {error:#}"),
        },
    };
    let report = why::why(store, &context.upstreams, rules, question)?;
    // As of the window's head nothing counts that was written afterwards.
    let said = match question.as_of {
        AsOf::Head => Vec::new(),
        AsOf::Now | AsOf::Time(_) => live.said(&api, store, &report, wish)?,
    };
    let spent = api.budget().to_string();
    for line in brought.lines.iter().chain(&said).chain([&spent]).chain(&brought.failed) {
        writeln!(anstream::stderr(), "headwater: {line}")?;
    }
    if said.is_empty() {
        return Ok(report);
    }
    Ok(why::why(store, &context.upstreams, rules, question)?)
}

/// Whether an answer wants what the store lacks and upstream may have.
fn lacks(context: &Context, answer: &Result<WhyReport, QueryError>) -> bool {
    match answer {
        Ok(report) => report.nested.iter().any(|nested| {
            nested.window.is_none()
                && nested.pin_base.is_some()
                && nested.pin_head.is_some()
                && context.upstreams.find(&nested.upstream).is_some()
        }),
        Err(
            QueryError::UnknownRevision { .. }
            | QueryError::NotStored { .. }
            | QueryError::Store(StoreError::NotCrawled(_)),
        ) => true,
        Err(_) => false,
    }
}

/// A window whose ends may be `latest` or `previous`, by the tags that are stored.
fn stored_ends(
    store: &Store,
    upstream: &Upstream,
    window: &WindowSpec,
    installed: Option<&str>,
) -> anyhow::Result<WindowSpec> {
    let tags = store.tags(store.upstream(&upstream.name)?)?;
    let tags: Vec<String> = tags.into_iter().map(|tag| tag.name).collect();
    relative(upstream, &tags, window, &|| match installed {
        Some(version) => Ok(format!("{}{version}", upstream.tag_prefix)),
        None => bail!(
            "which version is installed is asked of the local server: leave --offline out, or name it"
        ),
    })
}

/// The rule sets: the built-in ones, then the user's own.
pub fn rules(context: &Context) -> anyhow::Result<Rules> {
    Ok(Rules {
        classes: context.rule_texts()?,
        extractors: context.extractors()?,
        facets: rank::Facets::shipped().context("the built-in ranking rules")?,
        weights: rank::Weights::shipped().context("the built-in weights")?,
    })
}
