//! The thirteen builds between the two pins of the window, b22 to b34.

use super::{ADA, BO, DANA, WEB, names};
use crate::history::History;

pub(super) fn write(h: &mut History) {
    h.clock("2026-03-02T15:00:00+02:00");
    h.commit("cpu-mask", "ggml-cpu : honour the affinity mask (#27)", |c| {
        c.by(BO).committed_by(WEB).write(
            "ggml/src/ggml-cpu/ggml-cpu.c",
            "// Threads on the CPU.\nvoid ggml_thread_pin(int thread, const bool * mask) {\n    pin_to_nth_set(thread, mask);\n}\n",
        );
    });
    h.commit(names::SAMPLER, "llama : sample several outputs on the device (#25)", |c| {
        c.by(ADA)
            .committed_by(WEB)
            .body("Each sequence keeps its own chain. Penalties still run on the host.")
            .edit(
                "src/llama-sampler.cpp",
                "static void llama_sampler_penalties_apply(",
                "// A chain runs on the device only when each of its links can.\nstatic bool llama_sampler_chain_on_device(const llama_sampler_chain * chain, int n_outputs) {\n    for (const auto * link : chain->links) {\n        if (!link->on_device || n_outputs > link->max_outputs) {\n            return false;\n        }\n    }\n    return true;\n}\n\nstatic void llama_sampler_penalties_apply(",
            );
    });
    h.commit("ci-release", "ci : release for another toolkit (#28)", |c| {
        c.by(BO)
            .committed_by(WEB)
            .write(".github/workflows/release.yml", "name: release\non: [workflow_dispatch]\n");
    });
    h.commit("tests", "tests : start the server before asking it (#29)", |c| {
        c.by(BO).committed_by(WEB).write(
            "tests/test-server.cpp",
            "// Asks a server.\nint main() {\n    return wait_for(8080) ? 0 : 1;\n}\n",
        );
    });
    h.commit("exaone-swa", "model : sliding window for EXAONE 4.5 (#30)", |c| {
        c.by(BO).committed_by(WEB).edit(
            "src/models/exaone4.cpp",
            "hparams.n_layer == 64",
            "hparams.n_layer == 64 || hparams.n_layer == 80",
        );
    });
    load_mode(h);
    h.commit("ui", "ui: the gauge shows one model's context (#32)", |c| {
        c.by(DANA).committed_by(WEB).write(
            "tools/ui/src/gauge.ts",
            "export const share = (used: number, all: number) => used / all;\n",
        );
    });
    h.commit(names::RWKV, "cuda : one warp a row for wkv7 when decoding (#33)", |c| {
        c.by(DANA)
            .committed_by(WEB)
            .edit(
                "ggml/src/ggml-cuda/wkv.cu",
                "void ggml_cuda_op_rwkv_wkv7(",
                "// A single token needs no block of threads a head: one warp keeps one row.\ntemplate <int head_size>\nstatic __global__ void rwkv_wkv7_row_f32(const float * r, const float * w, const float * k, const float * v, float * dst, float * state) {\n    const int row = blockIdx.x * blockDim.y + threadIdx.y;\n    dst[row] = warp_reduce_sum(step_row(state, r, w, k, v, row));\n}\n\nvoid ggml_cuda_op_rwkv_wkv7(",
            )
            .edit(
                "ggml/src/ggml-cuda/wkv.cu",
                "    rwkv_wkv7_f32<64><<<",
                "    if (tokens == 1) {\n        rwkv_wkv7_row_f32<64><<<heads * 16, dim3(32, 4), 0, ctx.stream()>>>(R(dst), W(dst), K(dst), V(dst), D(dst), S(dst));\n        return;\n    }\n    rwkv_wkv7_f32<64><<<",
            );
    });
    h.commit("chat-qwen", "chat : a bare function tag is text (#34)", |c| {
        c.by(BO).committed_by(WEB).edit(
            "common/chat.cpp",
            "if (start == std::string::npos) {",
            "if (start == std::string::npos || !closes(text, start)) {",
        );
    });
    h.commit("opencl-tile", "opencl: turn the key tile in local memory (#35)", |c| {
        c.by(DANA).committed_by(WEB).edit(
            "ggml/src/ggml-opencl/kernels/flash_attn_f16.cl",
            "load_rows(tile, k, block);",
            "load_columns(tile, k, block);",
        );
    });
    experts(h);
    h.commit("convert", "convert : keep scales of NVFP4 models (#37)", |c| {
        c.by(BO).committed_by(WEB).write(
            "convert_hf_to_gguf.py",
            "def keeps_scales(name: str) -> bool:\n    return name.endswith(\"weight_scale_2\")\n",
        );
    });
    h.commit(names::HEAD, "docs : how builds are numbered (#38)", |c| {
        c.by(ADA)
            .committed_by(WEB)
            .write("docs/builds.md", "# Builds\n\nbN is the count of commits up to it.\n");
    });
}

