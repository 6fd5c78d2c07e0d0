// What the command-line programs share: parameters and their defaults.
#pragma once

#include "llama.h"

#include <cstdint>
#include <string>
#include <vector>

struct common_params_sampling {
    uint32_t seed = LLAMA_DEFAULT_SEED; // the seed of the random source

    int32_t n_prev          = 64;    // how many tokens to remember
    int32_t top_k           = 40;    // 0 or less: the whole vocabulary
    float   top_p           = 0.95f; // 1.0 turns it off
    float   min_p           = 0.05f; // 0.0 turns it off
    float   temp            = 0.80f; // 0.0 or less: greedy
    int32_t penalty_last_n  = 64;    // 0 turns penalties off, -1 looks at the whole context
    float   penalty_repeat  = 1.00f; // 1.0 turns it off
    float   penalty_freq    = 0.00f; // 0.0 turns it off
    float   penalty_present = 0.00f; // 0.0 turns it off

    bool backend_sampling = false; // draw tokens on the device
};

struct common_params {
    int32_t n_predict = -1;   // how many tokens to write, -1 for no end
    int32_t n_ctx     = 4096; // the window of attention
    int32_t n_batch   = 2048; // logical batch
    int32_t n_ubatch  = 512;  // physical batch

    enum llama_load_mode load_mode = LLAMA_LOAD_MODE_MMAP; // how weights come into memory

    struct common_params_sampling sampling;

    int32_t port          = 8080; // the server listens here
    int32_t timeout_read  = 600;  // seconds
    int32_t timeout_write = 600;  // seconds

    int32_t checkpoint_min_step = 256; // tokens between checkpoints
};
