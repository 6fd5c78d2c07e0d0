//! After the window: b35 to b40.

use super::{ADA, BO, DANA, WEB, names};
use crate::history::History;

pub(super) fn write(h: &mut History) {
    h.clock("2026-03-16T07:00:00+01:00");
    h.commit(names::TIMEOUT, "server : wait an hour (#40)", |c| {
        c.by(BO)
            .committed_by(WEB)
            .edit("common/common.h", "timeout_read  = 600; ", "timeout_read  = 3600;")
            .edit("common/common.h", "timeout_write = 600; ", "timeout_write = 3600;")
            .edit("common/arg.cpp", "(default: 600)", "(default: 3600)");
    });
    h.commit(names::FIX, "cuda : wait for the stream with many experts (#41)", |c| {
        c.by(DANA)
            .committed_by(WEB)
            .body("Fixes wrong output with large batches since #36 (b32).")
            .edit(
                "ggml/src/ggml-cuda/ggml-cuda.cu",
                "    if (dst->ne[2] <= MMVQ_MAX_BATCH && ggml_is_quantized(src0->type)) {\n        return false;",
                "    if (src0->ne[2] > 256) {\n        return true;\n    }\n    if (dst->ne[2] <= MMVQ_MAX_BATCH && ggml_is_quantized(src0->type)) {\n        return false;",
            );
    });
    h.commit(names::DOCS_LAG, "docs : regenerate the server's options (#42)", |c| {
        c.by(BO).committed_by(WEB).write(
            "tools/server/README.md",
            "# Server\n\n| option | meaning |\n| --- | --- |\n| `-lm, --load-mode MODE` | how weights come into memory (default: auto) |\n| `-to, --timeout N` | seconds (default: 3600) |\n",
        );
    });
    h.commit("architectures", "cmake : newer cards by default (#43)", |c| {
        c.by(ADA).committed_by(WEB).edit(
            "CMakeLists.txt",
            "75-virtual;86-real;89-real",
            "75-virtual;86-real;89-real;120a-real",
        );
    });
    h.commit("metal", "metal : fewer command buffers (#44)", |c| {
        c.by(ADA).committed_by(WEB).write(
            "ggml/src/ggml-metal/ggml-metal.m",
            "// The Metal backend.\nstatic const int n_command_buffers = 2;\n",
        );
    });
    h.commit(names::NEWEST, "release : versions that people can read (#45)", |c| {
        c.by(ADA).committed_by(WEB).write("VERSION", "0.1.0");
    });
    h.annotated_tag("v0.1.0", "llama.cpp v0.1.0\n\nThe nightly is b40.\n");
}
