//! Accounts, made from mail addresses.

use serde_json::{Map, Value, json};

use super::Shared;
use crate::host::Host;

/// An account's JSON.
pub(super) fn user(world: &Shared, login: &str) -> Value {
    let (api, web) = (world.url(Host::Api), world.url(Host::Web));
    let url = format!("{api}/users/{login}");
    let id: u64 = login.bytes().fold(7, |sum, b| (sum * 31 + u64::from(b)) % 1_000_000);
    let mut out = Map::new();
    for (name, path) in [
        ("followers_url", "/followers"),
        ("following_url", "/following{/other_user}"),
        ("gists_url", "/gists{/gist_id}"),
        ("starred_url", "/starred{/owner}{/repo}"),
        ("subscriptions_url", "/subscriptions"),
        ("organizations_url", "/orgs"),
        ("repos_url", "/repos"),
        ("events_url", "/events{/privacy}"),
        ("received_events_url", "/received_events"),
    ] {
        out.insert(name.to_owned(), format!("{url}{path}").into());
    }
    for (name, value) in [
        ("login", json!(login)),
        ("id", json!(id)),
        ("node_id", json!(format!("U_{id}"))),
        ("avatar_url", json!(format!("{web}/{login}.png"))),
        ("gravatar_id", json!("")),
        ("url", json!(url)),
        ("html_url", json!(format!("{web}/{login}"))),
        ("type", json!("User")),
        ("user_view_type", json!("public")),
        ("site_admin", json!(false)),
    ] {
        out.insert(name.to_owned(), value);
    }
    Value::Object(out)
}

/// The account of a mail address; those of nobody and of the wicked belong to none, as
/// addresses that no account has confirmed.
pub(super) fn account(world: &Shared, email: &str) -> Value {
    match email.split_once('@') {
        Some((login, domain))
            if !domain.starts_with("nowhere.") && !domain.starts_with("evil.") =>
        {
            user(world, &slug(login))
        }
        _ => Value::Null,
    }
}

fn slug(text: &str) -> String {
    let mut out: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if out.is_empty() {
        out.push_str("ghost");
    }
    out
}
