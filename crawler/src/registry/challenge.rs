//! What a registry asks for before it answers: `www-authenticate`.

use reqwest::Url;

/// Where a token comes from, by a `Bearer` challenge; `None` where it is no such thing.
pub(super) fn token_url(challenge: &str) -> Option<Url> {
    let rest = challenge.trim_start();
    let scheme = rest.get(..7)?;
    if !scheme.eq_ignore_ascii_case("bearer ") {
        return None;
    }
    let values = parameters(rest.get(7..)?);
    let of = |name: &str| values.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let mut url = Url::parse(of("realm")?).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    for name in ["service", "scope"] {
        if let Some(value) = of(name) {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    Some(url)
}

/// `key="value"` or `key=value`, parted by commas; a quoted value may hold commas.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.trim_matches([' ', ',', '\t']).to_ascii_lowercase();
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        out.push((key, value.trim().to_owned()));
        rest = left;
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bearer_challenge_names_where_tokens_come_from() {
        let text = "Bearer realm=\"https://ollama.com/token\",service=\"r\",scope=\"repository:library/a:pull,push\"";
        let url = token_url(text).unwrap();
        assert_eq!(url.host_str(), Some("ollama.com"));
        assert_eq!(url.query(), Some("service=r&scope=repository%3Alibrary%2Fa%3Apull%2Cpush"));
        assert_eq!(token_url("Basic realm=\"x\""), None);
        assert_eq!(token_url("Bearer realm=\"file:///etc/passwd\""), None);
    }

    proptest! {
        #[test]
        fn no_challenge_makes_it_panic(text in "(Bearer )?\\PC{0,60}") {
            let _ = token_url(&text);
        }
    }
}
