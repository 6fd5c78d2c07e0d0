//! The index's files: opened, made, and told which records they cover.

use std::path::{Path, PathBuf};

use tantivy::directory::MmapDirectory;
use tantivy::schema::{IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError};

use super::directory::Readable;
use super::manifest::{MANIFEST, Manifest};
use super::tokens::Words;
use crate::StoreError;

/// Raised whenever documents are made in another way: an older index is made anew.
const VERSION: u32 = 1;
/// Memory for each thread that writes; more makes fewer and larger segments.
const MEMORY: usize = 96 << 20;

/// A field of a commit's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The message's first line.
    Subject,
    /// The rest of the message.
    Message,
    /// The author's name and address.
    Author,
    /// The paths, before and after the change.
    Path,
    /// The words of added lines.
    Added,
    /// The words of removed lines that no added line has.
    Removed,
}

impl Field {
    /// All of them.
    pub const ALL: [Field; 6] =
        [Field::Subject, Field::Message, Field::Author, Field::Path, Field::Added, Field::Removed];

    /// Its name, as a question writes it before a colon.
    pub const fn name(self) -> &'static str {
        match self {
            Field::Subject => "subject",
            Field::Message => "message",
            Field::Author => "author",
            Field::Path => "path",
            Field::Added => "added",
            Field::Removed => "removed",
        }
    }

    /// How much a word here weighs beside the same word elsewhere.
    pub(super) const fn weight(self) -> f32 {
        match self {
            Field::Subject => 3.0,
            Field::Path => 1.5,
            Field::Message | Field::Added => 1.0,
            Field::Author | Field::Removed => 0.7,
        }
    }

    /// Whether the places of words are kept, so that a phrase can be looked for.
    pub(super) const fn has_positions(self) -> bool {
        matches!(self, Field::Subject | Field::Message)
    }
}

/// The fields in tantivy's terms.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub commit: tantivy::schema::Field,
    by_field: [tantivy::schema::Field; Field::ALL.len()],
}

/// The name under which tantivy knows how texts are cut.
const WORDS: &str = "words";

/// The name of the field that holds a commit's row.
pub(super) const COMMIT: &str = "commit";

impl Fields {
    fn new() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let commit = schema.add_u64_field(COMMIT, NumericOptions::default().set_fast());
        let by_field = Field::ALL.map(|field| {
            let option = if field.has_positions() {
                IndexRecordOption::WithFreqsAndPositions
            } else {
                IndexRecordOption::Basic
            };
            // Where places are not kept, the texts come cut already.
            let tokenizer = if field.has_positions() { WORDS } else { "whitespace" };
            let indexing =
                TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option);
            schema
                .add_text_field(field.name(), TextOptions::default().set_indexing_options(indexing))
        });
        (schema.build(), Fields { commit, by_field })
    }

    pub fn of(&self, field: Field) -> tantivy::schema::Field {
        self.by_field[field as usize]
    }
}

/// An open index.
pub struct SearchIndex {
    index: tantivy::Index,
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
    /// What the records carry that it was made from.
    pub mark: String,
    /// Every commit up to this row is in it.
    pub through: i64,
    /// Commits of which something was left out, since they have too many words.
    pub cut: u64,
}

impl SearchIndex {
    /// Opens the index in `dir`; `None` where there is none, or one of another version.
    ///
    /// # Errors
    /// Where its files are damaged.
    pub fn open(dir: &Path) -> Result<Option<Self>, StoreError> {
        // Tantivy expects its files to be whole: they are looked at before it reads them.
        let Some(manifest) = Manifest::read(dir, VERSION) else { return Ok(None) };
        manifest.check(dir).map_err(StoreError::Search)?;
        let directory = MmapDirectory::open(dir).map_err(TantivyError::from)?;
        let index = tantivy::Index::open(Readable(directory))?;
        let (schema, fields) = Fields::new();
        if index.schema() != schema {
            return Ok(None);
        }
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let Manifest { mark, through, cut, .. } = manifest;
        Ok(Some(SearchIndex { index, reader, fields, mark, through, cut }))
    }

    /// How many commits it holds.
    pub fn documents(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Compares each file with the checksum that it carries; tells the damaged ones.
    ///
    /// # Errors
    /// Where files cannot be read.
    pub fn damaged(&self) -> Result<Vec<String>, TantivyError> {
        let files = self.index.validate_checksum()?;
        let mut names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        names.sort();
        Ok(names)
    }
}

/// Adds documents; what was added is there when it is finished, and not before.
pub(crate) struct Additions {
    dir: PathBuf,
    writer: IndexWriter,
    pub fields: Fields,
}

impl Additions {
    /// To the index in `dir`, which is made anew unless it is `old`.
    pub fn begin(dir: &Path, old: Option<&SearchIndex>, jobs: usize) -> Result<Self, TantivyError> {
        let (schema, fields) = Fields::new();
        let index = match old {
            Some(old) => old.index.clone(),
            None => {
                clear(dir)?;
                tantivy::Index::create_in_dir(dir, schema)?
            }
        };
        index.tokenizers().register(WORDS, Words);
        let options = tantivy::indexer::IndexWriterOptions::builder()
            .num_worker_threads(jobs)
            .num_merge_threads(1)
            .memory_budget_per_thread(MEMORY)
            .build();
        Ok(Additions { dir: dir.to_owned(), writer: index.writer_with_options(options)?, fields })
    }

    pub fn add(&self, document: TantivyDocument) -> Result<(), TantivyError> {
        self.writer.add_document(document).map(|_| ())
    }

    /// Ends it. A crash before the manifest is there leaves an index that the old one does
    /// not fit, which is made anew.
    pub fn finish(mut self, mark: &str, through: i64, cut: u64) -> Result<(), StoreError> {
        self.writer.commit()?;
        self.writer.wait_merging_threads()?;
        let written = Manifest::write(&self.dir, VERSION, mark, through, cut);
        written.and_then(|()| as_readable(&self.dir)).map_err(StoreError::io(self.dir))
    }
}

/// Tantivy makes two of its files for their owner alone; whoever may read the rest of the
/// index may read them.
fn as_readable(dir: &Path) -> std::io::Result<()> {
    let mode = std::fs::metadata(dir.join(MANIFEST))?.permissions();
    for name in ["meta.json", ".managed.json"] {
        std::fs::set_permissions(dir.join(name), mode.clone())?;
    }
    Ok(())
}

/// Removes the files of an index, but not the lock.
pub(crate) fn clear(dir: &Path) -> std::io::Result<()> {
    // First of all what says that there is an index.
    match std::fs::remove_file(dir.join(MANIFEST)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name() != "lock" && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
