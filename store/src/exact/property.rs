//! The index against a full scan, on patterns and texts that nobody chose.

use proptest::prelude::*;

use super::whole::rows_matching;
use super::{Builder, Lookup, Pattern, PatternOptions, Segment, merge};

/// Pieces of lines: words, marks, blanks, characters whose case or class is odd, and
/// bytes that are no UTF-8.
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"A",
    b"foo",
    b"Foo",
    b"_",
    b"1",
    b"23",
    b"k",
    b"K",
    "\u{212a}".as_bytes(),
    b"s",
    "\u{17f}".as_bytes(),
    "é".as_bytes(),
    "É".as_bytes(),
    "\u{2192}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{2003}".as_bytes(),
    b"-",
    b"--",
    b"->",
    b"(",
    b")",
    b".",
    b"=",
    b"\"",
    b" ",
    b"  ",
    b"\t",
    b"\r",
    b"\x0b",
    b"\0",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xc3",
    b"\xa9",
    b"a_longer_word_than_eight",
    b"/*",
    b"@@",
    b"+",
    b"\\",
];

const LEAVES: &[&str] = &[
    "a",
    "b",
    "A",
    "foo",
    "oo",
    "_",
    "1",
    "k",
    "s",
    "é",
    "\u{2192}",
    "-",
    "--",
    "->",
    r"\(",
    r"\.",
    "=",
    " ",
    "  ",
    r"\t",
    "[a-c]",
    "[^a]",
    "[^ab_-]",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\d",
    r"\D",
    ".",
    "[[:upper:]]",
    "[[:punct:]]",
    "[[:space:]]",
    "[[:alnum:]_]",
    "[-a]",
    "[ -]",
    "[a ]",
    r"(?-u:\w)",
    r"(?-u:\W)",
    r"(?-u:\xff)",
    r"(?-u:[\x80-\xff])",
    r"(?-u:\S)",
    r"\b",
    r"\B",
    "^",
    "$",
    r"(?-u:\b)",
    r"(?-u:\B)",
    r"\b{start}",
    r"\b{end-half}",
    "",
    "(?s:.)",
    r"\A",
    r"\z",
    "(?R:$)",
    "(?R:^)",
    r"\p{L}",
    r"\P{L}",
    r"\x00",
    r"foo-b",
    r"a b",
    r"\w+",
    "[a-z_]+",
    ".*",
    r"\s*",
    r"\s+",
    "-?",
];

fn tree() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(LEAVES).prop_map(str::to_owned);
    leaf.prop_recursive(4, 14, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 2..5).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(|p| format!("(?:{})", p.join("|"))),
            2 => (inner.clone(), prop::sample::select(&["?", "*", "+", "{2}", "{0,2}", "{1,}", "+?"][..]))
                .prop_map(|(sub, count)| format!("(?:{sub}){count}")),
            1 => inner.clone().prop_map(|sub| format!("({sub})")),
            1 => inner.prop_map(|sub| format!("(?i:{sub})")),
        ]
    })
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES), 0..7).prop_map(|pieces| pieces.concat())
}

