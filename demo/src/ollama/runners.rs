//! v0.3.0 to v0.5.0: runners in the tree, then the engine as a child process.

use super::{JO, KIM, PAT, Pins, WEB, names};
use crate::history::History;

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../files/ollama/", $name))
    };
}

pub(super) fn write(h: &mut History, pins: &Pins) {
    runners(h, pins);
    defaults(h);
    child(h);
}

fn runners(h: &mut History, pins: &Pins) {
    h.clock("2026-01-26T09:00:00-08:00");
    h.commit(names::PIN_MAKEFILE, "build: sync the engine with make", |c| {
        let short = pins.fifth.get(..9).unwrap_or_default();
        c.by(KIM).delete("llama/vendoring").write(
            "Makefile.sync",
            &format!("UPSTREAM=../llama.cpp\nFETCH_HEAD={short}\n\nsync:\n\tgit -C $(UPSTREAM) checkout $(FETCH_HEAD)\n"),
        );
    });
    h.tag("v0.3.0");
    h.commit("runners", "runner: two ways to run a model (#3)", |c| {
        c.by(JO)
            .committed_by(WEB)
            .write("runner/llamarunner/runner.go", file!("llamarunner.go"))
            .write("runner/ollamarunner/runner.go", file!("ollamarunner.go"))
            .write("runner/runner.go", "package runner\n\nfunc Execute(args []string) error {\n\tif flag(args, \"--ollama-engine\") {\n\t\treturn ollamarunner.Run(args)\n\t}\n\treturn llamarunner.Run(args)\n}\n");
    });
    h.commit("options", "api: options with defaults (#4)", |c| {
        c.by(JO)
            .committed_by(WEB)
            .write("api/types.go", file!("types.go"))
            .write("envconfig/config.go", file!("config.go"))
            .write("docs/modelfile.mdx", file!("modelfile.mdx"))
            .write("docs/faq.mdx", file!("faq.mdx"));
    });
    h.commit("renderers", "model: write prompts in code (#6)", |c| {
        c.by(PAT)
            .committed_by(WEB)
            .write("model/renderers/renderer.go", file!("renderer.go"))
            .write("model/renderers/gemma4.go", file!("gemma4.go"))
            .write("model/renderers/glimmer.go", file!("glimmer.go"))
            .write("model/renderers/nemotron3nano.go", file!("nemotron3nano.go"));
    });
    h.commit("makefile-bump", "build: update llama.cpp", |c| {
        let old = pins.fifth.get(..9).unwrap_or_default();
        c.by(KIM).edit("Makefile.sync", old, &pins.sixth);
    });
    h.tag("v0.4.0-rc0");
    h.commit("server", "server: pull models, answer in two protocols (#7)", |c| {
        c.by(JO)
            .committed_by(WEB)
            .write("server/images.go", file!("images.go"))
            .write("openai/openai.go", file!("openai.go"))
            .write("openai/responses.go", file!("responses.go"))
            .write("middleware/websearch.go", file!("websearch.go"));
    });
    h.tag("v0.4.0");
}

fn defaults(h: &mut History) {
    h.clock("2026-02-02T10:00:00-08:00");
    h.commit(names::CONTEXT, "envconfig: twice the context (#9)", |c| {
        c.by(JO)
            .committed_by(WEB)
            .edit("envconfig/config.go", "LENGTH\", 2048)", "LENGTH\", 4096)")
            .edit("docs/faq.mdx", "2048 tokens", "4096 tokens");
    });
    h.commit(names::PENALTY_FIRST, "api: no repeat penalty by default (#10)", |c| {
        c.by(JO).committed_by(WEB).edit(
            "api/types.go",
            "RepeatPenalty:    1.1,",
            "RepeatPenalty:    1.0,",
        );
    });
    h.tag("v0.4.1");
    h.commit(
        names::PENALTY_BACK,
        "api: small models repeat themselves, penalty again (#12)",
        |c| {
            c.by(JO).committed_by(WEB).edit(
                "api/types.go",
                "RepeatPenalty:    1.0,",
                "RepeatPenalty:    1.1,",
            );
        },
    );
    h.commit(names::PARALLEL, "envconfig: one request at a time (#13)", |c| {
        c.by(KIM).committed_by(WEB).edit("envconfig/config.go", "; 0 chooses by memory", "").edit(
            "envconfig/config.go",
            "PARALLEL\", 0)",
            "PARALLEL\", 1)",
        );
    });
    h.tag("v0.4.2");
}

fn child(h: &mut History) {
    h.clock("2026-02-09T10:00:00-08:00");
    h.commit("mlx", "x: run tensor models on MLX (#15)", |c| {
        c.by(PAT)
            .committed_by(WEB)
            .write("MLX_VERSION", "0.30.1\n")
            .write("MLX_C_VERSION", "0.4.0\n")
            .write("cmake/mlx/CMakePresets.json", file!("mlx_presets.json"))
            .write("x/mlxrunner/runner.go", file!("mlxrunner.go"))
            .write("x/models/nn/nn.go", file!("nn.go"));
    });
    h.commit(names::PIN_FILE, "llm: run llama-server, drop the runners (#16)", |c| {
        c.by(JO)
            .committed_by(WEB)
            .body("GGUF models run in a child process that is built from a pinned llama.cpp.")
            .delete_under("runner/")
            .delete("Makefile.sync")
            .delete("llama/llama.go")
            .write("LLAMA_CPP_VERSION", "b18\n")
            .write("llm/llama_server.go", file!("llama_server.go"))
            .write("llama/compat/0001-keep-names.patch", "--- a/src/llama-model.cpp\n+++ b/src/llama-model.cpp\n@@ -1 +1 @@\n-// Loading a model.\n+// Loading a model, by name.\n");
    });
    h.tag("v0.5.0-rc0");
    h.commit("launchers", "launch: start other programs (#17)", |c| {
        c.by(KIM)
            .committed_by(WEB)
            .write("cmd/launch/launch.go", file!("launch.go"))
            .write("agent/tools/file.go", file!("file_tool.go"));
    });
    h.tag("v0.5.0");
}
