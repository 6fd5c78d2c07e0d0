// Loading a model.
#include "llama.h"
#include "llama-model.h"

bool llama_model::load_tensors(llama_model_loader & ml) {
    ml.use_mmap = params.load_mode == LLAMA_LOAD_MODE_MMAP;
    for (auto & tensor : ml.tensors) {
        if (!ml.load(tensor, ml.use_mmap)) {
            return false;
        }
    }
    return true;
}
