//! Whether a change can have moved a default at all, from its hunks alone: most
//! changes of large files cannot, and their versions are never read.

use headwater_store::model::FileChange;

use super::rules::{Extractors, Holder};

impl Extractors {
    /// Whether a hunk of the change touches a declaration that holds defaults. A change
    /// without hunks to go by (a file that comes, goes or moves) always may.
    pub fn touched(&self, upstream: &str, file: &FileChange) -> bool {
        let mut reading = self.reading(upstream, &file.path);
        if file.path_before() != file.path || file.old_blob.is_zero() || file.new_blob.is_zero() {
            reading.extend(self.reading(upstream, file.path_before()));
            return !reading.is_empty();
        }
        if reading.is_empty() || file.hunks.is_empty() {
            return false;
        }
        let hunks = file.parsed();
        let sections: Vec<_> = hunks.iter().map(|h| String::from_utf8_lossy(h.section)).collect();
        let lines: Vec<_> = hunks
            .iter()
            .flat_map(|h| &h.lines)
            .map(|l| (l.side != headwater_store::model::Side::Context, l.text_lossy()))
            .collect();
        let named = |pattern: &regex::Regex| {
            let has = |text: &str| {
                text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .any(|w| pattern.is_match(w))
            };
            sections.iter().any(|s| has(s)) || lines.iter().any(|(_, l)| has(l))
        };
        let changed = |wanted: &[&str]| {
            lines.iter().any(|(changed, l)| *changed && wanted.iter().any(|w| l.contains(w)))
        };
        let holders = reading.iter().filter_map(|n| self.all.get(*n)).flat_map(|c| c.holds());
        let mut holders = holders;
        holders.any(|holder| match holder {
            // Git names the declaration above a hunk: its name stands there or in the hunk.
            Holder::Returned { function, .. } => named(&function.0),
            Holder::Help {} => changed(&["default", "\"-", "set_env"]),
            Holder::Request { .. } => changed(&["json_value", "\""]),
            Holder::Rule { function } | Holder::Args { function } => named(&function.0),
            Holder::Assigned { function, .. } => named(&function.0),
            Holder::Table { .. } => changed(&["|"]),
            // Constants may stand anywhere in the file, and these files are small.
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headwater_store::Oid;
    use headwater_store::model::ChangeStatus;

    fn change(hunks: &str) -> FileChange {
        FileChange {
            path: "src/llama-model.cpp".into(),
            old_path: None,
            status: ChangeStatus::Modified,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            old_blob: Oid::from_bytes([1; 20]),
            new_blob: Oid::from_bytes([2; 20]),
            added: 1,
            deleted: 1,
            binary: false,
            gap: false,
            hunks: hunks.as_bytes().to_vec(),
        }
    }

    #[test]
    fn only_hunks_in_a_declaration_that_holds_defaults_count() {
        let extractors = Extractors::built_in().unwrap();
        let inside = change(
            "@@ -9,3 +9,3 @@ llama_model_params llama_model_default_params() {\n a\n-1\n+2\n b\n",
        );
        let outside = change("@@ -9,3 +9,3 @@ void llama_other() {\n a\n-1\n+2\n b\n");
        assert!(extractors.touched("llama.cpp", &inside));
        assert!(!extractors.touched("llama.cpp", &outside));
        assert!(!extractors.touched("ollama", &inside));
        let mut added = change("");
        added.old_blob = Oid::ZERO;
        assert!(extractors.touched("llama.cpp", &added));
    }
}
