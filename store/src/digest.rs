//! Sha256 digests, by which registries name bytes.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// The sha256 of some bytes: `sha256:` and 64 hexadecimal digits when printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is no sha256 digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no sha256 digest")]
pub struct NotADigest(pub String);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Digest(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of everything that a reader gives, and how many bytes that were.
    ///
    /// # Errors
    /// Those of reading.
    pub fn of_reader(mut from: impl std::io::Read) -> std::io::Result<(Self, u64)> {
        let mut hash = sha2::Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok((Digest(hash.finalize().into()), bytes)),
                Ok(read) => {
                    hash.update(buffer.get(..read).unwrap_or_default());
                    bytes += read as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 digits.
    pub fn hex(&self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            text.push_str(&format!("{byte:02x}"));
            text
        })
    }

    /// The first twelve digits: what Ollama shows as a model's id.
    pub fn short(&self) -> String {
        self.hex().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    /// Reads `sha256:HEX`, a blob's file name (`sha256-HEX`), or the digits alone.
    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let wrong = || NotADigest(text.chars().take(80).collect());
        let hex =
            text.strip_prefix("sha256:").or_else(|| text.strip_prefix("sha256-")).unwrap_or(text);
        let mut out = [0; 32];
        if hex.len() != 64 {
            return Err(wrong());
        }
        for (byte, pair) in out.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let digit = |at: usize| pair.get(at).and_then(|c| char::from(*c).to_digit(16));
            let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(wrong()) };
            *byte = u8::try_from(high * 16 + low).map_err(|_| wrong())?;
        }
        Ok(Digest(out))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        "BlobDigest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^sha256:[0-9a-f]{64}$",
            "description": "The sha256 of bytes.",
        })
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl ToSql for Digest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Digest {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let blob = value.as_blob()?;
        blob.try_into()
            .map(Digest)
            .map_err(|_| FromSqlError::InvalidBlobSize { expected_size: 32, blob_size: blob.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints_and_nothing_else() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.short(), "ba7816bf8f01");
        assert_eq!(Digest::of_reader(&b"abc"[..]).unwrap(), (digest, 3));
        for text in [digest.to_string(), digest.hex(), format!("sha256-{}", digest.hex())] {
            assert_eq!(text.parse(), Ok(digest));
        }
        for text in ["", "sha256:", "sha256:../../etc/passwd", &"é".repeat(32), &"g".repeat(64)] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
