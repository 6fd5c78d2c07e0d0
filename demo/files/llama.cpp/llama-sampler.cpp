// Sampling: from logits to a token.
#include "llama.h"

struct llama_sampler_penalties {
    int   last_n;
    float repeat;
    float freq;
    float present;
};

static bool llama_sampler_penalties_is_noop(const llama_sampler_penalties * ctx) {
    return ctx->last_n == 0 || (ctx->repeat == 1.0f && ctx->freq == 0.0f && ctx->present == 0.0f);
}

static void llama_sampler_penalties_apply(llama_sampler_penalties * ctx, float * logits, int n_vocab) {
    if (llama_sampler_penalties_is_noop(ctx)) {
        return;
    }
    for (int token = 0; token < n_vocab; ++token) {
        const int seen = count_of(ctx, token);
        if (seen > 0) {
            logits[token] = logits[token] > 0 ? logits[token] / ctx->repeat : logits[token] * ctx->repeat;
            logits[token] -= seen * ctx->freq + ctx->present;
        }
    }
}
