// The library's public face.
#pragma once

#include "ggml-backend.h"

#define LLAMA_DEFAULT_SEED 0xFFFFFFFF

enum llama_load_mode {
    LLAMA_LOAD_MODE_NONE = 0, // read the weights
    LLAMA_LOAD_MODE_MMAP = 1, // map the file
    LLAMA_LOAD_MODE_DIO  = 2, // read past the page cache
};

struct llama_model;
struct llama_sampler;

struct llama_sampler * llama_sampler_init_penalties(int last_n, float repeat, float freq, float present);
