//! Reading a log of Ollama or llama-server, line by line.

use std::io::{self, BufRead};

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{PenaltiesAnswer, penalties};
use super::lines::{field, go_map, pairs, without_escapes, words};

/// More of a line is not read: a log can hold whole prompts.
const LONGEST: usize = 64 * 1024;
/// So many different things of a kind are kept.
const MOST: usize = 200;

/// A version that a log names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerVersion {
    /// `ollama`, `llama.cpp`.
    pub of: &'static str,
    /// The version, or the build number.
    pub version: String,
    /// The commit, where it is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The line, from 1.
    pub line: u64,
}

/// A setting that a log names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value; of a proxy only that there is one.
    pub value: String,
    /// The line, from 1.
    pub line: u64,
}

/// A flag of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Flag {
    /// The flag.
    pub flag: String,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A runner that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Launch {
    /// The program's file name.
    pub program: String,
    /// Its flags.
    pub flags: Vec<Flag>,
    /// How often it was started so, whatever the port.
    pub times: u64,
    /// The first line, from 1.
    pub line: u64,
}

/// One link of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sampler {
    /// Its name.
    pub name: String,
    /// Whether it does something: `?name` in a log does not.
    pub active: bool,
}

/// A chain of samplers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Chain {
    /// Its links, in order.
    pub samplers: Vec<Sampler>,
    /// How many requests ran it.
    pub requests: u64,
    /// The first line, from 1.
    pub line: u64,
}

/// The parameters of samplers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Params {
    /// Names and values, as printed.
    pub values: Vec<(String, String)>,
    /// How many requests ran with them.
    pub requests: u64,
    /// The first line, from 1.
    pub line: u64,
}

impl Params {
    /// Whether they make penalties do something; `None` where they are not among them.
    pub(super) fn penalizes(&self) -> Option<bool> {
        let number = |name: &str| {
            let found = self.values.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.parse::<f64>().ok())
        };
        let repeat = number("repeat_penalty")?;
        let window = number("repeat_last_n").unwrap_or(1.0);
        let others = ["frequency_penalty", "presence_penalty"]
            .iter()
            .any(|name| number(name).is_some_and(|value| value != 0.0));
        Some(window != 0.0 && (repeat != 1.0 || others))
    }
}

/// What a log tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RigLog {
    /// `headwater/rig-log/1`
    pub schema: &'static str,
    /// Lines read.
    pub lines: u64,
    /// Versions, in the order of the log, each once.
    pub versions: Vec<ServerVersion>,
    /// The server's environment, as far as it is set.
    pub environment: Vec<Setting>,
    /// The runners that were started.
    pub launches: Vec<Launch>,
    /// The chains of samplers that ran.
    pub chains: Vec<Chain>,
    /// The parameters that they ran with.
    pub params: Vec<Params>,
    /// What the engine says of its context: size, batch, flash attention …
    pub settings: Vec<Setting>,
    /// Who still pays for penalties.
    pub penalties: PenaltiesAnswer,
    /// What was left out.
    pub notes: Vec<String>,
}

/// Reads a log.
///
/// # Errors
/// Those of reading.
pub fn read_log(mut log: impl BufRead) -> io::Result<RigLog> {
    let mut reader = Reader::default();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let (read, cut) = read_line(&mut log, &mut bytes)?;
        if !read {
            break;
        }
        reader.cut += u64::from(cut);
        reader.line(&String::from_utf8_lossy(&bytes));
    }
    Ok(reader.finish())
}

/// Reads a line, of which no more than [`LONGEST`] bytes are kept: whether there was one,
/// and whether it was cut.
fn read_line(log: &mut impl BufRead, into: &mut Vec<u8>) -> io::Result<(bool, bool)> {
    let (mut any, mut cut) = (false, false);
    loop {
        let chunk = log.fill_buf()?;
        if chunk.is_empty() {
            return Ok((any, cut));
        }
        any = true;
        let end = chunk.iter().position(|b| *b == b'\n');
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        let room = LONGEST.saturating_sub(into.len());
        into.extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
        cut |= part.len() > room;
        let used = part.len() + usize::from(end.is_some());
        log.consume(used);
        if end.is_some() {
            return Ok((true, cut));
        }
    }
}

