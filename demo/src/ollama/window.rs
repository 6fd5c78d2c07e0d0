//! v0.6.0 to v0.6.3: the window of the story, and what came after.

use super::{JO, KIM, MALLORY, PAT, WEB, names};
use crate::history::{Draft, History};

const QWEN: &str = include_str!("../../files/ollama/qwen38.go");

/// A picture of one dot, for a launcher.
const DOT: [u8; 14] = [b'G', b'I', b'F', b'8', b'9', b'a', 1, 0, 1, 0, 0, 0, 0, 0x3b];

/// What a stranger may put into a message to harm whoever prints it.
const HOSTILE_SUBJECT: &str = "docs: \u{1b}[31mred\u{1b}[0m \u{1b}]8;;https://evil.example\u{7}link\u{1b}]8;;\u{7} \u{202e}txt.exe <script>alert(1)</script> |`@someone` #123 [x](javascript:alert(1))";
const HOSTILE_BODY: &str = "\u{1b}]52;c;cm0gLXJmIH4K\u{7}\u{9b}2J\u{8}\u{8}\rover\u{2066}hidden\u{2069}\n\ncommit 0123456789012345678901234567890123456789\n\n---\ndiff --git a/api/types.go b/api/types.go\n--- a/api/types.go\n+++ b/api/types.go\n@@ -1 +1 @@\n-\t\tRepeatPenalty:    1.0,\n+\t\tRepeatPenalty:    9.9,\n\n@someone fixes #123, closes other/repo#4\n<img src=x onerror=alert(1)> &amp; | a | b |\n";

pub(super) fn write(h: &mut History) {
    base(h);
    first_half(h);
    second_half(h);
    after(h);
}

/// The same change on main and on the release line.
fn nemotron(c: &mut Draft) {
    c.by(PAT).authored("2026-03-02T14:00:00-08:00").edit(
        "model/renderers/nemotron3nano.go",
        "\tif think {\n",
        "\tif len(messages) == 0 {\n\t\tsb.WriteString(\"<turn system>\\n</turn>\\n\")\n\t}\n\tif think {\n",
    );
}

fn base(h: &mut History) {
    h.clock("2026-02-23T10:00:00-08:00");
    h.commit(names::PIN_BASE, "llama.cpp update (#20)", |c| {
        c.by(PAT).committed_by(WEB).write("LLAMA_CPP_VERSION", "b21");
    });
    h.tag("v0.6.0-rc0");
    h.commit(names::FORK, "server: say hello on a plain request (#21)", |c| {
        c.by(JO).committed_by(WEB).edit(
            "server/routes.go",
            "func routes() {}\n",
            "func routes() {\n\tget(\"/\", hello)\n}\n",
        );
    });
    h.commit(names::NEMOTRON_TWIN, "nemotron: prompts without a first turn (#22)", |c| {
        c.committed_by(PAT).at("2026-03-02T18:00:00-08:00");
        nemotron(c);
    });
    h.tag("v0.6.0-rc1");
    h.commit(names::RELEASE, "release: name the build", |c| {
        c.by(PAT).write("version/release.txt", "0.6.0\n");
    });
    h.tag("v0.6.0");
}

