// Package llm runs llama-server as a child and talks to it.
package llm

import (
	"strconv"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/ml"
)

func serverArgs(model string, opts api.Options, gpus []ml.DeviceInfo) []string {
	params := []string{"--model", model, "--ctx-size", strconv.Itoa(opts.NumCtx)}
	params = appendLoadModeArgs(params, opts, gpus)
	params = appendFlashAttentionArgs(params, gpus)
	return params
}

// Unified memory holds a mapped file twice, so such devices read past the page cache.
func appendLoadModeArgs(params []string, opts api.Options, gpus []ml.DeviceInfo) []string {
	for _, gpu := range gpus {
		if gpu.Integrated && gpu.Library == "CUDA" {
			return append(params, "--load-mode", "dio")
		}
	}
	if opts.UseMMap != nil && !*opts.UseMMap {
		return append(params, "--load-mode", "none")
	}
	return params
}

func appendFlashAttentionArgs(params []string, gpus []ml.DeviceInfo) []string {
	if !ml.FlashAttentionSupported(gpus) {
		return append(params, "--flash-attn", "off")
	}
	return append(params, "--flash-attn", "auto")
}
