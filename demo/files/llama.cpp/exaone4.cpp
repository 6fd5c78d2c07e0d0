// The graph of EXAONE 4.
#include "models.h"

void llama_model_exaone4::load_hparams(llama_model_loader & ml) {
    ml.get_key(LLM_KV_ATTENTION_LAYERNORM_RMS_EPS, hparams.f_norm_rms_eps);
    if (hparams.n_layer == 64) {
        hparams.swa_type = LLAMA_SWA_TYPE_STANDARD;
        hparams.n_swa    = 4096;
    }
}