fn first_half(h: &mut History) {
    h.from(names::FORK).clock("2026-03-02T16:00:00-08:00");
    h.commit(names::NEMOTRON, "nemotron: prompts without a first turn (#22)", |c| {
        c.committed_by(WEB);
        nemotron(c);
    });
    h.commit(names::DOCS, "docs: mend links (#23)", |c| {
        c.by(KIM).committed_by(WEB).edit("docs/help/faq.mdx", "./modles.mdx", "./models.mdx");
    });
    h.commit(names::PENALTY, "api: leave alone what a model does not set", |c| {
        c.by(JO)
            .at("2026-03-03T21:47:51-08:00")
            .authored("2026-03-03T11:49:22-08:00")
            .body("Nobody who makes models asks for a penalty of 1.1, and drafts are guessed\nwithout it. On one machine it cost every seventh token.")
            .edit("api/types.go", "RepeatPenalty:    1.1,", "RepeatPenalty:    1.0,")
            .edit("docs/modelfile.mdx", "| how much a repeated token loses | 1.1 |", "| how much a repeated token loses | 1.0 |");
    });
    h.tag("v0.6.1-rc0");
    h.commit(names::MLX_PRESET, "mlx: build its CUDA side too (#25)", |c| {
        c.by(PAT).committed_by(WEB).edit(
            "cmake/mlx/CMakePresets.json",
            "        \"MLX_BUILD_CPU\": \"ON\",\n",
            "        \"MLX_BUILD_CPU\": \"ON\",\n        \"MLX_BUILD_CUDA\": \"ON\",\n",
        );
    });
    h.commit(names::VERIFY, "server/images: check a layer that comes twice (#26)", |c| {
        c.by(KIM).committed_by(WEB).edit(
            "server/images.go",
            "\t\tskipVerify[layer.Digest] = cached\n",
            "\t\tif known, ok := skipVerify[layer.Digest]; ok {\n\t\t\tcached = cached && known\n\t\t}\n\t\tskipVerify[layer.Digest] = cached\n",
        );
    });
    h.commit(names::WEB_SEARCH, "openai: search the web in responses (#27)", |c| {
        c.by(KIM)
            .committed_by(WEB)
            .edit(
                "openai/responses.go",
                "functionTools(r.Tools)",
                "append(functionTools(r.Tools), searchTools(r.Tools)...)",
            )
            .edit("middleware/websearch.go", "results = 5", "results = 3")
            .write("docs/search.mdx", "# Search\n\nModels may search the web.\n");
    });
    h.commit(names::MLX_PIN, "MLX update (#28)", |c| {
        c.by(PAT).committed_by(WEB).write("MLX_VERSION", "0.30.4\n");
    });
    h.commit(names::PIN_BUMP, "llama.cpp bump (#29)", |c| {
        c.by(PAT).committed_by(WEB).write("LLAMA_CPP_VERSION", "b34\n");
    });
    h.tag("v0.6.1");
}

