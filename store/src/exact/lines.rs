//! The changed lines of a patch's hunks, without building anything.

use crate::model::Side;
use crate::model::hunk_header;

/// Calls `each` with every line of a file change's hunks, its side, and its number
/// on that side. Text that is no hunk is passed over.
///
/// The same reading as [`FileChange::parsed`](crate::model::FileChange::parsed), for
/// the paths where nothing may be allocated.
#[inline]
pub fn each_line<'a>(hunks: &'a [u8], mut each: impl FnMut(Side, u32, &'a [u8])) {
    let mut rest = hunks;
    while let Some(header) = take_line(&mut rest) {
        let Some(([mut old, old_count, mut new, new_count], _)) = hunk_header(header) else {
            continue;
        };
        // A side without lines is numbered by the line before it.
        old = old.saturating_add(u32::from(old_count == 0));
        new = new.saturating_add(u32::from(new_count == 0));
        let (mut old_left, mut new_left) = (old_count, new_count);
        while old_left > 0 || new_left > 0 {
            let Some(line) = take_line(&mut rest) else { break };
            let (side, body) = match line.split_first() {
                Some((b'-', body)) => (Side::Removed, body),
                Some((b'+', body)) => (Side::Added, body),
                Some((b' ', body)) => (Side::Context, body),
                None => (Side::Context, line),
                Some(_) => continue, // "\ No newline at end of file"
            };
            each(side, if side == Side::Removed { old } else { new }, body);
            if side != Side::Added {
                old = old.saturating_add(1);
                old_left = old_left.saturating_sub(1);
            }
            if side != Side::Removed {
                new = new.saturating_add(1);
                new_left = new_left.saturating_sub(1);
            }
        }
    }
}

/// Calls `each` with every added or removed line.
#[inline]
pub fn each_changed<'a>(hunks: &'a [u8], mut each: impl FnMut(Side, u32, &'a [u8])) {
    each_line(hunks, |side, number, text| {
        if side != Side::Context {
            each(side, number, text);
        }
    });
}

fn take_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    if rest.is_empty() {
        return None;
    }
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = &rest[..end];
    *rest = rest.get(end + 1..).unwrap_or(&[]);
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Oid;
    use crate::model::{ChangeStatus, FileChange};

    fn change(hunks: &[u8]) -> FileChange {
        FileChange {
            path: "f".into(),
            old_path: None,
            status: ChangeStatus::Modified,
            old_mode: 0o100644,
            new_mode: 0o100644,
            old_blob: Oid::ZERO,
            new_blob: Oid::ZERO,
            added: 0,
            deleted: 0,
            binary: false,
            gap: false,
            hunks: hunks.to_vec(),
        }
    }

    proptest::proptest! {
        /// The quick reader and the one that builds hunks say the same.
        #[test]
        fn agrees_with_the_parsed_hunks(
            lines in proptest::collection::vec("(@@ -[0-9]{1,2}(,[0-9])? \\+[0-9]{1,2}(,[0-9])? @@( f)?|[-+ \\\\]?[a-c@]{0,3})", 0..30)
        ) {
            let text = lines.join("\n");
            let change = change(text.as_bytes());
            let want: Vec<_> = change.parsed().iter().flat_map(|h| &h.lines)
                .map(|l| (l.side, if l.side == Side::Removed { l.old } else { l.new }, l.text.to_vec())).collect();
            let mut got = Vec::new();
            each_line(text.as_bytes(), |side, number, text| got.push((side, number, text.to_vec())));
            proptest::prop_assert_eq!(got, want);
        }
    }
}