fn load_mode(h: &mut History) {
    h.commit(names::LOAD_MODE, "llama : load mode auto, which spares integrated devices the map (#31)", |c| {
        c.by(ADA)
            .committed_by(WEB)
            .authored("2026-02-27T18:12:00+01:00")
            .body("* a device says whether it supports mmap\n\n* auto is mmap unless one does not\n\nCo-authored-by: Bo Ferreira <bo@ferreira.example>")
            .edit("common/common.h", "load_mode = LLAMA_LOAD_MODE_MMAP;", "load_mode = LLAMA_LOAD_MODE_AUTO;")
            .edit(
                "common/arg.cpp",
                "(default: mmap)\\n\"\n",
                "(default: auto)\\n\"\n        \"- auto: mmap, unless a device does not support it\\n\"\n",
            )
            .edit(
                "include/llama.h",
                "    LLAMA_LOAD_MODE_NONE = 0, // read the weights\n",
                "    LLAMA_LOAD_MODE_AUTO = -1, // as the devices allow\n    LLAMA_LOAD_MODE_NONE = 0, // read the weights\n",
            )
            .edit(
                "ggml/include/ggml-backend.h",
                "// can wait for one another\n",
                "// can wait for one another\n    bool mmap_support;         // weights may be mapped\n",
            )
            .edit(
                "ggml/src/ggml-cuda/ggml-cuda.cu",
                "        /* .events      = */ true,\n",
                "        /* .events      = */ true,\n        /* .mmap_support = */ props->type != GGML_BACKEND_DEVICE_TYPE_IGPU,\n",
            )
            .edit(
                "src/llama-model.cpp",
                "    ml.use_mmap = params.load_mode == LLAMA_LOAD_MODE_MMAP;\n",
                "    ml.use_mmap = params.load_mode == LLAMA_LOAD_MODE_MMAP || params.load_mode == LLAMA_LOAD_MODE_AUTO;\n    if (params.load_mode == LLAMA_LOAD_MODE_AUTO) {\n        for (const auto & dev : devices) {\n            ggml_backend_dev_props props;\n            ggml_backend_dev_get_props(dev, &props);\n            ml.use_mmap = ml.use_mmap && props.caps.mmap_support;\n        }\n    }\n",
            );
    });
}

fn experts(h: &mut History) {
    h.commit(names::EXPERTS, "CUDA: graphs stay off only when mul_mat_id must wait for the stream (#36)", |c| {
        c.by(DANA)
            .committed_by(WEB)
            .edit(
                "ggml/src/ggml-cuda/ggml-cuda.cu",
                "// One multiplication for each expert that the router chose.\n",
                "// Whether the way through the experts has to look at the ids on the host.\nstatic bool ggml_cuda_mul_mat_id_waits(const ggml_tensor * dst, const int cc) {\n    const ggml_tensor * src0 = dst->src[0];\n    if (dst->ne[2] <= MMVQ_MAX_BATCH && ggml_is_quantized(src0->type)) {\n        return false;\n    }\n    return !ggml_cuda_should_use_mmq(src0->type, cc, dst->ne[2]);\n}\n\n// One multiplication for each expert that the router chose.\n",
            )
            .edit(
                "ggml/src/ggml-cuda/ggml-cuda.cu",
                "node->op == GGML_OP_MUL_MAT_ID && node->ne[2] != 1",
                "node->op == GGML_OP_MUL_MAT_ID && ggml_cuda_mul_mat_id_waits(node, graph->cc)",
            );
    });
}
