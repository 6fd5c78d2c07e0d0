//! The hosts, each on a port of its own.

mod serve;

pub(crate) use serve::{broken_body, collected, serve, text};

/// One of the hosts. Each has its own port, so each is another origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Host {
    /// GitHub's REST API.
    Api,
    /// GitHub's pages and feeds, and git over HTTP.
    Web,
    /// Raw files.
    Raw,
    /// The Ollama registry: manifests.
    Registry,
    /// Where the registry sends for blobs.
    Blobs,
    /// Where the registry sends for tokens.
    Tokens,
    /// The library's pages.
    Library,
    /// An Ollama server on the user's machine.
    Ollama,
}

impl Host {
    /// All of them.
    pub const ALL: [Host; 8] = [
        Host::Api,
        Host::Web,
        Host::Raw,
        Host::Registry,
        Host::Blobs,
        Host::Tokens,
        Host::Library,
        Host::Ollama,
    ];

    /// The environment variable that points headwater at it, where there is one.
    pub fn variable(self) -> Option<&'static str> {
        Some(match self {
            Host::Api => "HEADWATER_GITHUB_API_URL",
            Host::Web => "HEADWATER_GITHUB_WEB_URL",
            Host::Raw => "HEADWATER_GITHUB_RAW_URL",
            Host::Registry => "HEADWATER_REGISTRY_URL",
            Host::Library => "HEADWATER_LIBRARY_URL",
            Host::Ollama => "HEADWATER_OLLAMA_URL",
            Host::Blobs | Host::Tokens => return None,
        })
    }
}
