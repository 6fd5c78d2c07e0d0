// The CUDA backend.
#include "common.cuh"

static void ggml_cuda_mul_mat(ggml_backend_cuda_context & ctx, const ggml_tensor * src0, const ggml_tensor * src1, ggml_tensor * dst) {
    if (ggml_cuda_should_use_mmq(src0->type, ctx.cc, src1->ne[1])) {
        ggml_cuda_mul_mat_q(ctx, src0, src1, dst);
        return;
    }
    ggml_cuda_mul_mat_cublas(ctx, src0, src1, dst);
}

// One multiplication for each expert that the router chose.
static void ggml_cuda_mul_mat_id(ggml_backend_cuda_context & ctx, ggml_tensor * dst) {
    const ggml_tensor * ids = dst->src[2];
    if (dst->ne[2] == 1) {
        ggml_cuda_mul_mat_vec_id(ctx, dst, ids);
        return;
    }
    CUDA_CHECK(cudaStreamSynchronize(ctx.stream()));
    for (int64_t expert = 0; expert < dst->src[0]->ne[2]; ++expert) {
        ggml_cuda_mul_mat(ctx, slice(dst->src[0], expert), rows_of(ids, expert), dst);
    }
}

// Whether the graph may be captured once and replayed.
static bool ggml_cuda_graph_can_replay(const ggml_cgraph * graph) {
    for (int i = 0; i < graph->n_nodes; ++i) {
        const ggml_tensor * node = graph->nodes[i];
        if (node->op == GGML_OP_MUL_MAT_ID && node->ne[2] != 1) {
            return false;
        }
    }
    return true;
}

static void ggml_backend_cuda_device_get_props(ggml_backend_dev_t dev, ggml_backend_dev_props * props) {
    props->type = device_of(dev)->integrated ? GGML_BACKEND_DEVICE_TYPE_IGPU : GGML_BACKEND_DEVICE_TYPE_GPU;
    props->caps = {
        /* .async       = */ true,
        /* .host_buffer = */ true,
        /* .events      = */ true,
    };
}
