//! Every command that README.md and docs/ show is run, by the binary itself.
//!
//! Each page has a reader of its own ([`reader`]) who types its commands from top to bottom;
//! what they speak of is put into the miniatures' words first ([`stands`]).

mod read;
mod reader;
mod stands;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use headwater_testkit::{Model, Testkit};

use self::read::{Kind, Page, Shown};
use self::reader::{Ended, Reader};
use self::stands::Table;

/// So many commands the pages show at least; fewer would say that they are not read.
const AT_LEAST: usize = 245;
/// How many pages are read at a time.
const THREADS: usize = 4;

/// What became of a page's commands.
#[derive(Default)]
struct Told {
    ran: usize,
    faults: Vec<String>,
    /// Lines of the table that were needed.
    used: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// README.md and every page below docs/.
fn pages() -> Vec<String> {
    let mut out = vec!["README.md".to_owned()];
    let mut open = vec!["docs".to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(root().join(&dir)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{dir}/{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                open.push(name);
            } else if name.ends_with(".md") {
                out.push(name);
            }
        }
    }
    out.sort();
    out
}

fn table(kit: &Testkit) -> Table {
    Table::read(|upstream, name| {
        let sha = kit.with_demo(|demo| {
            let repository = if upstream == "ollama" { &demo.ollama } else { &demo.llama_cpp };
            repository.sha(name).map(str::to_owned)
        });
        sha.flatten().unwrap_or_else(|| panic!("no commit is called {upstream}/{name}"))
    })
}

#[test]
fn every_command_of_the_pages_runs() {
    let kit = Testkit::start().unwrap();
    kit.limits(|limits| limits.anonymous = 100_000);
    // What `doctor --live` asks the registry for.
    kit.models(|models| models.push(Model::new("all-minilm", "latest", "bert")));
    let table = table(&kit);
    let whole = reader::whole(&kit);
    let names = command_names(&whole);
    let mut pages = pages();
    // The longest first.
    pages.sort_by_key(|name| !table.fresh.contains(name));
    let (next, told) = (AtomicUsize::new(0), Mutex::new(Told::default()));
    let answered = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(name) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (reader, answered) = if table.fresh.contains(name) {
                        (Reader::new(&kit), None)
                    } else {
                        (Reader::with_store(&kit, &whole.store()), Some(&answered))
                    };
                    let page = read::page(&root(), name, &names);
                    for file in table.files.iter().filter(|file| file.page == *name) {
                        reader.write(&file.place, &page.files[file.block]);
                    }
                    let one = type_all(&page, &table, &reader, answered);
                    let mut told = told.lock().unwrap();
                    told.ran += one.ran;
                    told.faults.extend(one.faults);
                    told.used.extend(one.used);
                }
            });
        }
    });
    let told = told.into_inner().unwrap();
    let mut faults = told.faults;
    let listed = table.not_run.iter().map(|one| &one.line);
    for line in listed.chain(table.ends.iter().map(|one| &one.command)) {
        if !told.used.contains(line) {
            faults.push(format!("stands_for.toml: no page shows {line:?} any more"));
        }
    }
    faults.sort();
    assert!(
        faults.is_empty(),
        "{} faults; cli/tests/it/docs/stands_for.toml says what stands for what here, and what \
         cannot be run:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(told.ran >= AT_LEAST, "only {} commands were run", told.ran);
}

/// Types what a page shows, each line once; `answered` has the questions that another
/// reader put to the same store.
fn type_all(
    page: &Page,
    table: &Table,
    reader: &Reader<'_>,
    answered: Option<&Mutex<BTreeSet<String>>>,
) -> Told {
    let mut told = Told { faults: page.faults.clone(), ..Told::default() };
    let mut typed = BTreeSet::new();
    for shown in &page.commands {
        if table.not_run.iter().any(|one| one.line == shown.text) {
            told.used.insert(shown.text.clone());
            continue;
        }
        let lines = match shown.kind {
            Kind::Typed => vec![table.typed(&shown.text)],
            Kind::Synopsis => table.synopsis(&shown.text),
        };
        for line in lines {
            let other =
                line.split(' ').next().is_some_and(|one| table.others.iter().any(|o| o == one));
            if other || !typed.insert(line.clone()) {
                continue;
            }
            told.ran += 1;
            if asks_only(&line)
                && answered.is_some_and(|all| !all.lock().unwrap().insert(line.clone()))
            {
                continue;
            }
            let ended = reader.types(&line);
            if let Some(fault) = fault(shown, &line, &ended, table, reader, &mut told.used) {
                told.faults.push(fault);
            }
        }
    }
    told
}

