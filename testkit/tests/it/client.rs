//! The smallest HTTP client that these tests need; it follows nothing by itself.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    /// Whether the body is as long as its head promised.
    pub whole: bool,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The address behind a `rel` of the Link header.
    pub fn link(&self, rel: &str) -> Option<String> {
        let wanted = format!("rel=\"{rel}\"");
        let link = self.header("link");
        let part = link.split(", ").find(|part| part.ends_with(&wanted))?;
        Some(part.split('>').next()?.trim_start_matches('<').to_owned())
    }
}

/// `GET` of an absolute URL.
pub fn get(url: &str) -> Answer {
    get_with(url, &[])
}

/// The same with headers.
pub fn get_with(url: &str, headers: &[(&str, &str)]) -> Answer {
    request("GET", url, headers, "").unwrap()
}

/// Any request. An error where no answer came.
pub fn request(
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> std::io::Result<Answer> {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    let mut stream = TcpStream::connect(host)?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "user-agent") {
        head.push_str("user-agent: testkit\r\n");
    }
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut bytes = Vec::new();
    // A body that breaks off may end in an error: what came until then counts.
    let ended = stream.read_to_end(&mut bytes);
    let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else {
        ended?;
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let raw = bytes[end + 4..].to_vec();
    let (body, whole) = if headers.get("transfer-encoding").is_some_and(|v| v == "chunked") {
        chunks(&raw)
    } else {
        let promised = headers.get("content-length").map(|n| n.parse().unwrap());
        let whole = promised.is_none_or(|n: usize| n == raw.len());
        (raw, whole)
    };
    Ok(Answer { status, headers, body, whole })
}

fn chunks(mut raw: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = raw.windows(2).position(|w| w == b"\r\n") else { return (body, false) };
        let size = usize::from_str_radix(&String::from_utf8_lossy(&raw[..end]), 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let Some(chunk) = raw.get(end + 2..end + 2 + size) else { return (body, false) };
        body.extend_from_slice(chunk);
        raw = &raw[end + 4 + size..];
    }
}
