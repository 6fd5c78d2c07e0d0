//! A reading beside the builds that the rig file knows.

use std::collections::BTreeMap;

use headwater_store::Digest;
use headwater_store::evidence::Grade;
use headwater_store::rig::{KnownBuild, LibraryFolder, LibraryRead, RigFile, RigReading, is_place};

use super::report::{Alert, AlertKind, LibraryShown, LibraryState, ScriptShown};
use super::rules::RigRules;

/// What the builds say of a reading.
pub(super) struct Known<'a> {
    pub(super) rig: &'a RigFile,
    pub(super) rules: &'a RigRules,
    pub(super) reading: &'a RigReading,
    pub(super) grade: Grade,
    /// Whether a pin is that of the server that runs, where that is known.
    pub(super) same_pin: &'a dyn Fn(&str) -> Option<bool>,
}

impl Known<'_> {
    /// Each library, and what its hash says.
    pub(super) fn libraries(&self) -> Vec<LibraryShown> {
        let all = self.reading.libraries();
        all.map(|(folder, library)| self.library(folder, library)).collect()
    }

    fn library(&self, folder: &LibraryFolder, library: &LibraryRead) -> LibraryShown {
        let place = library.place.as_str();
        // A link is known by what it points to beside it.
        let target = library.link.as_deref().filter(|to| !to.contains(['/', '\\']));
        let target = target.map(|to| match place.rsplit_once('/') {
            Some((dir, _)) => format!("{dir}/{to}"),
            None => to.to_owned(),
        });
        let says = |build: &KnownBuild| {
            let found = build.file(place).or(target.as_deref().and_then(|to| build.file(to)));
            found.map(|(_, digest)| digest)
        };
        let has = |build: &&KnownBuild| says(build) == Some(library.sha256);
        let builds: Vec<String> =
            self.rig.builds.iter().filter(has).map(|build| build.name.clone()).collect();
        let expected = self.rig.expected().and_then(says);
        let named = self.rig.builds.iter().any(|build| says(build).is_some());
        let state = match (expected, named) {
            (Some(digest), _) if digest == library.sha256 => LibraryState::Expected,
            (Some(_), _) if !builds.is_empty() => LibraryState::Other,
            (None, true) if !builds.is_empty() => LibraryState::Known,
            (_, true) => LibraryState::Unknown,
            (_, false) => LibraryState::Unlisted,
        };
        LibraryShown {
            folder: folder.path.clone(),
            place: place.to_owned(),
            role: self.rules.role(place),
            sha256: library.sha256,
            bytes: library.bytes,
            link: library.link.clone(),
            state,
            builds,
        }
    }

    /// What should not be so, by the builds.
    pub(super) fn alerts(&self, libraries: &[LibraryShown]) -> Vec<Alert> {
        let mut out = Vec::new();
        for library in libraries {
            let wants = self.wanted(&library.place);
            match library.state {
                LibraryState::Unknown => out.push(self.of_file(
                    AlertKind::UnknownFile,
                    library,
                    format!(
                        "{} is of no known build: its sha256 is {}",
                        library.place,
                        library.sha256.short()
                    ),
                    wants,
                )),
                LibraryState::Other => out.push(self.of_file(
                    AlertKind::OtherBuild,
                    library,
                    format!(
                        "{} is that of {}, and {} should be installed",
                        library.place,
                        self.named(&library.builds),
                        self.rig.expected().map(described).unwrap_or_default()
                    ),
                    wants,
                )),
                _ => {}
            }
        }
        out.extend(self.missing(libraries));
        out.extend(self.mixed(libraries));
        out.extend(self.versions(libraries));
        out
    }

    /// What builds want a file to be.
    fn wanted(&self, place: &str) -> Vec<String> {
        let builds = self.rig.builds.iter();
        builds
            .filter_map(|build| {
                let (_, digest) = build.file(place)?;
                Some(format!("{}: {}", build.name, digest.hex()))
            })
            .collect()
    }

    fn named(&self, builds: &[String]) -> String {
        let known = self.rig.builds.iter().filter(|build| builds.contains(&build.name));
        known.map(described).collect::<Vec<_>>().join(" and ")
    }

    fn of_file(
        &self,
        kind: AlertKind,
        library: &LibraryShown,
        says: String,
        wants: Vec<String>,
    ) -> Alert {
        Alert {
            kind,
            says,
            file: Some(library.place.clone()),
            sha256: Some(library.sha256),
            wants,
            rederive: vec![hash_command(&self.reading.platform, &library.place)],
            grade: self.grade,
        }
    }

    fn plain(&self, kind: AlertKind, says: String, wants: Vec<String>) -> Alert {
        Alert {
            kind,
            says,
            file: None,
            sha256: None,
            wants,
            rederive: Vec::new(),
            grade: self.grade,
        }
    }

    /// Files of the expected build that are not there.
    fn missing(&self, libraries: &[LibraryShown]) -> Vec<Alert> {
        let Some(expected) = self.rig.expected() else { return Vec::new() };
        // Where no folder was looked into, nothing says that a file is not there.
        if self.reading.folders.is_empty() {
            return Vec::new();
        }
        let is_there = |name: &str| libraries.iter().any(|one| is_place(name, &one.place));
        let gone = expected.files.iter().filter(|(name, _)| !is_there(name));
        gone.map(|(name, digest)| {
            let says = format!("{name} of {} is not there", described(expected));
            let wants = vec![format!("{}: {}", expected.name, digest.hex())];
            Alert { file: Some(name.clone()), ..self.plain(AlertKind::Missing, says, wants) }
        })
        .collect()
    }

    /// Files of builds with several pins, where no build is expected.
    fn mixed(&self, libraries: &[LibraryShown]) -> Option<Alert> {
        if self.rig.expected().is_some() {
            return None;
        }
        let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let known: Vec<&LibraryShown> =
            libraries.iter().filter(|one| !one.builds.is_empty()).collect();
        let all = |build: &KnownBuild| known.iter().all(|one| one.builds.contains(&build.name));
        if self.rig.builds.iter().any(all) {
            return None;
        }
        for library in &known {
            for build in self.rig.builds.iter().filter(|b| library.builds.contains(&b.name)) {
                let pin = build.pin.as_deref().or(build.ollama.as_deref());
                of.entry(pin.unwrap_or("an unknown pin")).or_default().push(&library.place);
            }
        }
        (of.len() > 1).then(|| {
            let parts: Vec<String> =
                of.iter().map(|(pin, places)| format!("{} of {pin}", places.join(", "))).collect();
            let says = format!("files of several builds lie together: {}", parts.join("; "));
            self.plain(AlertKind::MixedBuilds, says, Vec::new())
        })
    }

    /// Builds that belong to another version of the server than the one that runs.
    fn versions(&self, libraries: &[LibraryShown]) -> Vec<Alert> {
        let Some(server) = self.reading.server.get() else { return Vec::new() };
        let bare = |version: &str| version.trim_start_matches('v').to_owned();
        let fits = |build: &KnownBuild| match (&build.ollama, &build.pin) {
            (Some(version), _) => bare(version) == bare(&server.version),
            (None, Some(pin)) => (self.same_pin)(pin).unwrap_or(true),
            (None, None) => true,
        };
        let mut out = Vec::new();
        for build in &self.rig.builds {
            let places: Vec<&str> = libraries
                .iter()
                .filter(|one| {
                    let of = self.rig.builds.iter().filter(|b| one.builds.contains(&b.name));
                    // A file that several versions share is no sign of a wrong one.
                    one.builds.contains(&build.name) && !of.into_iter().any(fits)
                })
                .map(|one| one.place.as_str())
                .collect();
            if !places.is_empty() {
                let says = format!(
                    "the server is Ollama {}, and {} of {} {} installed",
                    server.version,
                    places.join(", "),
                    described(build),
                    if places.len() == 1 { "is" } else { "are" },
                );
                out.push(self.plain(AlertKind::OtherVersion, says, Vec::new()));
            }
        }
        out
    }

    /// What start scripts expect, and whether it is so.
    pub(super) fn scripts(&self, libraries: &[LibraryShown]) -> (Vec<ScriptShown>, Vec<Alert>) {
        let (mut shown, mut alerts) = (Vec::new(), Vec::new());
        for script in &self.reading.scripts {
            let files: Vec<&LibraryShown> =
                libraries.iter().filter(|one| is_place(&script.file, &one.place)).collect();
            let wrong = |digest: Digest| files.iter().find(|one| one.sha256 != digest);
            let holds = match script.expects.get() {
                Some(digest) if !files.is_empty() => Some(wrong(*digest).is_none()),
                _ => None,
            };
            if let Some(digest) = script.expects.get() {
                let wants = vec![format!("{}: {}", script.script, digest.hex())];
                if let Some(file) = wrong(*digest) {
                    let says = format!(
                        "{} expects {} to be {}, and it is {}",
                        script.script,
                        file.place,
                        digest.short(),
                        file.sha256.short()
                    );
                    alerts.push(self.of_file(AlertKind::ScriptExpects, file, says, wants));
                } else if files.is_empty() && !self.reading.folders.is_empty() {
                    let says =
                        format!("{} expects {}, which is not there", script.script, script.file);
                    alerts.push(self.plain(AlertKind::ScriptExpects, says, wants));
                }
            }
            shown.push(ScriptShown {
                script: script.script.clone(),
                file: script.file.clone(),
                expects: script.expects.clone(),
                holds,
            });
        }
        (shown, alerts)
    }

    /// Where what is installed is not what the expected build was built with, each count
    /// beside its like.
    pub(super) fn toolkit(&self) -> Vec<String> {
        let Some(build) = self.rig.expected() else { return Vec::new() };
        let has = |found: Option<&str>, wants: &Option<String>, name: &str, of: &str| {
            let (found, wants) = (found?, wants.as_deref()?);
            (found != wants).then(|| {
                format!("{name} is {found}, and {} was built with {of} {wants}", build.name)
            })
        };
        let nvcc = self.reading.nvcc.get();
        let whole = self.reading.toolkit.get();
        [
            has(nvcc.map(|n| n.version.as_str()), &build.toolkit.nvcc, "nvcc", "nvcc"),
            has(
                whole.map(|w| w.version.as_str()),
                &build.toolkit.version_json,
                "version.json",
                "the toolkit whose version.json says",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A build with what it belongs to.
pub(super) fn described(build: &KnownBuild) -> String {
    let mut of = Vec::new();
    of.extend(build.ollama.as_ref().map(|version| format!("Ollama {version}")));
    of.extend(build.pin.as_ref().map(|pin| format!("pin {pin}")));
    match of.is_empty() {
        true => build.name.clone(),
        false => format!("{} ({})", build.name, of.join(", ")),
    }
}

/// How somebody looks at a file's hash, in its folder.
pub(super) fn hash_command(platform: &str, place: &str) -> String {
    match platform {
        "windows" => format!("Get-FileHash -Algorithm SHA256 '{}'", place.replace('/', "\\")),
        "macos" => format!("shasum -a 256 '{place}'"),
        _ => format!("sha256sum '{place}'"),
    }
}
