//! Up to the build that the window starts with.

use super::{ADA, BO, DANA, WEB, names};
use crate::history::History;

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../files/llama.cpp/", $name))
    };
}

pub(super) fn write(h: &mut History) {
    early(h);
    growing(h);
}

fn early(h: &mut History) {
    h.clock("2026-01-05T08:00:00+01:00");
    h.commit(names::ROOT, "Initial release", |c| {
        c.by(ADA)
            .write("README.md", "# llama.cpp in miniature\n\nA model in plain C++.\n")
            .write("LICENSE", "Do as you like.\n")
            .write("ggml.h", "// Tensors.\n#pragma once\n\nstruct ggml_tensor;\n")
            .write("llama.h", "// Models.\n#pragma once\n\nstruct llama_model;\n")
            .write("CMakeLists.txt", file!("CMakeLists.txt"));
    });
    h.commit("readme", "readme : say how to build", |c| {
        c.by(BO).edit("README.md", "C++.\n", "C++.\n\n    cmake -B build && cmake --build build\n");
    });
    h.commit("side-1", "ggml : a type for half floats", |c| {
        c.by(DANA).edit(
            "ggml.h",
            "struct ggml_tensor;\n",
            "typedef unsigned short ggml_fp16_t;\n\nstruct ggml_tensor;\n",
        );
    });
    h.commit("side-2", "ggml : blocks of four bits", |c| {
        c.by(DANA).edit(
            "ggml.h",
            "ggml_fp16_t;\n",
            "ggml_fp16_t;\n\nstruct block_q4 {\n    ggml_fp16_t scale;\n    unsigned char quants[16];\n};\n",
        );
    });
    h.from("readme").commit("example", "examples : talk to a model", |c| {
        c.by(BO).write("examples/main.cpp", "// Talks.\nint main() {\n    return 0;\n}\n");
    });
    h.commit(names::MERGE, "Merge pull request #4 from dana/half-floats", |c| {
        c.by(ADA).committed_by(WEB).body("ggml : small types").merge("side-2");
    });
    h.commit("layout", "llama : public headers move to include/", |c| {
        c.by(ADA)
            .rename("llama.h", "include/llama.h")
            .write("include/llama.h", file!("llama.h"))
            .rename("ggml.h", "ggml/include/ggml.h");
    });
    h.commit("ci", "ci : build on every push", |c| {
        c.by(BO).write(
            ".github/workflows/build.yml",
            "name: build\non: [push]\njobs:\n  build:\n    runs-on: ubuntu-latest\n",
        );
    });
}

fn growing(h: &mut History) {
    h.clock("2026-02-02T08:00:00+02:00");
    h.commit("backend", "ggml : devices tell what they can (#11)", |c| {
        c.by(ADA).committed_by(WEB).write("ggml/include/ggml-backend.h", file!("ggml-backend.h"));
    });
    h.commit("cuda", "cuda : first kernels (#12)", |c| {
        c.by(DANA)
            .committed_by(WEB)
            .write("ggml/src/ggml-cuda/ggml-cuda.cu", file!("ggml-cuda.cu"))
            .write("ggml/src/ggml-cuda/wkv.cu", file!("wkv.cu"));
    });
    h.commit("sampling", "llama : sampling in its own file (#14)", |c| {
        c.by(ADA).committed_by(WEB).write("src/llama-sampler.cpp", file!("llama-sampler.cpp"));
    });
    h.commit("common", "common : parameters with defaults (#15)", |c| {
        c.by(ADA)
            .committed_by(WEB)
            .write("common/common.h", file!("common.h"))
            .write("common/arg.cpp", file!("arg.cpp"));
    });
    h.commit("ci-cache", "ci : keep the compiler's cache", |c| {
        c.by(BO).edit(".github/workflows/build.yml", "[push]", "[push, pull_request]");
    });
    h.commit("loader", "llama : load tensors in one place (#18)", |c| {
        c.by(ADA).committed_by(WEB).write("src/llama-model.cpp", file!("llama-model.cpp"));
    });
    h.commit("exaone", "model : support EXAONE 4 (#19)", |c| {
        c.by(BO).committed_by(WEB).write("src/models/exaone4.cpp", file!("exaone4.cpp"));
    });
    h.commit("checkpoints", "server : fewer checkpoints by default (#20)", |c| {
        c.by(BO).committed_by(WEB).edit(
            "common/common.h",
            "checkpoint_min_step = 256;",
            "checkpoint_min_step = 8192;",
        );
    });
    h.commit("opencl", "opencl: flash attention for prefill (#21)", |c| {
        c.by(DANA)
            .committed_by(WEB)
            .write("ggml/src/ggml-opencl/kernels/flash_attn_f16.cl", file!("fattn.cl"));
    });
    h.commit("chat", "chat : tool calls of Qwen models (#22)", |c| {
        c.by(BO).committed_by(WEB).write("common/chat.cpp", file!("server-chat.cpp"));
    });
    h.commit("windows-file", "scripts : a batch file for Windows (#23)", |c| {
        c.by(BO)
            .committed_by(WEB)
            .write("scripts/build.bat", "@echo off\r\ncmake -B build\r\ncmake --build build\r\n");
    });
    h.commit("windows-edit", "scripts : release builds on Windows (#24)", |c| {
        c.by(BO)
            .committed_by(WEB)
            .edit("scripts/build.bat", "--build build\r\n", "--build build --config Release\r\n")
            .write("VERSION", "0.0.21");
    });
    // Just before the window: what a careless reader counts as in it.
    h.clock("2026-03-02T09:00:00+02:00");
    h.commit(names::BASE, "cuda : wider tiles for quantized multiplication (#26)", |c| {
        c.by(DANA).committed_by(WEB).edit(
            "ggml/src/ggml-cuda/ggml-cuda.cu",
            "// The CUDA backend.\n",
            "// The CUDA backend.\n#define MMQ_TILE 128\n",
        );
    });
}