fn second_half(h: &mut History) {
    h.clock("2026-03-04T08:00:00-08:00");
    h.commit(names::MLX_LAYER, "nn: faster prefill with two scales", |c| {
        c.by(JO).edit(
            "x/models/nn/nn.go",
            "\tw := mlx.Dequantize(q.Weight, q.Scales)\n\tif q.GlobalScale != nil {\n\t\tw = w.Multiply(q.GlobalScale)\n\t}\n\treturn x.MatMul(w)\n",
            "\tif q.GlobalScale != nil {\n\t\tx = x.Multiply(q.GlobalScale)\n\t}\n\treturn mlx.QuantizedMatMul(x, q.Weight, q.Scales)\n",
        );
    });
    h.commit(names::MLX_GUARD, "mlx: refuse what cannot run before it is pulled (#31)", |c| {
        c.by(PAT).committed_by(WEB).edit(
            "server/images.go",
            "\tskipVerify := make(map[string]bool)\n",
            "\tif hasTensorLayers(mf.Layers) {\n\t\tif err := mlx.CheckInit(); err != nil {\n\t\t\treturn errors.New(\"this model needs MLX, which is not here\")\n\t\t}\n\t}\n\tskipVerify := make(map[string]bool)\n",
        );
    });
    h.commit(names::AGENT, "agent: several edits in one call (#32)", |c| {
        c.by(KIM)
            .committed_by(WEB)
            .edit(
                "agent/tools/file.go",
                "// EditFile replaces one text by another.\nfunc EditFile(path, old, new string) error {\n",
                "// Edit is one text that takes another's place.\ntype Edit struct {\n\tOld, New string\n}\n\n// EditFile makes its edits one after the other.\nfunc EditFile(path string, edits []Edit) error {\n",
            )
            .edit(
                "agent/tools/file.go",
                "\treturn write(path, replaceOnce(text, old, new))\n",
                "\tfor _, edit := range edits {\n\t\ttext = replaceOnce(text, edit.Old, edit.New)\n\t}\n\treturn write(path, text)\n",
            );
    });
    h.commit(names::LAUNCH_AND_OPENAI, "launch: add Teapot (#33)", |c| {
        c.by(PAT)
            .committed_by(WEB)
            .edit(
                "cmd/launch/launch.go",
                "\"{host}\"}},\n",
                "\"{host}\"}},\n\t{Name: \"Teapot\", Command: \"teapot\", Args: []string{\"--url\", \"{host}\"}},\n",
            )
            .edit(
                "openai/openai.go",
                "\tif r.MaxTokens != nil {\n\t\toptions[\"num_predict\"] = *r.MaxTokens\n\t}\n",
                "\tif r.MaxTokens != nil && *r.MaxTokens > 0 {\n\t\toptions[\"num_predict\"] = *r.MaxTokens\n\t}\n",
            );
    });
    h.commit(names::GLIMMER, "model/renderers: think as Muse Glimmer was taught (#34)", |c| {
        c.by(PAT).committed_by(WEB).edit(
            "model/renderers/glimmer.go",
            "\tsb.WriteString(\"<|assistant|>\")\n",
            "\tsb.WriteString(\"<|assistant|>\")\n\tif think {\n\t\tsb.WriteString(\"<|thought|>\")\n\t}\n",
        );
    });
    h.commit(names::LAUNCH, "launch: add Samovar (#35)", |c| {
        c.by(KIM)
            .committed_by(WEB)
            .edit(
                "cmd/launch/launch.go",
                "\"--url\", \"{host}\"}},\n",
                "\"--url\", \"{host}\"}},\n\t{Name: \"Samovar\", Command: \"samovar\"},\n",
            )
            .bytes("docs/images/launch-icons/samovar.gif", &DOT);
    });
    h.commit(names::QWEN, "qwen3.8: prompts and import (#36)", |c| {
        c.by(PAT)
            .committed_by(WEB)
            .write("model/renderers/qwen38.go", QWEN)
            .edit(
                "model/renderers/renderer.go",
                "\t\"gemma4\": ",
                "\t\"qwen38\":        &Qwen38Renderer{},\n\t\"gemma4\": ",
            )
            .write(
                "x/models/qwen3_8/qwen3_8.go",
                "// Package qwen3_8 runs Qwen 3.8 on MLX.\npackage qwen3_8\n",
            );
    });
    let fork = names::QWEN;
    h.commit(names::MERGED, "app: a darker icon", |c| {
        c.by(KIM).bytes("app/icon.png", &DOT);
    });
    h.from(fork).commit(names::HOSTILE, HOSTILE_SUBJECT, |c| {
        c.by(MALLORY).body(HOSTILE_BODY).write("docs/notes.md", "Nothing to see.\n");
    });
    h.commit(names::MERGE, "Merge pull request #37 from kim/darker-icon", |c| {
        c.by(KIM).committed_by(WEB).body("app: a darker icon").merge(names::MERGED);
    });
    h.commit(names::HEAD, "qwen3.8: developers may instruct (#38)", |c| {
        c.by(PAT).committed_by(WEB).edit(
            "model/renderers/qwen38.go",
            "\t\tsb.WriteString(\"<im>\" + m.Role + \"\\n\")\n",
            "\t\trole := m.Role\n\t\tif role == \"developer\" {\n\t\t\trole = \"system\"\n\t\t}\n\t\tsb.WriteString(\"<im>\" + role + \"\\n\")\n",
        );
    });
    h.tag("v0.6.2");
}

fn after(h: &mut History) {
    h.clock("2026-03-16T09:00:00-07:00");
    h.commit(names::CONTEXT_LATER, "envconfig: as much context as memory allows (#41)", |c| {
        c.by(JO)
            .committed_by(WEB)
            .edit(
                "envconfig/config.go",
                "nobody asks for another.",
                "nobody asks for another; 0 chooses by memory.",
            )
            .edit("envconfig/config.go", "LENGTH\", 4096)", "LENGTH\", 0)");
    });
    h.commit("pin-last", "llama.cpp update (#42)", |c| {
        c.by(PAT).committed_by(WEB).write("LLAMA_CPP_VERSION", "b40\n");
    });
    h.tag("v0.6.3-rc0").annotated_tag("v0.6.3", "Ollama v0.6.3\n");
    h.commit(names::NEWEST, "docs: where the context comes from (#43)", |c| {
        c.by(JO).committed_by(WEB).edit(
            "docs/help/faq.mdx",
            "4096 tokens, unless",
            "As much as memory allows, unless",
        );
    });
}
