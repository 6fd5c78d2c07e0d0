//! The library's pages: only names and tags are read from them. What a model is, its
//! manifest says.

use std::collections::BTreeSet;

use headwater_store::{ModelName, NewReceipt, Store};
use scraper::{Html, Selector};

use super::RegistryError;
use crate::http::{Answer, Client, Request};

/// The list of models is under a megabyte.
const PAGE_LIMIT: usize = 16 << 20;

/// The library.
pub struct Library<'a> {
    client: &'a Client,
    base: &'a str,
}

impl<'a> Library<'a> {
    /// The library at a base URL.
    pub fn new(client: &'a Client, base: &'a str) -> Self {
        Library { client, base }
    }

    /// The names of all models. The page is kept with its receipt.
    ///
    /// # Errors
    /// Where the page cannot be had; and [`RegistryError::NoRows`] where it shows none.
    pub fn models(&self, store: &Store) -> Result<Vec<String>, RegistryError> {
        let answer = self.page(store, &format!("{}/library", self.base))?;
        let found = listed(&String::from_utf8_lossy(&answer.body));
        if found.is_empty() {
            return Err(RegistryError::NoRows { url: answer.url, what: "models" });
        }
        Ok(found)
    }

    /// The tags of a model of the library.
    ///
    /// # Errors
    /// As [`Library::models`].
    pub fn tags(&self, store: &Store, model: &str) -> Result<Vec<ModelName>, RegistryError> {
        let answer = self.page(store, &format!("{}/library/{model}/tags", self.base))?;
        let found = tagged(&String::from_utf8_lossy(&answer.body), model);
        if found.is_empty() {
            return Err(RegistryError::NoRows { url: answer.url, what: "tags" });
        }
        Ok(found)
    }

    fn page(&self, store: &Store, url: &str) -> Result<Answer, RegistryError> {
        let answer = self.client.send(&Request::get(url, PAGE_LIMIT).accept("text/html"))?;
        if answer.status != 200 {
            return Err(answer.refused().into());
        }
        store.add_model_blob(&answer.body)?;
        store.add_receipt_of(
            store.models_id()?,
            &NewReceipt {
                transport: "library",
                source: &answer.url,
                obtained: answer.obtained,
                body: &answer.body,
                etag: answer.etag(),
            },
        )?;
        Ok(answer)
    }
}

/// The models that a page links to.
fn listed(page: &str) -> Vec<String> {
    let names = links(page).into_iter().filter_map(|path| {
        let name = path.split(['/', '?', '#']).next().unwrap_or_default().to_owned();
        let valid = !name.contains(':') && name.parse::<ModelName>().is_ok();
        valid.then_some(name)
    });
    unique(names)
}

/// The tags of a model that its page of tags offers, by a command to copy or by a link.
fn tagged(page: &str, model: &str) -> Vec<ModelName> {
    let mut texts = Vec::new();
    if let Ok(selector) = Selector::parse("input[value]") {
        let html = Html::parse_document(page);
        let values = html.select(&selector).filter_map(|input| input.value().attr("value"));
        texts.extend(values.map(str::to_owned));
    }
    texts.extend(links(page));
    let names = texts.into_iter().filter_map(|text| {
        let (name, tag) = text.trim().split_once(':')?;
        (name == model).then(|| format!("{name}:{tag}").parse::<ModelName>().ok())?
    });
    unique(names)
}

/// Where a page's links into the library lead, without `/library/`.
fn links(page: &str) -> Vec<String> {
    let Ok(selector) = Selector::parse("a[href^=\"/library/\"]") else { return Vec::new() };
    let html = Html::parse_document(page);
    let found = html.select(&selector).filter_map(|a| a.value().attr("href"));
    found.filter_map(|href| href.strip_prefix("/library/")).map(str::to_owned).collect()
}

/// In the order of the page, each once.
fn unique<T: Ord + Clone>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_tags_are_found_whatever_stands_around_them() {
        let page = "<ul><li x-test-model><a href='/library/gemma4' class=x><h2>gemma4</h2></a></li>\
            <li><a href='/library/qwen3.6?sort=new'>q</a><a href='/library/gemma4/tags'>t</a></li>\
            <a href='/library/../etc'>no</a><a href='/blog/x'>no</a><a href='/library/gemma4:26b'>tag</a>";
        assert_eq!(listed(page), ["gemma4", "qwen3.6"]);
        let page = "<input class='command' value='gemma4:26b'><a href='/library/gemma4:e4b'>x</a>\
            <input value='other:1b'><input value='gemma4:../x'><a href='/library/gemma4:26b'>again</a>";
        let tags: Vec<String> = tagged(page, "gemma4").iter().map(ToString::to_string).collect();
        assert_eq!(tags, ["gemma4:26b", "gemma4:e4b"]);
    }

    #[test]
    fn another_page_shows_nothing() {
        assert!(listed("<html><body>Just a moment…</body></html>").is_empty());
        assert!(tagged("{\"error\": \"no\"}", "gemma4").is_empty());
    }

    proptest! {
        #[test]
        fn no_page_makes_it_panic(page in "(<(a href=.?/library/|input value=|li|/a|!--|svg|table)[^<]{0,12}>?|\\PC{0,8}){0,30}") {
            let _ = listed(&page);
            for name in tagged(&page, "a") {
                prop_assert_eq!(name.model(), "a");
            }
        }
    }
}
