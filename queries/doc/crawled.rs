// What the examples of this crate ask: the demo's miniature upstreams, crawled and derived as
// the example at the top of the crate does it.
struct Crawled {
    dir: tempfile::TempDir,
    store: headwater_store::Store,
    upstreams: headwater_store::upstream::Upstreams,
    rules: headwater_queries::why::Rules,
}

fn crawled() -> Result<Crawled, Box<dyn std::error::Error>> {
    use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};

    let dir = tempfile::tempdir()?;
    let demo = headwater_demo::build(dir.path())?;
    let mut store = headwater_store::Store::open_or_create(&dir.path().join("store"))?;
    let upstreams = headwater_store::upstream::Upstreams::built_in()?;
    let rules = headwater_queries::why::Rules::built_in()?;
    for (name, clone) in [("ollama", &demo.ollama), ("llama.cpp", &demo.llama_cpp)] {
        let upstream = upstreams.get(name)?;
        let crawl = GitCrawl { upstream, dir: clone.path(), scope: CrawlScope::Whole, jobs: 1 };
        crawl_clone(&mut store, &crawl, &headwater_crawler::progress::Silent)?;
        let sources = headwater_queries::derive::labels::Sources {
            rules: &rules.classes,
            extractors: &rules.extractors,
        };
        headwater_queries::derive::all(&mut store, upstream, &sources, 1, &mut |_| {})?;
    }
    Ok(Crawled { dir, store, upstreams, rules })
}