#[derive(Default)]
struct Reader {
    lines: u64,
    cut: u64,
    dropped: u64,
    versions: Vec<ServerVersion>,
    environment: Vec<Setting>,
    launches: Vec<Launch>,
    chains: Vec<Chain>,
    params: Vec<Params>,
    settings: Vec<Setting>,
    /// The parameters that the lines before began.
    open: Option<(u64, Vec<(String, String)>)>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        self.lines += 1;
        let line = without_escapes(line);
        let line = line.trim_end();
        if self.open.is_some() {
            if let (Some(found), Some((_, values))) = (pairs(line), &mut self.open)
                && values.len() < MOST
            {
                values.extend(found);
                return;
            }
            self.close_params();
        }
        if let Some((_, rest)) = line.split_once("sampler params:") {
            let values = pairs(rest).unwrap_or_default();
            self.open = Some((self.lines, values));
        } else if let Some((_, chain)) = line.split_once("sampler chain: ") {
            self.chain(chain);
        } else {
            self.version(line);
            self.started(line);
            self.setting(line);
        }
    }

    fn chain(&mut self, text: &str) {
        let name = |part: &str| {
            let part = part.trim();
            let bare = part.strip_prefix('?').unwrap_or(part);
            let sound = !bare.is_empty()
                && bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            sound.then(|| Sampler { name: bare.to_owned(), active: bare == part })
        };
        let parts = text.trim().trim_end_matches("->").split("->");
        let Some(samplers) = parts.map(name).collect::<Option<Vec<_>>>() else { return };
        let room = self.chains.len() < MOST;
        match self.chains.iter_mut().find(|chain| chain.samplers == samplers) {
            Some(chain) => chain.requests += 1,
            None if room => {
                self.chains.push(Chain { samplers, requests: 1, line: self.lines });
            }
            None => self.dropped += 1,
        }
    }

    fn close_params(&mut self) {
        let Some((line, values)) = self.open.take().filter(|(_, values)| !values.is_empty()) else {
            return;
        };
        let room = self.params.len() < MOST;
        match self.params.iter_mut().find(|params| params.values == values) {
            Some(params) => params.requests += 1,
            None if room => {
                self.params.push(Params { values, requests: 1, line });
            }
            None => self.dropped += 1,
        }
    }

    fn version(&mut self, line: &str) {
        let found = listening(line)
            .map(|version| ("ollama", version, None))
            .or_else(|| build(line).map(|(build, commit)| ("llama.cpp", build, commit)));
        let Some((of, version, commit)) = found else { return };
        let known = |one: &ServerVersion| {
            one.of == of && one.version == version && (one.commit == commit || commit.is_none())
        };
        if !self.versions.iter().any(known) && self.versions.len() < MOST {
            self.versions.push(ServerVersion { of, version, commit, line: self.lines });
        }
    }

    fn started(&mut self, line: &str) {
        if let Some(env) = field(line, "env").filter(|env| env.starts_with("map[")) {
            self.environment = go_map(&env)
                .into_iter()
                .filter(|(_, value)| !matches!(value.as_str(), "" | "false" | "0" | "[]" | "0s"))
                .take(MOST)
                .map(|(name, value)| {
                    let secret = name.to_lowercase().ends_with("_proxy");
                    let value = if secret { "set".to_owned() } else { value };
                    Setting { name, value, line: self.lines }
                })
                .collect();
        }
        let started = line.contains("starting llama") || line.contains("starting runner");
        let Some(command) = field(line, "cmd").filter(|_| started) else { return };
        let words = words(&command);
        let Some((program, rest)) = words.split_first() else { return };
        let program = program.rsplit(['/', '\\']).next().unwrap_or(program).to_owned();
        let mut flags: Vec<Flag> = Vec::new();
        for word in rest.iter().take(MOST) {
            let is_flag = word.starts_with('-') && word.parse::<f64>().is_err();
            match flags.last_mut() {
                Some(flag) if !is_flag && flag.value.is_none() => flag.value = Some(word.clone()),
                // A name before the flags, like `runner`.
                _ => flags.push(Flag { flag: word.clone(), value: None }),
            }
        }
        flags.retain(|flag| flag.flag != "--port");
        let same = |one: &&mut Launch| one.program == program && one.flags == flags;
        let room = self.launches.len() < MOST;
        match self.launches.iter_mut().find(same) {
            Some(launch) => launch.times += 1,
            None if room => {
                self.launches.push(Launch { program, flags, times: 1, line: self.lines });
            }
            None => self.dropped += 1,
        }
    }

    /// `llama_context: flash_attn            = auto`
    fn setting(&mut self, line: &str) {
        let from = ["llama_context: ", "llama_new_context_with_model: ", "llama_init_from_model: "]
            .iter()
            .find_map(|who| line.split_once(who));
        let Some((name, value)) = from.and_then(|(_, rest)| rest.split_once('=')) else { return };
        let (name, value) = (name.trim(), value.trim());
        let named = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let known = |one: &Setting| one.name == name && one.value == value;
        if named && !self.settings.iter().any(known) && self.settings.len() < MOST {
            self.settings.push(Setting {
                name: name.to_owned(),
                value: value.to_owned(),
                line: self.lines,
            });
        }
    }

    fn finish(mut self) -> RigLog {
        self.close_params();
        let mut notes = Vec::new();
        if self.cut > 0 {
            notes.push(format!("{} lines are longer than 64 KiB and were read in part", self.cut));
        }
        if self.dropped > 0 {
            notes.push(format!(
                "{} lines hold more different chains, parameters or flags than are kept",
                self.dropped
            ));
        }
        let penalties = penalties(&self.chains, &self.params);
        RigLog {
            schema: "headwater/rig-log/1",
            lines: self.lines,
            versions: self.versions,
            environment: self.environment,
            launches: self.launches,
            chains: self.chains,
            params: self.params,
            settings: self.settings,
            penalties,
            notes,
        }
    }
}

