//! Pages, and the Link header that leads through them.

use std::collections::BTreeMap;

use axum::http::{HeaderValue, header};
use axum::response::Response;

/// What a query asks for.
pub(super) type Query = axum::extract::Query<BTreeMap<String, String>>;

/// One page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Page {
    pub number: usize,
    pub size: usize,
}

impl Page {
    /// The page that a query asks for; `default` entries where it does not say.
    pub fn of(query: &Query, default: usize, most: usize) -> Self {
        let read = |name: &str| query.get(name).and_then(|text| text.parse::<usize>().ok());
        Page {
            number: read("page").unwrap_or(1).max(1),
            size: read("per_page").filter(|n| *n > 0).unwrap_or(default).min(most),
        }
    }

    /// The entries of this page.
    pub fn cut<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        let from = (self.number - 1).saturating_mul(self.size).min(all.len());
        &all[from..from.saturating_add(self.size).min(all.len())]
    }

    /// Adds the Link header: `first` and `prev` where there is something before,
    /// `next` and `last` where there is something after.
    pub fn link(&self, response: &mut Response, url: &str, query: &Query, all: usize) {
        let last = all.div_ceil(self.size).max(1);
        let mut rels = Vec::new();
        if self.number > 1 {
            rels.push((self.number.min(last + 1) - 1, "prev"));
        }
        if self.number < last {
            rels.extend([(self.number + 1, "next"), (last, "last")]);
        }
        if self.number > 1 {
            rels.push((1, "first"));
        }
        let to = |page: usize| {
            let mut pairs: Vec<String> = query
                .iter()
                .filter(|(name, _)| name.as_str() != "page")
                .map(|(name, value)| format!("{name}={}", escaped(value)))
                .collect();
            pairs.push(format!("page={page}"));
            format!("{url}?{}", pairs.join("&"))
        };
        let links: Vec<String> =
            rels.iter().map(|(page, rel)| format!("<{}>; rel=\"{rel}\"", to(*page))).collect();
        if let Ok(value) = HeaderValue::from_str(&links.join(", "))
            && !links.is_empty()
        {
            response.headers_mut().insert(header::LINK, value);
        }
    }
}

/// A text as part of a URL.
pub(crate) fn escaped(text: &str) -> String {
    let keep = |b: &u8| b.is_ascii_alphanumeric() || b"-._~".contains(b);
    text.bytes()
        .map(|b| if keep(&b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_tile_a_list() {
        let all: Vec<usize> = (0..7).collect();
        let page = |number| Page { number, size: 3 };
        let joined: Vec<usize> = (1..5).flat_map(|n| page(n).cut(&all).to_vec()).collect();
        assert_eq!(joined, all);
        assert!(page(usize::MAX).cut(&all).is_empty());
    }
}
