//! Git's own objects: trees and files by their ids.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::commits::last;
use super::page::Query;
use super::repo::Repo;
use super::{Answer, Shared, not_found, ok, refused};

/// `GET /repos/{owner}/{repo}/git/trees/{tree_sha}`: with `recursive`, all that is below
/// it, up to a cap that `truncated` tells of.
pub(super) async fn tree(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
    query: Query,
) -> Answer {
    let most = world.state().caps.tree_entries;
    let git = repo.git();
    let asked = format!("{}^{{tree}}", last(&params));
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &asked];
    let sha = git.text(&args).await.ok_or_else(not_found)?;
    let mut args = vec!["ls-tree", "-z", "--long", "--full-tree"];
    if query.contains_key("recursive") {
        args.extend(["-r", "-t"]);
    }
    args.push(&sha);
    let printed = git.bytes(&args).await.ok_or_else(not_found)?;
    let text = String::from_utf8_lossy(&printed);
    let entries: Vec<&str> = text.split('\0').filter(|entry| !entry.is_empty()).collect();
    let api = repo.api(&world);
    let one = |entry: &&str| {
        let (meta, path) = entry.split_once('\t')?;
        let words: Vec<&str> = meta.split_whitespace().collect();
        let [mode, kind, sha, size] = words[..] else { return None };
        let mut value = json!({ "path": path, "mode": mode, "type": kind, "sha": sha });
        if let Ok(size) = size.parse::<u64>() {
            value["size"] = json!(size);
        }
        // What a gitlink names lies in another repository.
        let plural = if kind == "tree" { "trees" } else { "blobs" };
        if kind != "commit" {
            value["url"] = json!(format!("{api}/git/{plural}/{sha}"));
        }
        Some(value)
    };
    let shown: Vec<Value> = entries.iter().take(most).filter_map(one).collect();
    ok(&json!({
        "sha": sha,
        "url": format!("{api}/git/trees/{sha}"),
        "tree": shown,
        "truncated": entries.len() > most,
    }))
}

/// `GET /repos/{owner}/{repo}/git/blobs/{file_sha}`
pub(super) async fn blob(
    State(world): State<Shared>,
    repo: Repo,
    params: Path<Vec<(String, String)>>,
) -> Answer {
    let sha = last(&params);
    if sha.len() != 40 || !sha.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let message = "The sha parameter must be exactly 40 characters and contain only [0-9a-f].";
        return Err(refused(StatusCode::UNPROCESSABLE_ENTITY, message));
    }
    let bytes = repo.git().bytes(&["cat-file", "blob", sha]).await.ok_or_else(not_found)?;
    ok(&json!({
        "sha": sha,
        "node_id": format!("B_{sha}"),
        "size": bytes.len(),
        "url": format!("{}/git/blobs/{sha}", repo.api(&world)),
        "content": base64(&bytes),
        "encoding": "base64",
    }))
}

/// Base64 in lines of sixty, as GitHub breaks it.
fn base64(bytes: &[u8]) -> String {
    let text = STANDARD.encode(bytes);
    let lines = text.as_bytes().chunks(60).map(String::from_utf8_lossy);
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn lines_have_sixty_letters() {
        assert_eq!((base64(b""), base64(b"fo")), (String::new(), "Zm8=\n".to_owned()));
        assert_eq!(base64(&[255; 46]).lines().map(str::len).collect::<Vec<_>>(), [60, 4]);
    }
}