fn hunks(lines: &[(bool, Vec<u8>)]) -> Vec<u8> {
    let added = lines.iter().filter(|(added, _)| *added).count();
    let mut text = format!("@@ -1,{} +1,{added} @@ foo\n", lines.len() - added).into_bytes();
    for (added, line) in lines {
        text.push(if *added { b'+' } else { b'-' });
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

fn segment(rows: &[Vec<(bool, Vec<u8>)>], cut: usize) -> (tempfile::TempDir, Segment) {
    let mut parts = Vec::new();
    for range in [0..cut, cut..rows.len()] {
        let mut builder = Builder::default();
        for row in range {
            // Rows begin beyond zero and have holes, as those of records do.
            builder.add(7 + 3 * row as u32, row as u32 / 2, &hunks(&rows[row]));
        }
        parts.extend(builder.finish().unwrap());
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    merge(parts).unwrap().unwrap().write(&path).unwrap();
    let segment = Segment::open(&path).unwrap();
    segment.check().unwrap();
    (dir, segment)
}

/// The regex crate's trees hold the empty text in other forms too: `foo|foo` is `foo` and a
/// choice between nothing and nothing, which must not part the word from its end.
#[test]
fn an_empty_choice_parts_no_word_from_what_is_asserted_of_it() {
    let (_dir, segment) =
        segment(&[vec![(true, b"fooa".to_vec())], vec![(true, b"FOO".to_vec())]], 1);
    let options = PatternOptions { ignore_case: true, word: true, fixed: false };
    let pattern = Pattern::new(&["(?:foo|foo)"], options).unwrap();
    let lookup = Lookup::new(&pattern, 1).thorough();
    let candidates = lookup.candidates(&segment).unwrap();
    let told: Vec<u32> = candidates.rows.iter().map(|row| row + segment.first_row).collect();
    assert!(candidates.exact);
    assert_eq!(told, [10], "{:?}", lookup.plan());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The index never loses a row, and where it claims to be exact it adds none.
    #[test]
    fn the_index_agrees_with_a_full_scan(
        rows in prop::collection::vec(prop::collection::vec((any::<bool>(), line()), 0..5), 1..9),
        cut in 0usize..9,
        patterns in prop::collection::vec(tree(), 12),
        ignore_case in any::<bool>(),
        word in prop::bool::weighted(0.2),
    ) {
        let (_dir, segment) = segment(&rows, cut.min(rows.len()));
        let options = PatternOptions { ignore_case, word, fixed: false };
        for text in &patterns {
            let Ok(pattern) = Pattern::new(&[text], options) else { continue };
            let lookup = Lookup::new(&pattern, 2).thorough();
            let candidates = lookup.candidates(&segment).unwrap();
            let told: Vec<u32> = candidates.rows.iter().map(|row| row + segment.first_row).collect();
            let scanned = rows_matching(&segment, &pattern, 2).unwrap();
            let scanned: Vec<u32> = scanned.iter().map(|row| row + segment.first_row).collect();
            for (index, lines) in rows.iter().enumerate() {
                let row = 7 + 3 * index as u32;
                let matches = lines.iter().any(|(_, line)| pattern.matches(line));
                let joined: Vec<u8> =
                    lines.iter().flat_map(|(_, line)| [b"\n", &line[..]].concat()).collect();
                prop_assert_eq!(matches, pattern.matches_any(&joined), "{} joined", text);
                prop_assert_eq!(matches, scanned.contains(&row), "{} among lines of {:?}", text, lines);
                let mut room = Vec::new();
                let in_hunks = pattern.matches_hunks(&hunks(lines), &mut room, |_| true);
                prop_assert_eq!(matches, in_hunks, "{} in hunks of {:?}", text, lines);
                prop_assert!(!matches || told.contains(&row), "{} lost {:?}: {:?}", text, lines, lookup.plan());
                if candidates.exact {
                    prop_assert_eq!(matches, told.contains(&row), "{} on {:?}: {:?}", text, lines, lookup.plan());
                }
            }
        }
    }

    /// A line matches as the regex crate itself would have it, whose anchors mean the
    /// ends of the line.
    #[test]
    fn a_line_matches_as_the_regex_crate_says(text in tree(), line in line(), ignore_case in any::<bool>()) {
        let options = PatternOptions { ignore_case, ..Default::default() };
        // The crate looks back over stray bytes to what stands before them: at the start of
        // a text it finds nothing there, in a file it finds the line feed, as a search does.
        let stray = line.first().is_some_and(|byte| (0x80..0xc0).contains(byte));
        if let (Ok(pattern), false) = (Pattern::new(&[&text], options), stray) {
            let regex = regex::bytes::RegexBuilder::new(&text)
                .multi_line(true)
                .case_insensitive(ignore_case)
                .build()
                .unwrap();
            prop_assert_eq!(pattern.matches(&line), regex.is_match(&line));
        }
    }

    /// A damaged segment is an error or a wrong answer that a check finds, never a panic.
    #[test]
    fn damage_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let rows = vec![vec![(true, b"foo->bar(a, b)".to_vec())], vec![(false, b"n_ctx = 2".to_vec())]];
        let (dir, segment) = segment(&rows, 1);
        let mut bytes = std::fs::read(segment.path()).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(bytes.len().saturating_sub(cut.index(3) * cut.index(bytes.len())));
        let path = dir.path().join("damaged");
        std::fs::write(&path, bytes).unwrap();
        if let Ok(damaged) = Segment::open(&path) {
            let pattern = Pattern::new(&["foo->|[a-z]+"], PatternOptions::default()).unwrap();
            let _ = Lookup::new(&pattern, 2).candidates(&damaged);
            let _ = rows_matching(&damaged, &pattern, 2);
            let _ = damaged.groups();
            let _ = damaged.load().map(|parts| merge(vec![parts]));
        }
    }
}

/// What the plan makes of patterns that people write.
#[test]
fn plans_are_as_narrow_as_they_can_be() {
    let plan = |text: &str| {
        let pattern = Pattern::new(&[text], PatternOptions::default()).unwrap();
        let lookup = Lookup::new(&pattern, 1);
        (lookup.plan().exact, lookup.reads_everything(), lookup.plan().need.to_string())
    };
    for exact in
        ["repeat_penalty", r"\bjinja\b", "[[:upper:]]{3}_[0-9]", "a|b|->", "é", "(?i)ctx", "=="]
    {
        assert!(plan(exact).0, "{exact}");
    }
    for read in [r"printf\(", "^foo", "foo.*bar", "a b", r"\b->", "foo|^a"] {
        assert!(!plan(read).0 && !plan(read).1, "{read}: {}", plan(read).2);
    }
    for scan in ["", "^$", ".*", r"\s+", "a*", "[^x]", "a?-?"] {
        assert!(plan(scan).1, "{scan}: {}", plan(scan).2);
    }
    assert_eq!(
        plan("RepeatPenalty: 1").2,
        "a word with (?:(?:RepeatPenalty)(?m:$)) and marks with (?:(?m:^):(?m:$)) and a word with (?:(?m:^)1)"
    );
}
