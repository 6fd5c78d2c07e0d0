//! Indexes and derived tables: damaged, lagging, lost, and made anew.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::Place;

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The commits that both indexes tell of a word.
fn told(place: &Place) -> (String, Vec<Value>) {
    let grep = place.ok(&["grep", "--commits", "RepeatPenalty"]);
    let search = place.json(&["search", "RepeatPenalty", "-n", "100"]);
    let hits = search["hits"].as_array().unwrap().iter().map(|hit| hit["sha"].clone());
    (grep, hits.collect())
}

/// The findings that are not fine: check, and what to run.
fn findings(place: &Place, status: i32) -> Vec<(String, String)> {
    let output = place.run(&["doctor", "--format", "json", "--seed", "1"]);
    let diagnosis: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(status), "{diagnosis:#}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = diagnosis["findings"].as_array().unwrap();
    let bad = all.iter().filter(|finding| finding["health"] != "fine");
    bad.map(|finding| (text(&finding["check"]), text(&finding["fix"]))).collect()
}

fn largest(dir: &Path) -> PathBuf {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    files.max_by_key(|path| std::fs::metadata(path).unwrap().len()).unwrap()
}

#[test]
fn a_sound_store_is_found_sound() {
    let place = Place::crawled();
    assert_eq!(findings(&place, 0), []);
    let screen = place.ok(&["doctor", "--sample", "5"]);
    assert!(screen.contains("git says the same of"), "{screen}");
    assert!(place.error(&["doctor", "--store", "/nowhere/at/all"]).contains("there is no store"));
}

/// Sets the mode of a directory's files and of itself.
#[cfg(unix)]
fn set_modes(dir: &Path, file: u32, directory: u32) {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    set_permissions(dir, Permissions::from_mode(0o755)).unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => set_modes(&entry.path(), file, directory),
            false => set_permissions(entry.path(), Permissions::from_mode(file)).unwrap(),
        }
    }
    set_permissions(dir, Permissions::from_mode(directory)).unwrap();
}

/// Somebody who may read a store and not write it.
#[cfg(unix)]
struct Reader<'a> {
    place: &'a Place,
    /// Whoever runs this may write whatever the modes say: another user asks, with a copy of
    /// the program that is surely in its reach.
    program: Option<PathBuf>,
}

#[cfg(unix)]
impl<'a> Reader<'a> {
    fn new(place: &'a Place) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = place.dir.path();
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
        set_modes(&place.store(), 0o444, 0o555);
        let probe = place.store().join("probe");
        let program = std::fs::write(&probe, "").is_ok().then(|| {
            std::fs::remove_file(&probe).unwrap();
            let copy = dir.join("headwater");
            std::fs::copy(env!("CARGO_BIN_EXE_headwater"), &copy).unwrap();
            copy
        });
        Reader { place, program }
    }

    fn run(&self, args: &[&str]) -> Output {
        use std::os::unix::process::CommandExt as _;
        let usual = self.place.command(args);
        let mut command = match &self.program {
            None => usual,
            Some(program) => {
                let mut command = Command::new(program);
                command.args(args).env_clear().uid(65534).gid(65534);
                command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
                command
            }
        };
        command.current_dir(self.place.dir.path()).output().unwrap()
    }
}

#[cfg(unix)]
impl Drop for Reader<'_> {
    fn drop(&mut self) {
        set_modes(&self.place.store(), 0o644, 0o755);
    }
}

#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_answers_all_the_same() {
    let place = Place::crawled();
    let window = place.demo.window();
    let questions: &[&[&str]] = &[
        &["why", "ollama", &window, "--offline"],
        &["why", "ollama", &window],
        &["grep", "RepeatPenalty"],
        &["grep", "--at", &format!("ollama@{}", headwater_demo::HEAD), "RepeatPenalty"],
        &["search", "RepeatPenalty"],
        &["show", headwater_demo::HEAD],
        &["defaults", "ollama", "--window", &window],
        &["pins", "ollama"],
        &["digest", "--since", "2026-08-01"],
    ];
    let before: Vec<String> = questions.iter().map(|args| place.ok(args)).collect();
    let log = place.store().join("headwater.db-wal");
    assert!(std::fs::metadata(&log).map_or(true, |log| log.len() == 0));
    let reader = Reader::new(&place);
    for (args, before) in questions.iter().zip(before) {
        let output = reader.run(args);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && told.contains("it is read as it lies"),
            "{args:?} {told}"
        );
        assert!(String::from_utf8(output.stdout).unwrap() == before, "{args:?}");
    }
    let status = reader.run(&["status"]);
    assert!(String::from_utf8(status.stdout).unwrap().contains("the store cannot be written"));
    let clone = place.demo.ollama.path().display().to_string();
    for args in [
        &[
            "observe",
            "ollama",
            &window,
            "--toggle",
            "a=1",
            "--old",
            "1",
            "--with",
            "1",
            "--without",
            "2",
        ][..],
        &["crawl", "ollama", "--from-git", &clone],
        &["rebuild", "exact"],
        &["why", "ollama", &window, "--save", "it"],
    ] {
        let output = reader.run(args);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("this store cannot be written: "), "{args:?}: {told}");
    }
    drop(reader);
    // Records that are in the log alone are not passed over.
    std::fs::write(&log, "what a crawl left").unwrap();
    let reader = Reader::new(&place);
    let output = reader.run(&["status"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("headwater.db-wal") && told.contains("--store DIR"), "{told}");
}