/// Whether a line leaves everything as it was, so that one reader's answer is another's.
fn asks_only(line: &str) -> bool {
    const QUESTIONS: [&str; 15] = [
        "contains", "defaults", "demo", "doctor", "effects", "file", "grep", "lag", "model",
        "pins", "search", "serve", "show", "status", "why",
    ];
    let name = line.strip_prefix("headwater ").and_then(|rest| rest.split(' ').next());
    let keeps = ["--save", "--speeds", "--keep", "&&"].iter().any(|word| line.contains(word));
    name.is_some_and(|name| QUESTIONS.contains(&name)) && !keeps
}

/// What is wrong with how a command ended.
fn fault(
    shown: &Shown,
    line: &str,
    ended: &Ended,
    table: &Table,
    reader: &Reader<'_>,
    used: &mut BTreeSet<String>,
) -> Option<String> {
    let expected = table.ends.iter().find(|one| one.command == shown.text);
    if let Some(one) = expected {
        used.insert(one.command.clone());
    }
    let status = expected.map_or(0, |one| one.status);
    if ended.status == Some(status) && status != 2 {
        return if reader::speaks(line) && !ended.stdout.contains("\"tools\"") {
            Some(format!("{}:{}: no tools: {}", shown.page, shown.line, ended.stdout))
        } else {
            None
        };
    }
    // A command that is only named, and asks for more: its help must be there.
    if shown.inline && is_name(line) {
        let (name, options): (Vec<&str>, Vec<&str>) =
            line.split(' ').partition(|word| !word.starts_with('-'));
        let help = reader.types(&format!("{} --help", name.join(" ")));
        if help.status == Some(0) && options.iter().all(|option| help.stdout.contains(option)) {
            return None;
        }
    }
    let told = ended.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let first = ended.stderr.lines().next().unwrap_or_default();
    Some(format!(
        "{}:{}: {}\n    as {line}\n    status {:?}, not {status}: {first} … {told}",
        shown.page, shown.line, shown.text, ended.status
    ))
}

/// Whether a line is only the name of a command: `headwater rig log`.
fn is_name(line: &str) -> bool {
    line.split(' ').all(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
}

#[test]
fn options_that_pages_speak_of_and_files_that_they_link_are_there() {
    let kit = Testkit::start().unwrap();
    let table = table(&kit);
    let reader = Reader::new(&kit);
    let options = known_options(&reader);
    let mut faults = Vec::new();
    for name in pages() {
        let page = read::page(&root(), &name, &BTreeSet::new());
        for (line, span) in &page.options {
            let begins = |word: &str| {
                word.strip_prefix("--").is_some_and(|name| name.starts_with(char::is_alphabetic))
            };
            for option in span.split_whitespace().filter(|word| begins(word)) {
                let option = option.split(['=', '[']).next().unwrap_or_default();
                let foreign = table.foreign_options.iter().any(|one| one == option);
                if !foreign && !options.contains(option) {
                    faults.push(format!("{name}:{line}: {option} is no option"));
                }
            }
        }
        let dir = root().join(&name).parent().unwrap().to_owned();
        for (line, link) in &page.links {
            let file = link.split('#').next().unwrap_or_default();
            if !link.contains("://") && !file.is_empty() && !dir.join(file).exists() {
                faults.push(format!("{name}:{line}: {link} leads nowhere"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The names of the commands, as the help lists them.
fn command_names(reader: &Reader<'_>) -> BTreeSet<String> {
    let help = reader.types("headwater --help").stdout;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let lines = list.unwrap_or_default().lines().filter(|line| line.starts_with("  "));
    let names: BTreeSet<String> =
        lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
    assert!(names.contains("why") && names.len() > 20, "{help}");
    names
}

/// Every option of every command, as the fish completions list them, and of the one that
/// they leave out.
fn known_options(reader: &Reader<'_>) -> BTreeSet<String> {
    let script = reader.types("headwater completions fish").stdout;
    let words = script.split_whitespace().collect::<Vec<_>>();
    let long = words.windows(2).filter(|pair| pair[0] == "-l");
    let hidden = reader.types("headwater rank-check --help").stdout;
    let named = hidden.split_whitespace().filter(|word| word.starts_with("--")).map(str::to_owned);
    long.map(|pair| format!("--{}", pair[1])).chain(named).collect()
}
