//! The libraries of a folder, each with its sha256.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use headwater_store::Digest;
use headwater_store::rig::{Found, LibraryFolder, LibraryRead};

/// More libraries of one folder are not read.
const MOST: usize = 500;
/// More bytes of one folder are not read.
const MOST_BYTES: u64 = 64 << 30;

/// Whether a file is a library, by its name: `.so`, `.so.12.8`, `.dll`, `.dylib`.
pub fn is_library(name: &str) -> bool {
    let name = name.to_lowercase();
    let versioned = |rest: &str| {
        let part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        rest.strip_prefix('.').is_some_and(|version| version.split('.').all(part))
    };
    let so = name.match_indices(".so").any(|(at, mark)| {
        let rest = name.get(at + mark.len()..).unwrap_or_default();
        at > 0 && (rest.is_empty() || versioned(rest))
    });
    so || [".dll", ".dylib"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

/// Reads a folder and the folders in it; `done` is told of each library.
pub(super) fn folder(path: &Path, done: &mut dyn FnMut()) -> LibraryFolder {
    let mut out = LibraryFolder {
        path: path.display().to_string(),
        libraries: Found::Is(Vec::new()),
        unread: Vec::new(),
    };
    let mut places = Vec::new();
    if let Err(error) = list(path, "", &mut places, &mut out.unread) {
        out.libraries = Found::Lacks(match error.kind() {
            std::io::ErrorKind::NotFound => "the folder is not there".to_owned(),
            _ => format!("the folder cannot be read: {error}"),
        });
        return out;
    }
    places.sort();
    if places.len() > MOST {
        let left = places.len() - MOST;
        out.unread.push(format!("{left} more libraries: a folder's first {MOST} are read"));
        places.truncate(MOST);
    }
    let (mut found, mut bytes) = (Vec::new(), 0u64);
    for place in places {
        match library(path, &place, MOST_BYTES.saturating_sub(bytes)) {
            Ok(library) => {
                bytes += library.bytes;
                found.push(library);
            }
            Err(why) => out.unread.push(format!("{place}: {why}")),
        }
        done();
    }
    out.libraries = Found::Is(found);
    out
}

/// Adds the libraries of a folder, and of the folders in the outermost one.
fn list(
    dir: &Path,
    within: &str,
    places: &mut Vec<String>,
    unread: &mut Vec<String>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            unread.push(format!("{}: its name is no text", name.to_string_lossy()));
            continue;
        };
        let place = if within.is_empty() { name.to_owned() } else { format!("{within}/{name}") };
        if is_library(name) {
            places.push(place);
        } else if within.is_empty()
            && entry.file_type()?.is_dir()
            && let Err(error) = list(&entry.path(), name, places, unread)
        {
            unread.push(format!("{name}: {error}"));
        }
    }
    Ok(())
}

fn library(folder: &Path, place: &str, most: u64) -> Result<LibraryRead, String> {
    let path = folder.join(place);
    let told = |error: std::io::Error| error.to_string();
    let link = std::fs::read_link(&path).ok().map(|to| to.to_string_lossy().into_owned());
    // A pipe of such a name would be waited for without end.
    if !std::fs::metadata(&path).map_err(told)?.is_file() {
        return Err("it is no plain file".to_owned());
    }
    let file = File::open(&path).map_err(told)?;
    let (sha256, bytes) = Digest::of_reader(file.take(most.saturating_add(1))).map_err(told)?;
    if bytes > most {
        return Err("it is larger than what is read of a folder".to_owned());
    }
    Ok(LibraryRead { place: place.to_owned(), bytes, sha256, link })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_tell_libraries() {
        for name in [
            "libggml-cuda.so",
            "libcublas.so.13",
            "libcublasLt.so.12.8.4.1",
            "ggml-cuda.dll",
            "cublas64_13.DLL",
            "libggml-metal.dylib",
            "libfoo.1.dylib",
            "a.sox.so.1",
        ] {
            assert!(is_library(name), "{name}");
        }
        for name in
            ["llama-server", "x.so.txt", ".so", ".dll", "x.so.", "x.so.1.", "notes.sox", "dll", ""]
        {
            assert!(!is_library(name), "{name}");
        }
    }

    #[test]
    fn a_folder_is_read_one_level_deep() {
        let dir = tempfile::tempdir().unwrap();
        let at = |place: &str| dir.path().join(place);
        std::fs::create_dir_all(at("cuda_v13/deeper")).unwrap();
        std::fs::create_dir_all(at("odd.so")).unwrap();
        for (place, text) in [
            ("libggml-base.so", "base"),
            ("cuda_v13/libggml-cuda.so", "cuda"),
            ("cuda_v13/deeper/libx.so", "x"),
            ("readme.txt", "no"),
        ] {
            std::fs::write(at(place), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("libggml-base.so", at("libggml-base.so.0")).unwrap();
        let mut count = 0;
        let read = folder(dir.path(), &mut || count += 1);
        let all = read.libraries.get().unwrap();
        let cuda = all.iter().find(|one| one.place == "cuda_v13/libggml-cuda.so").unwrap();
        assert_eq!((cuda.sha256, cuda.bytes), (Digest::of(b"cuda"), 4));
        assert!(!all.iter().any(|one| one.place.contains("deeper")));
        assert_eq!(read.unread, ["odd.so: it is no plain file"]);
        #[cfg(unix)]
        {
            let link = all.iter().find(|one| one.place == "libggml-base.so.0").unwrap();
            assert_eq!(link.link.as_deref(), Some("libggml-base.so"));
            assert_eq!((all.len(), count), (3, 4));
        }
        let none = folder(&at("nowhere"), &mut || {});
        assert_eq!(none.libraries.lacks(), Some("the folder is not there"));
    }

    proptest! {
        #[test]
        fn no_name_makes_it_panic(name in "\\PC{0,40}") {
            let _ = is_library(&name);
        }
    }
}
