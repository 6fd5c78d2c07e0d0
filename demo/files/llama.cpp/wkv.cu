// The recurrence of RWKV models, version 7: one state a head.
#include "common.cuh"

template <int head_size>
static __global__ void rwkv_wkv7_f32(const int tokens, const float * r, const float * w, const float * k, const float * v, float * dst, float * state) {
    const int head = blockIdx.x;
    const int lane = threadIdx.x;
    float row[head_size];
    load_state(row, state, head, lane);
    for (int t = 0; t < tokens; ++t) {
        dst[t * head_size + lane] = step(row, r, w, k, v, t, lane);
    }
    store_state(row, state, head, lane);
}

void ggml_cuda_op_rwkv_wkv7(ggml_backend_cuda_context & ctx, ggml_tensor * dst) {
    const int tokens = dst->src[0]->ne[2];
    const int heads  = dst->src[0]->ne[1];
    rwkv_wkv7_f32<64><<<heads, 64, 0, ctx.stream()>>>(tokens, R(dst), W(dst), K(dst), V(dst), D(dst), S(dst));
}
