//! v0.5.1: everything that a reader of git may stumble over, once each.

use super::{JO, KIM, LEV, NOBODY, PAT, RENE, names};
use crate::history::History;

/// Bytes that git calls binary: a NUL among the first.
const ICON: [u8; 24] = [
    0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0,
    0, 1,
];

pub(super) fn write(h: &mut History) {
    h.clock("2026-02-16T09:30:00-08:00");
    h.commit(names::RENAME, "docs: questions become help", |c| {
        c.by(KIM).rename("docs/faq.mdx", "docs/help/faq.mdx").edit(
            "docs/help/faq.mdx",
            "# Questions\n",
            "# Help\n",
        );
    });
    h.commit(names::BINARY, "app: an icon", |c| {
        c.by(PAT).bytes("app/icon.png", &ICON);
    });
    h.commit("script", "scripts: tag a release", |c| {
        c.by(KIM).write("scripts/tag.sh", "#!/bin/sh\ngit tag \"$1\"\n");
    });
    h.commit(names::MODE, "scripts: may be run", |c| {
        c.by(KIM).make_executable("scripts/tag.sh");
    });
    h.commit("windows", "scripts: install on Windows", |c| {
        c.by(PAT).write("scripts/install.ps1", "$dir = \"app\"\r\nCopy-Item * $dir\r\nexit 0\r\n");
    });
    h.commit(names::CRLF, "scripts: install anew", |c| {
        c.by(PAT).edit(
            "scripts/install.ps1",
            "Copy-Item * $dir\r\n",
            "Copy-Item -Force * $dir\r\n",
        );
    });
    h.commit(names::NO_NEWLINE, "readme: shorter", |c| {
        c.by(JO).edit("README.md", "Runs models.\n", "Runs models");
    });
    h.commit(names::SYMLINK, "docs: the readme, once more", |c| {
        c.by(JO).symlink("docs/README.md", "../README.md");
    });
    h.commit(names::TYPE_CHANGE, "license: one for all", |c| {
        c.by(JO).write("docs/LICENSE", "Do as you like.\n").symlink("LICENSE", "docs/LICENSE");
    });
    h.commit(
        names::NON_ASCII,
        "docs: Grüße, 世界 — добро пожаловать 🦙",
        |c| {
            c.by(LEV)
                .body("Ein Wort in jeder Sprache.\n\nÜberall.")
                .write("docs/sprachen/grüße-世界.md", "# Grüße\n\n世界, мир, дүние 🦙\n");
        },
    );
    h.commit(names::LATIN1, "docs: les mots français d'été", |c| {
        c.by(RENE).latin1().write("docs/sprachen/ete.md", "# Été\n");
    });
    h.commit("sql", "store: a table for chats", |c| {
        c.by(PAT).write(
            "app/store/schema.sql",
            "-- a/chats\ncreate table chats (id integer);\n-- b/chats\n",
        );
    });
    h.commit(names::HEADER_LINES, "store: a table for chats, with names", |c| {
        c.by(PAT)
            .edit(
                "app/store/schema.sql",
                "-- a/chats\n",
                "++ b/chats\n@@ -1,9 +1,9 @@ not a hunk\n",
            )
            .edit("app/store/schema.sql", "-- b/chats\n", "diff --git a/x b/x\n");
    });
    h.commit(names::QUOTED_PATHS, "integration: names that need quotes", |c| {
        c.by(KIM)
            .write("integration/testdata/a b.txt", "space\n")
            .write("integration/testdata/say \"hi\"\t.txt", "quotes and a tab\n")
            .write("integration/testdata/-rf", "an option\n")
            .write("integration/testdata/back\\slash", "a backslash\n")
            .write("integration/testdata/empty", "");
    });
    h.commit(names::SILENT, "", |c| {
        c.by(NOBODY).write("integration/testdata/only-newline", "\n");
    });
    h.commit(names::EMPTY, "ci: build again", |c| {
        c.by(KIM);
    });
    h.tag("v0.5.1");
}
