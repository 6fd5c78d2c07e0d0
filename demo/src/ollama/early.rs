//! v0.0.1 to v0.2.0: five homes of the pin, one after the other.

use super::{JO, KIM, Pins, names};
use crate::history::History;

fn header(sha: &str) -> String {
    format!(
        "/**\n * llama.cpp - git {sha}\n *\n * Brought in by a script.\n */\n#pragma once\n\nstruct ggml_tensor;\n"
    )
}

pub(super) fn write(h: &mut History, pins: &Pins) {
    h.clock("2026-01-12T09:00:00-08:00");
    h.commit(names::ROOT, "a start", |c| {
        c.by(JO)
            .write("README.md", "# Ollama in miniature\n\nRuns models.\n")
            .write("go.mod", "module github.com/ollama/ollama\n\ngo 1.24\n")
            .write("main.go", "package main\n\nfunc main() {\n\trun()\n}\n")
            .write("server/routes.go", "package server\n\nfunc routes() {}\n");
    });
    h.tag("v0.0.1");
    h.commit(names::PIN_HEADER, "bring in the engine", |c| {
        c.by(JO).write("llama/ggml.h", &header(&pins.first));
    });
    h.tag("v0.0.2");
    h.commit(names::PIN_HEADER_MOVED, "move the engine", |c| {
        c.by(JO).rename("llama/ggml.h", "llm/ggml.h");
    });
    h.commit("license", "add a license", |c| {
        c.by(KIM).write("LICENSE", "Do as you like.\n");
    });
    h.tag("v0.0.3");
    h.commit(names::PIN_TWO, "engine as submodules, one for each file format", |c| {
        c.by(JO)
            .write(
                ".gitmodules",
                "[submodule \"ggml\"]\n\tpath = llm/llama.cpp/ggml\n\turl = ../llama.cpp\n[submodule \"gguf\"]\n\tpath = llm/llama.cpp/gguf\n\turl = ../llama.cpp\n",
            )
            .gitlink("llm/llama.cpp/ggml", &pins.first)
            .gitlink("llm/llama.cpp/gguf", &pins.second);
    });
    h.tag("v0.0.4");
    h.commit(names::PIN_GITLINK, "one submodule is enough", |c| {
        c.by(JO)
            .delete("llm/llama.cpp/ggml")
            .delete("llm/llama.cpp/gguf")
            .write(
                ".gitmodules",
                "[submodule \"llama.cpp\"]\n\tpath = llm/llama.cpp\n\turl = ../llama.cpp\n",
            )
            .gitlink("llm/llama.cpp", &pins.third);
    });
    h.tag("v0.1.0");
    h.commit("gitlink-bump", "update llama.cpp", |c| {
        c.by(JO).gitlink("llm/llama.cpp", &pins.fourth);
    });
    h.tag("v0.1.1");
    h.commit(names::PIN_VENDORING_ENV, "vendor llama.cpp again, by a script", |c| {
        c.by(KIM)
            .delete("llm/llama.cpp")
            .delete(".gitmodules")
            .delete("llm/ggml.h")
            .write("llama/vendoring.env", &format!("LLAMACPP_BASE_COMMIT={}\n", pins.fourth))
            .write("llama/llama.go", "// Package llama binds the library.\npackage llama\n");
    });
    h.tag("v0.2.0-ci1");
    h.commit(names::PIN_VENDORING, "no suffix for a file of one line", |c| {
        c.by(KIM)
            .delete("llama/vendoring.env")
            .write("llama/vendoring", &format!("LLAMACPP_BASE_COMMIT={}\n", pins.fifth));
    });
    h.tag("v0.2.0");
}