/// `Listening on 127.0.0.1:11434 (version 0.32.13)`
fn listening(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("Listening on ")?;
    let (_, rest) = rest.split_once("(version ")?;
    let (version, _) = rest.split_once(')')?;
    (!version.is_empty() && version.len() < 80).then(|| version.to_owned())
}

/// A build of llama.cpp, in the ways that its versions print it: `build_info: b10380-abc`,
/// `build: 6000 (abc) with …`, `main: build = 3000 (abc)`, `build=1500 commit="abc"`.
fn build(line: &str) -> Option<(String, Option<String>)> {
    let number = |text: &str| {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, rest) = text.split_at(digits);
        (!number.is_empty() && digits < 9).then(|| (format!("b{number}"), rest.to_owned()))
    };
    let commit = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
        (4..=40).contains(&end).then(|| text.get(..end).unwrap_or_default().to_owned())
    };
    if let Some((_, rest)) = line.split_once("build_info: b") {
        let (build, rest) = number(rest)?;
        return Some((build, rest.strip_prefix('-').and_then(commit)));
    }
    for before in ["build: ", "build = "] {
        if let Some((_, rest)) = line.split_once(before)
            && let Some((build, rest)) = number(rest)
            && let Some(sha) = rest.strip_prefix(" (").and_then(commit)
        {
            return Some((build, Some(sha)));
        }
    }
    let (build, _) = number(&field(line, "build")?)?;
    let sha = field(line, "commit")?;
    Some((build, commit(&sha)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rig::Pays;

    fn read(text: &str) -> RigLog {
        read_log(text.as_bytes()).unwrap()
    }

    #[test]
    fn versions_are_read_in_every_way_they_were_printed() {
        let log = read(
            "time=2026-08-20T10:00:00.000Z level=INFO source=routes.go:1990 msg=\"Listening on 127.0.0.1:11434 (version 0.32.13)\"\n\
             build: 6000 (0a1b2c3d) with cc 13 for x86_64\n\
             main: build = 3000 (1a2b3c4d)\n\
             build_info: b8900-2a2b3c4d5\n\
             level=INFO build=1500 commit=\"3a2b3c4\"\n\
             build_info: b8900-2a2b3c4d5\n\
             build: no\nbuild = 12 (zz)\n",
        );
        let told: Vec<String> = log
            .versions
            .iter()
            .map(|v| format!("{} {} {}", v.of, v.version, v.commit.as_deref().unwrap_or("-")))
            .collect();
        assert_eq!(
            told,
            [
                "ollama 0.32.13 -",
                "llama.cpp b6000 0a1b2c3d",
                "llama.cpp b3000 1a2b3c4d",
                "llama.cpp b8900 2a2b3c4d5",
                "llama.cpp b1500 3a2b3c4",
            ]
        );
    }

    #[test]
    fn chains_tell_who_pays() {
        let with = "slot launch_slot_: id  0 | task 1 | sampler chain: logits -> penalties -> ?dry -> top-k -> dist \n";
        let without = "slot launch_slot_: id  0 | task 2 | sampler chain: logits -> ?penalties -> ?dry -> top-k -> dist \n";
        let log = read(&format!("{with}{without}{without}"));
        assert_eq!(log.chains.len(), 2);
        assert_eq!(
            (log.penalties.pays, log.penalties.active, log.penalties.empty),
            (Pays::Some, 1, 2)
        );
        assert_eq!(read(without).penalties.pays, Pays::Nobody);
        assert_eq!(read(with).penalties.pays, Pays::All);
        // An old build marks nothing: then its parameters tell, if it prints them.
        let old = "sampler chain: logits -> logit-bias -> penalties -> top-k -> dist\n";
        assert_eq!(read(old).penalties.pays, Pays::Unknown);
        let params = "sampler params: \n\trepeat_last_n = 64, repeat_penalty = 1.100, frequency_penalty = 0.000, presence_penalty = 0.000\n\ttop_k = 40, top_p = 0.950\nnext\n";
        let log = read(&format!("{params}{old}"));
        assert_eq!(log.penalties.pays, Pays::All);
        assert_eq!(log.params[0].values.len(), 6);
        let one = params.replace("1.100", "1.000");
        assert_eq!(read(&format!("{one}{old}")).penalties.pays, Pays::Nobody);
        assert_eq!(
            read(&one.replace("presence_penalty = 0.000", "presence_penalty = 1.500"))
                .penalties
                .pays,
            Pays::All
        );
        assert_eq!(read("nothing\n").penalties.pays, Pays::Unknown);
    }

    #[test]
    fn a_line_of_any_length_is_bounded() {
        let long = format!("{}\nbuild: 6000 (0a1b2c3d) with cc\n", "x".repeat(3 * LONGEST));
        let log = read(&long);
        assert_eq!((log.lines, log.versions.len()), (2, 1));
        assert!(log.notes[0].contains("64 KiB"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = read_log(bytes.as_slice());
        }

        #[test]
        fn no_line_of_a_kind_makes_it_panic(rest in ".{0,80}", kind in 0usize..9) {
            let starts = [
                "msg=\"Listening on x (version ", "build: ", "build_info: b", "sampler chain: ",
                "sampler params: ", "env=\"map[", "msg=\"starting llama-server\" cmd=\"", "llama_context: n_ctx = ", "\u{1b}[",
            ];
            let log = read_log(format!("{}{rest}\n{rest}", starts[kind]).as_bytes());
            prop_assert!(log.is_ok());
        }
    }
}
