//! Git object ids.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The SHA-1 name of a git object: 20 bytes, 40 hexadecimal digits when printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Oid([u8; 20]);

/// A text that is no full object id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a full git object id (40 hexadecimal digits)")]
pub struct NotAnOid(pub String);

impl Oid {
    /// The all-zero id, with which git's raw diffs name "no object".
    pub const ZERO: Oid = Oid([0; 20]);

    /// An id from its 20 bytes.
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Oid(bytes)
    }

    /// An id from a slice, if it holds exactly 20 bytes.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Oid)
    }

    /// An id from 40 hexadecimal digits, as bytes.
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let mut out = [0; 20];
        if hex.len() != 40 {
            return None;
        }
        for (byte, pair) in out.iter_mut().zip(hex.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = u8::try_from(high * 16 + low).ok()?;
        }
        Some(Oid(out))
    }

    /// The 20 bytes.
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// Whether this is [`Oid::ZERO`].
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The first nine digits: how reports print a commit.
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(9);
        hex
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Asked for with every object that is read.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 40];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        f.write_str(std::str::from_utf8(&hex).unwrap_or_default())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Oid({self})")
    }
}

impl FromStr for Oid {
    type Err = NotAnOid;

    fn from_str(text: &str) -> Result<Self, NotAnOid> {
        Oid::from_hex(text.as_bytes()).ok_or_else(|| NotAnOid(text.to_owned()))
    }
}

impl Serialize for Oid {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Oid {
    fn schema_name() -> Cow<'static, str> {
        "Oid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9a-f]{40}$",
            "description": "A git object's id.",
        })
    }
}

impl<'de> Deserialize<'de> for Oid {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl ToSql for Oid {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Oid {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let blob = value.as_blob()?;
        Oid::from_slice(blob)
            .ok_or(FromSqlError::InvalidBlobSize { expected_size: 20, blob_size: blob.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_reads() {
        let hex = "6a261db7d0123456789abcdef0123456789abcde";
        let oid: Oid = hex.parse().unwrap();
        assert_eq!(oid.to_string(), hex);
        assert_eq!(oid.short(), "6a261db7d");
        assert_eq!(serde_json::to_string(&oid).unwrap(), format!("\"{hex}\""));
    }

    #[test]
    fn refuses_what_is_no_full_id() {
        for text in ["", "b8179", "6a261db7d", &"g".repeat(40), &"é".repeat(20)] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
    }
}
