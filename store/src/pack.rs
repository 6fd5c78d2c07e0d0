//! How hunks are compressed in the database: one zstd frame a file change, level 3.

use crate::StoreError;

/// Compresses hunks.
pub struct Packer(zstd::bulk::Compressor<'static>);

impl Packer {
    /// A packer, to be kept from change to change.
    ///
    /// # Errors
    /// Where memory is lacking.
    pub fn new() -> Result<Self, StoreError> {
        zstd::bulk::Compressor::new(3).map(Packer).map_err(|e| failed(&e))
    }

    /// The compressed bytes.
    ///
    /// # Errors
    /// Where memory is lacking.
    pub fn pack(&mut self, text: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.0.compress(text).map_err(|e| failed(&e))
    }
}

/// Decompresses hunks.
pub struct Unpacker(zstd::bulk::Decompressor<'static>);

impl Unpacker {
    /// An unpacker, to be kept from change to change.
    ///
    /// # Errors
    /// Where memory is lacking.
    pub fn new() -> Result<Self, StoreError> {
        zstd::bulk::Decompressor::new().map(Unpacker).map_err(|e| failed(&e))
    }

    /// The text, which was `bytes` long.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for bytes that no packer made.
    pub fn unpack(&mut self, bytes: usize, packed: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.0.decompress(packed, bytes).map_err(|e| failed(&e))
    }

    /// The text, which was `bytes` long, in place of what `text` held.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for bytes that no packer made.
    pub fn unpack_into(
        &mut self,
        bytes: usize,
        packed: &[u8],
        text: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        text.clear();
        text.reserve(bytes);
        self.0.decompress_to_buffer(packed, text).map(|_| ()).map_err(|e| failed(&e))
    }
}

fn failed(error: &std::io::Error) -> StoreError {
    StoreError::Damaged(format!("a patch cannot be packed or unpacked: {error}"))
}
