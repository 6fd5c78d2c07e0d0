//! Where things usually are, by platform and environment.

/// A platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Windows.
    Windows,
    /// macOS.
    MacOs,
    /// Linux, and what is like it.
    Unix,
}

impl Platform {
    /// The one that this program runs on.
    pub const fn own() -> Self {
        if cfg!(windows) {
            Platform::Windows
        } else if cfg!(target_os = "macos") {
            Platform::MacOs
        } else {
            Platform::Unix
        }
    }

    /// As stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Platform::Windows => "windows",
            Platform::MacOs => "macos",
            Platform::Unix => "linux",
        }
    }
}

/// An environment: the value of a variable.
pub type Environment = dyn Fn(&str) -> Option<String>;

/// What of the environment says where things are.
pub struct Surroundings {
    /// The platform.
    pub platform: Platform,
    /// The environment.
    pub environment: Box<Environment>,
}

impl Surroundings {
    /// Those of this process.
    pub fn own() -> Self {
        Surroundings {
            platform: Platform::own(),
            environment: Box::new(|name| std::env::var(name).ok()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.environment)(name).filter(|text| !text.trim().is_empty())
    }

    /// The folders in which Ollama keeps its backends, most usual first.
    pub fn folders(&self) -> Vec<String> {
        let mut out = Vec::new();
        // Where somebody built it himself.
        out.extend(self.variable("OLLAMA_LIBRARY_PATH"));
        match self.platform {
            Platform::Windows => {
                let local = self.variable("LOCALAPPDATA");
                out.extend(local.map(|dir| format!(r"{dir}\Programs\Ollama\lib\ollama")));
                let all = self.variable("ProgramFiles");
                out.extend(all.map(|dir| format!(r"{dir}\Ollama\lib\ollama")));
            }
            Platform::MacOs => {
                out.push("/Applications/Ollama.app/Contents/Resources".to_owned());
                out.push("/opt/homebrew/opt/ollama/lib/ollama".to_owned());
                out.push("/usr/local/lib/ollama".to_owned());
            }
            Platform::Unix => {
                out.push("/usr/local/lib/ollama".to_owned());
                out.push("/usr/lib/ollama".to_owned());
                out.push("/opt/ollama/lib/ollama".to_owned());
            }
        }
        out
    }

    /// The names by which nvcc is called.
    pub fn nvcc(&self, given: Option<&str>) -> Vec<String> {
        if let Some(given) = given {
            return vec![given.to_owned()];
        }
        let mut out = vec!["nvcc".to_owned()];
        out.extend(self.toolkits().into_iter().map(|dir| match self.platform {
            Platform::Windows => format!(r"{dir}\bin\nvcc.exe"),
            _ => format!("{dir}/bin/nvcc"),
        }));
        out
    }

    /// The names by which nvidia-smi is called.
    pub fn nvidia_smi(&self, given: Option<&str>) -> Vec<String> {
        vec![given.unwrap_or("nvidia-smi").to_owned()]
    }

    /// Where CUDA's version.json may lie.
    pub fn toolkit_files(&self, given: Option<&str>) -> Vec<String> {
        if let Some(given) = given {
            return vec![given.to_owned()];
        }
        let slash = if self.platform == Platform::Windows { '\\' } else { '/' };
        self.toolkits().into_iter().map(|dir| format!("{dir}{slash}version.json")).collect()
    }

    /// Where CUDA toolkits lie.
    fn toolkits(&self) -> Vec<String> {
        let mut out: Vec<String> =
            ["CUDA_PATH", "CUDA_HOME"].iter().filter_map(|name| self.variable(name)).collect();
        if self.platform == Platform::Unix {
            out.push("/usr/local/cuda".to_owned());
            out.push("/opt/cuda".to_owned());
        }
        let slash = |dir: String| dir.trim_end_matches(['/', '\\']).to_owned();
        out.into_iter().map(slash).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(platform: Platform, variables: &'static [(&str, &str)]) -> Surroundings {
        let environment = move |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Surroundings { platform, environment: Box::new(environment) }
    }

    #[test]
    fn each_platform_has_its_places() {
        let windows = on(
            Platform::Windows,
            &[
                ("LOCALAPPDATA", r"C:\Users\jo\AppData\Local"),
                ("CUDA_PATH", r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v13.4\"),
            ],
        );
        assert_eq!(windows.folders(), [r"C:\Users\jo\AppData\Local\Programs\Ollama\lib\ollama"]);
        assert_eq!(
            windows.nvcc(None),
            ["nvcc", r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v13.4\bin\nvcc.exe"]
        );
        assert_eq!(
            windows.toolkit_files(None),
            [r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v13.4\version.json"]
        );
        let unix = on(Platform::Unix, &[("OLLAMA_LIBRARY_PATH", "/srv/ollama"), ("CUDA_HOME", "")]);
        assert_eq!(
            unix.folders()[..3],
            ["/srv/ollama", "/usr/local/lib/ollama", "/usr/lib/ollama"]
        );
        assert_eq!(unix.nvcc(Some("/x/nvcc")), ["/x/nvcc"]);
        assert_eq!(unix.toolkit_files(None)[0], "/usr/local/cuda/version.json");
        assert!(on(Platform::MacOs, &[]).folders()[0].starts_with("/Applications"));
    }
}
