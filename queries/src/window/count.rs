//! What is not certain about a window's commits: history that is not stored, a host that
//! counts otherwise, or that nobody has counted.

use headwater_store::Store;
use headwater_store::evidence::Gap;
use headwater_store::upstream::Upstream;

use super::Span;
use crate::QueryError;

impl Span {
    /// How many commits upstream has in the window, as far as anybody said, and each thing
    /// that leaves this uncertain. History that was crawled whole counts itself.
    ///
    /// # Errors
    /// Those of the store.
    pub fn counted(
        &self,
        store: &Store,
        upstream: &Upstream,
    ) -> Result<(u64, Vec<Gap>), QueryError> {
        let stored = [self.nodes.len() as u64, self.behind as u64];
        let mut gaps = Vec::new();
        let mut gap = |kind: &str, detail: String| {
            gaps.push(Gap { kind: kind.to_owned(), commit: None, path: None, detail });
        };
        let ends = [&self.base, &self.head].map(|end| end.commit.commit().oid);
        let said = store.comparison(self.upstream, ends[0], ends[1])?;
        let whole = store.has_crawled(self.upstream, "whole")?;
        let agrees = said.as_ref().is_some_and(|said| [said.ahead, said.behind] == stored);
        // A walk that ran into the end of a cut history has not seen the whole window,
        // unless it saw as many commits as the host counts.
        let cut = self.nodes.iter().filter(|node| self.graph.is_cut(**node)).count();
        if cut > 0 && !agrees {
            gap(
                "history-cut",
                format!("the history behind {cut} commits of this window is not stored"),
            );
        }
        match &said {
            Some(_) if agrees => {}
            Some(said) => gap(
                "count-differs",
                format!(
                    "upstream's host counts {} commits ahead and {} behind, the stored ones are {} and {}",
                    said.ahead, said.behind, stored[0], stored[1]
                ),
            ),
            None if whole => {}
            None => gap(
                "count-unknown",
                format!(
                    "how many commits {} has in this window was not told by its host",
                    upstream.repository
                ),
            ),
        }
        // A history that was crawled whole settles the caps that one window met, and no
        // disagreement.
        let doubts = store.doubts(self.upstream, ends[0], ends[1])?;
        gaps.extend(doubts.into_iter().filter(|gap| !whole || gap.kind.ends_with("-differ")));
        Ok((said.map_or(0, |said| said.ahead).max(stored[0]), gaps))
    }
}
