//! Where the hosts are: the configuration file says, and the environment before it.

use std::path::{Path, PathBuf};

use reqwest::Url;
use serde::Deserialize;

/// The hosts' base URLs, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    /// GitHub's REST API.
    pub github_api: String,
    /// GitHub's web host: pages, feeds, and git over HTTP.
    pub github_web: String,
    /// GitHub's host of raw files.
    pub github_raw: String,
    /// The models' registry.
    pub registry: String,
    /// The library's pages.
    pub library: String,
    /// The local Ollama server.
    pub ollama: String,
}

/// Why the hosts are not known.
#[derive(Debug, thiserror::Error)]
pub enum HostsError {
    /// The configuration file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no valid TOML, or not of the shape that docs/models.md describes.
    #[error("{path} is not valid: {source}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// What should be a base URL is none.
    #[error("{place} says {url:?}, which is no address; write one like https://example.com")]
    Url {
        /// The variable, or the key of the file.
        place: String,
        /// What it says.
        url: String,
    },
}

#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    hosts: Table,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    github_api: Option<String>,
    github_web: Option<String>,
    github_raw: Option<String>,
    registry: Option<String>,
    library: Option<String>,
    ollama: Option<String>,
}

impl Hosts {
    /// The hosts by the configuration file, if there is one, and by an environment.
    ///
    /// # Errors
    /// A file that is not valid, and what is no URL.
    pub fn read(
        file: Option<&Path>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, HostsError> {
        let table = match file {
            Some(path) if path.exists() => {
                let text = std::fs::read_to_string(path)
                    .map_err(|source| HostsError::Read { path: path.to_owned(), source })?;
                let parsed: File = toml::from_str(&text).map_err(|source| HostsError::Parse {
                    path: path.to_owned(),
                    source: Box::new(source),
                })?;
                parsed.hosts
            }
            _ => Table::default(),
        };
        let one = |variable: &str, key: &str, configured: Option<String>, usual: &str| {
            let given = environment(variable).filter(|url| !url.is_empty());
            let (place, url) = match (given, configured) {
                (Some(url), _) => (variable.to_owned(), url),
                (None, Some(url)) => (format!("hosts.{key} of the configuration file"), url),
                (None, None) => return Ok(usual.to_owned()),
            };
            let is_http = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
            match Url::parse(&url) {
                Ok(parsed) if is_http(&parsed) => Ok(url.trim_end_matches('/').to_owned()),
                _ => Err(HostsError::Url { place, url }),
            }
        };
        let local = environment("OLLAMA_HOST").and_then(|host| of_ollama(&host));
        let local = local.unwrap_or_else(|| "http://127.0.0.1:11434".to_owned());
        Ok(Hosts {
            github_api: one(
                "HEADWATER_GITHUB_API_URL",
                "github_api",
                table.github_api,
                "https://api.github.com",
            )?,
            github_web: one(
                "HEADWATER_GITHUB_WEB_URL",
                "github_web",
                table.github_web,
                "https://github.com",
            )?,
            github_raw: one(
                "HEADWATER_GITHUB_RAW_URL",
                "github_raw",
                table.github_raw,
                "https://raw.githubusercontent.com",
            )?,
            registry: one(
                "HEADWATER_REGISTRY_URL",
                "registry",
                table.registry,
                "https://registry.ollama.ai",
            )?,
            library: one("HEADWATER_LIBRARY_URL", "library", table.library, "https://ollama.com")?,
            ollama: one("HEADWATER_OLLAMA_URL", "ollama", table.ollama, &local)?,
        })
    }
}

/// Where a client finds the server that `OLLAMA_HOST` tells to listen.
fn of_ollama(host: &str) -> Option<String> {
    let host = host.trim();
    let text = if host.contains("://") { host.to_owned() } else { format!("http://{host}") };
    let mut url = Url::parse(&text).ok()?;
    // A server that listens everywhere is found on this machine.
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        url.set_host(Some("127.0.0.1")).ok()?;
    }
    if url.port().is_none() && !host.contains("://") {
        url.set_port(Some(11434)).ok()?;
    }
    Some(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_comes_before_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("config.toml");
        std::fs::write(&file, "[hosts]\nregistry = 'http://a/'\nlibrary = 'http://b'\n").unwrap();
        let env = |name: &str| (name == "HEADWATER_REGISTRY_URL").then(|| "http://c:1/".to_owned());
        let hosts = Hosts::read(Some(&file), &env).unwrap();
        assert_eq!((hosts.registry.as_str(), hosts.library.as_str()), ("http://c:1", "http://b"));
        assert_eq!(hosts.ollama, "http://127.0.0.1:11434");
        std::fs::write(&file, "[hosts]\nregistri = 'http://a'\n").unwrap();
        assert!(Hosts::read(Some(&file), &env).unwrap_err().to_string().contains("registri"));
        let bad = |name: &str| (name == "HEADWATER_LIBRARY_URL").then(|| "file:///x".to_owned());
        let error = Hosts::read(None, &bad).unwrap_err().to_string();
        assert!(error.contains("HEADWATER_LIBRARY_URL"), "{error}");
    }

    #[test]
    fn ollamas_own_variable_is_understood() {
        let at = |host: &str| of_ollama(host).unwrap();
        assert_eq!(at("0.0.0.0"), "http://127.0.0.1:11434");
        assert_eq!(at("192.168.0.7:8080"), "http://192.168.0.7:8080");
        assert_eq!(at("https://ollama.example"), "https://ollama.example");
    }
}
