//! Which engines the trees at both ends have, and which of them a commit is about.

use globset::GlobSet;
use headwater_store::model::{FileChange, Side};
use headwater_store::objects::ObjectReader;
use headwater_store::upstream::{Engine, Guard, TreeFact, Upstream};
use headwater_store::{Oid, StoredPatch};
use regex::Regex;

use super::paths::globs;
use crate::QueryError;

/// An upstream's engines at both ends of a window.
pub(super) struct Engines {
    list: Vec<EngineAt>,
    /// The model's format.
    format: String,
}

struct EngineAt {
    name: String,
    runs: bool,
    present: bool,
    paths: GlobSet,
    shared: GlobSet,
    pins: Vec<String>,
    guards: Vec<(GlobSet, Regex, Guard)>,
}

/// Why a change is not met by the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OffPath {
    /// In words.
    pub(super) why: String,
    /// The line that shows it, where it is a condition in the code.
    pub(super) line: Option<(String, u32, String)>,
}

impl Engines {
    /// Reads both trees for the engines that they have.
    pub(super) fn read(
        upstream: &Upstream,
        format: &str,
        trees: [Oid; 2],
        objects: &mut ObjectReader,
    ) -> Result<Self, QueryError> {
        let mut list = Vec::new();
        for engine in &upstream.engines {
            let mut present = false;
            for tree in trees {
                present |= has(objects, tree, engine)?;
            }
            let guards = engine
                .guards
                .iter()
                .map(|guard| {
                    let regex =
                        Regex::new(&guard.opens).map_err(|e| QueryError::Pattern(e.to_string()))?;
                    Ok((globs(&guard.paths)?, regex, guard.clone()))
                })
                .collect::<Result<_, QueryError>>()?;
            list.push(EngineAt {
                name: engine.name.clone(),
                runs: engine.formats.iter().any(|f| f == format),
                present,
                paths: globs(&engine.paths)?,
                shared: globs(&engine.shared)?,
                pins: engine.pins.clone(),
                guards,
            });
        }
        Ok(Engines { list, format: format.to_owned() })
    }

    /// The format that the model is taken to have.
    pub(super) fn format(&self) -> &str {
        &self.format
    }

    /// The engines that run the model in either tree.
    pub(super) fn running(&self) -> Vec<&str> {
        self.list.iter().filter(|e| e.runs && e.present).map(|e| e.name.as_str()).collect()
    }

    /// Whether only engines that do not run the model use a pin.
    pub(super) fn pin_is_off_path(&self, pin: &str) -> bool {
        let mut users = self.list.iter().filter(|e| e.pins.iter().any(|p| p == pin)).peekable();
        users.peek().is_some() && users.all(|engine| !(engine.runs && engine.present))
    }

    /// Why the model does not meet a file's change; `None` where it may.
    pub(super) fn off_path(
        &self,
        patch: &StoredPatch,
        file: &FileChange,
        objects: &mut ObjectReader,
    ) -> Result<Option<OffPath>, QueryError> {
        let owners: Vec<&EngineAt> = self
            .list
            .iter()
            .filter(|e| e.paths.is_match(&file.path) && !e.shared.is_match(&file.path))
            .collect();
        if let Some(first) = owners.first() {
            if owners.iter().any(|engine| engine.runs && engine.present) {
                return Ok(None);
            }
            let why = if first.runs {
                format!("only the engine {} uses it, which neither tree has", first.name)
            } else {
                format!(
                    "only the engine {} uses it, which runs no {} model",
                    first.name, self.format
                )
            };
            return Ok(Some(OffPath { why, line: None }));
        }
        for engine in self.list.iter().filter(|engine| !(engine.runs && engine.present)) {
            for (paths, opens, guard) in &engine.guards {
                if !paths.is_match(&file.path) || patch.is_deferred() {
                    continue;
                }
                if let Some((line, text)) = all_guarded(file, opens, objects)? {
                    let why = format!("{} ({})", guard.why, engine.name);
                    return Ok(Some(OffPath { why, line: Some((file.path.clone(), line, text)) }));
                }
            }
        }
        Ok(None)
    }
}

fn has(objects: &mut ObjectReader, tree: Oid, engine: &Engine) -> Result<bool, QueryError> {
    for TreeFact { path, contains } in &engine.present {
        let holds = match contains {
            None => objects.entry(tree, path)?.is_some(),
            Some(pattern) => {
                let regex = Regex::new(pattern).map_err(|e| QueryError::Pattern(e.to_string()))?;
                objects
                    .file(tree, path)?
                    .is_some_and(|data| regex.is_match(&String::from_utf8_lossy(&data)))
            }
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every changed line stands inside a block that such a condition opens, or is an
/// import, a comment or blank; then the first condition's line.
fn all_guarded(
    file: &FileChange,
    opens: &Regex,
    objects: &mut ObjectReader,
) -> Result<Option<(u32, String)>, QueryError> {
    let (Some(before), Some(after)) =
        (version(objects, file.old_blob)?, version(objects, file.new_blob)?)
    else {
        return Ok(None);
    };
    let (guarded_before, guarded_after) = (guarded(&before, opens), guarded(&after, opens));
    let mut first = None;
    for line in file.changed_lines() {
        let text = line.text_lossy();
        let (blocks, number) = match line.side {
            Side::Removed => (&guarded_before, line.old),
            _ => (&guarded_after, line.new),
        };
        match blocks.iter().find(|block| (block.from..=block.to).contains(&number)) {
            Some(block) => first = first.or_else(|| Some((block.from, block.text.clone()))),
            None if has_no_effect(&text) => {}
            None => return Ok(None),
        }
    }
    Ok(first)
}

fn version(objects: &mut ObjectReader, blob: Oid) -> Result<Option<String>, QueryError> {
    if blob.is_zero() {
        return Ok(Some(String::new()));
    }
    Ok(objects.blob(blob)?.map(|data| String::from_utf8_lossy(&data).into_owned()))
}

/// A line of an import, a comment or nothing.
fn has_no_effect(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with("//")
        || line.starts_with("import ")
        || line.strip_prefix('"').is_some_and(|rest| rest.ends_with('"') && rest.contains('/'))
}

struct Block {
    from: u32,
    to: u32,
    text: String,
}

/// The blocks that lines matching `opens` open, by braces.
fn guarded(text: &str, opens: &Regex) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !opens.is_match(line) {
            continue;
        }
        let mut depth = 0_i64;
        for (end, line) in lines.iter().enumerate().skip(at) {
            depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
            if depth <= 0 {
                let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
                blocks.push(Block {
                    from: number(at),
                    to: number(end),
                    text: lines.get(at).copied().unwrap_or_default().trim().to_owned(),
                });
                break;
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guarded_block_ends_with_its_brace() {
        let opens = Regex::new(r"\bif\b.*\bisTensor\(").unwrap();
        let text =
            "func pull() {\n\tif isTensor(m) {\n\t\tif a {\n\t\t\tb()\n\t\t}\n\t}\n\tc()\n}\n";
        let blocks = guarded(text, &opens);
        assert_eq!(blocks.len(), 1);
        assert_eq!((blocks[0].from, blocks[0].to), (2, 6));
    }

    #[test]
    fn imports_and_comments_have_no_effect() {
        assert!(has_no_effect("\t\"example.com/x/mlx\""));
        assert!(has_no_effect("  // why"));
        assert!(!has_no_effect("\treturn nil"));
        assert!(!has_no_effect("\"text\","));
    }
}
