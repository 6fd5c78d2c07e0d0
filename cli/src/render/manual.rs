//! Manual pages: one for headwater and one for each command, out of the arguments.

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

/// Where globals stand among a page's options: after the command's own.
const LAST: usize = 900;

/// What `headwater(1)` tells beyond its help: (name, what it does).
const ENVIRONMENT: &[(&str, &str)] = &[
    ("HEADWATER_STORE", "the store's directory, as --store"),
    ("HEADWATER_RIG", "the rig file, as --rig"),
    ("HEADWATER_TOKEN", "the token that headwater serve asks for at addresses other than loopback"),
    ("HEADWATER_TIMEOUT", "for how many seconds a host may say nothing"),
    (
        "HEADWATER_GITHUB_API_URL, HEADWATER_GITHUB_WEB_URL, HEADWATER_GITHUB_RAW_URL, \
         HEADWATER_REGISTRY_URL, HEADWATER_LIBRARY_URL, HEADWATER_OLLAMA_URL",
        "where each host is: mirrors, GitHub Enterprise, another port of the local server",
    ),
    ("GH_TOKEN, GITHUB_TOKEN", "shown to GitHub's API and to no other host; none is needed"),
];

const FILES: &[(&str, &str)] = &[
    ("~/.local/share/headwater/", "the store (XDG_DATA_HOME moves it)"),
    ("~/.config/headwater/config.toml", "where each host is"),
    ("~/.config/headwater/upstreams/*.toml", "upstreams of your own"),
    (
        "~/.config/headwater/rules/classes/, ~/.config/headwater/rules/defaults/",
        "rules and extractors of your own",
    ),
    ("~/.config/headwater/rig.toml", "what is known of your machine; headwater rig init writes it"),
];

/// Every page, with its file's name.
pub fn pages(root: Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let version = root.get_version().unwrap_or_default().to_owned();
    let mut pages = Vec::new();
    gather(&root, None, &version, &mut pages)?;
    Ok(pages)
}

fn gather(
    command: &Command,
    above: Option<&str>,
    version: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> std::io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((format!("{name}.1"), page(command.clone(), above, version)?));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        gather(below, Some(name), version, pages)?;
    }
    Ok(())
}

fn page(mut command: Command, above: Option<&str>, version: &str) -> std::io::Result<Vec<u8>> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let command = command.override_usage(usage).mut_args(|arg| {
        let own = !arg.is_global_set() && !["help", "version"].contains(&arg.get_id().as_str());
        if own { arg } else { arg.display_order(LAST) }
    });
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    let after = command.get_after_help().map(ToString::to_string);
    let with_subcommands = command.get_subcommands().any(|below| !below.is_hide_set());
    let man = Man::new(command).source(format!("headwater {version}")).manual("headwater's manual");

    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    let mut roff = Roff::new();
    roff.control("SH", ["DESCRIPTION"]);
    prose(&mut roff, about.as_deref().unwrap_or_default());
    roff.to_writer(&mut out)?;
    man.render_options_section(&mut out)?;
    if with_subcommands {
        man.render_subcommands_section(&mut out)?;
    }
    let mut roff = Roff::new();
    if let Some(after) = after {
        roff.control("SH", ["NOTES"]);
        prose(&mut roff, &after);
    }
    match above {
        None => {
            listed(&mut roff, "ENVIRONMENT", ENVIRONMENT);
            listed(&mut roff, "FILES", FILES);
            roff.control("SH", ["SEE ALSO"]);
            roff.text([bold("git"), roman("(1)")]);
        }
        Some(above) => {
            roff.control("SH", ["SEE ALSO"]);
            roff.text([bold(above), roman("(1)")]);
        }
    }
    roff.to_writer(&mut out)?;
    Ok(out)
}

/// Paragraphs are filled; examples keep their lines and columns.
fn prose(roff: &mut Roff, text: &str) {
    let mut kept = false;
    for line in text.lines() {
        let keep = line.starts_with(' ');
        if keep != kept {
            roff.control(if keep { "nf" } else { "fi" }, []);
            kept = keep;
        }
        match line.trim() {
            "" => roff.control("PP", []),
            _ => roff.text([roman(line)]),
        };
    }
    if kept {
        roff.control("fi", []);
    }
}

fn listed(roff: &mut Roff, heading: &str, entries: &[(&str, &str)]) {
    roff.control("SH", [heading]);
    for (name, what) in entries {
        roff.control("TP", []);
        roff.text([bold(*name)]);
        roff.text([roman(*what)]);
    }
}