#[test]
fn an_index_that_was_lost_or_cut_short_is_repaired_at_the_next_start() {
    let place = Place::crawled();
    let before = told(&place);
    for index in ["exact", "search"] {
        let dir = place.store().join(index);
        let rebuild = format!("headwater rebuild {index}");
        let fixed = |what: &str| {
            let found = findings(&place, 1);
            assert!(
                found.iter().all(|(_, fix)| *fix == rebuild) && !found.is_empty(),
                "{what}: {found:?}"
            );
            assert_eq!(told(&place), before, "{what}");
            assert_eq!(findings(&place, 0), [], "{what}");
        };
        std::fs::remove_dir_all(&dir).unwrap();
        fixed("lost");
        std::fs::remove_file(largest(&dir)).unwrap();
        fixed("a file is lost");
        std::fs::write(largest(&dir), b"short").unwrap();
        fixed("a file is cut short");
        let lists: &[&str] =
            if index == "exact" { &["manifest"] } else { &["meta.json", "manifest.json"] };
        for list in lists {
            std::fs::write(dir.join(list), b"{}").unwrap();
            fixed("the list of files is damaged");
        }
    }
}

#[test]
fn a_crash_between_records_and_indexes_is_repaired() {
    let mut place = Place::crawled();
    let saved = place.dir.path().join("saved");
    for index in ["exact", "search"] {
        copy(&place.store().join(index), &saved.join(index));
    }
    place
        .demo
        .ollama
        .append(|h| {
            h.commit("late", "api: RepeatPenalty, once more", |c| {
                c.write("late.txt", "RepeatPenalty\n");
            });
            h.branch_here();
        })
        .unwrap();
    place.crawl();
    let after = told(&place);
    assert!(after.0.contains(&place.ollama("late")));
    // As if the crawl had died after its records were written.
    for index in ["exact", "search"] {
        let dir = place.store().join(index);
        std::fs::remove_dir_all(&dir).unwrap();
        copy(&saved.join(index), &dir);
    }
    let found = findings(&place, 1);
    assert!(found.iter().any(|(check, _)| check == "exact index"), "{found:?}");
    assert!(found.iter().any(|(check, _)| check == "full-text index"), "{found:?}");
    assert_eq!(told(&place), after);
    assert_eq!(findings(&place, 0), []);
}

#[test]
fn a_killed_rebuild_is_made_good_by_the_next_question() {
    let place = Place::crawled();
    let before = told(&place);
    let mut unfinished = 0;
    for step in 0..10 {
        let mut child = place
            .command(&["rebuild", "exact", "search"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(5 + step * 9));
        unfinished += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(told(&place), before, "killed at step {step}");
    }
    assert!(unfinished > 0, "no rebuild was still running when it was to be killed");
    assert_eq!(findings(&place, 0), []);
}

#[test]
fn what_is_made_anew_is_what_was() {
    let place = Place::crawled();
    let report = |place: &Place| {
        let window = place.demo.window();
        place.ok(&["why", "ollama", &window, "--format", "json"])
    };
    let (before, window) = (told(&place), report(&place));
    place.ok(&["rebuild"]);
    assert_eq!((told(&place), report(&place)), (before.clone(), window.clone()));
    for what in ["exact", "search", "labels", "defaults", "ranking", "places"] {
        let said = place.ok(&["rebuild", what]);
        assert!(said.starts_with("exact index: "), "{said}");
        assert_eq!(findings(&place, 0), [], "{what}");
    }
    assert_eq!((told(&place), report(&place)), (before, window));
}

#[test]
fn damage_is_told_with_what_to_run() {
    let place = Place::crawled();
    // A flipped bit, which no header shows.
    let segment = largest(&place.store().join("exact"));
    let mut bytes = std::fs::read(&segment).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    std::fs::write(&segment, &bytes).unwrap();
    let found = findings(&place, 1);
    assert!(found.contains(&("exact index".into(), "headwater rebuild exact".into())), "{found:?}");
    place.ok(&["rebuild", "exact"]);
    assert_eq!(findings(&place, 0), []);
    // Records of before: labels and the rest of what was not derived.
    headwater_store::Store::open(&place.store()).unwrap().forget_derivation("labels").unwrap();
    let found = findings(&place, 1);
    assert!(found.contains(&("labels".into(), "headwater rebuild labels".into())), "{found:?}");
    place.ok(&["rebuild", "labels"]);
    // The clone goes away: patches cannot be compared, and objects not read.
    let clone = place.demo.ollama.path().to_owned();
    std::fs::rename(&clone, clone.with_extension("away")).unwrap();
    let found = findings(&place, 1);
    assert!(
        found.iter().any(|(check, fix)| check == "objects" && fix.contains("crawl ollama")),
        "{found:?}"
    );
    assert!(found.iter().any(|(check, _)| check == "patches"), "{found:?}");
    // What is made from files is not forgotten where it could not be made again.
    assert!(place.error(&["rebuild"]).contains("which is gone"));
    place.ok(&["rebuild", "exact"]);
    let store = headwater_store::Store::open(&place.store()).unwrap();
    let ollama = store.upstream("ollama").unwrap();
    assert!(store.derivation("default-events", ollama).unwrap().is_some());
}

#[test]
fn a_database_that_is_none_could_not_be_looked_at() {
    let place = Place::crawled();
    std::fs::write(place.store().join("headwater.db"), vec![b'x'; 20_000]).unwrap();
    let _ = std::fs::remove_file(place.store().join("headwater.db-wal"));
    assert!(place.error(&["doctor"]).contains("not a database"));
}
