//! Numbers in as few bytes as they need: seven bits a byte, lowest first.

/// Appends a number.
#[inline]
pub fn put(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; `None` where the bytes end too soon.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (&first, mut rest) = bytes.split_first()?;
    let mut number = u32::from(first & 0x7f);
    let (mut byte, mut shift) = (first, 7);
    while byte >= 0x80 {
        (byte, rest) = match rest.split_first() {
            Some((&byte, rest)) if shift < 35 => (byte, rest),
            _ => return None,
        };
        number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
    }
    *bytes = rest;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn takes_what_was_put(numbers in proptest::collection::vec(proptest::prelude::any::<u32>(), 0..40)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&n| put(&mut bytes, n));
            let mut rest = &bytes[..];
            let got: Vec<u32> = std::iter::from_fn(|| take(&mut rest)).collect();
            proptest::prop_assert_eq!(got, numbers);
        }

        #[test]
        fn never_panics(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
            let mut rest = &bytes[..];
            while take(&mut rest).is_some() {}
        }
    }
}
