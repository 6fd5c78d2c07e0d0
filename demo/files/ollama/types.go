// Package api holds what clients and the server exchange.
package api

import "github.com/ollama/ollama/envconfig"

// Options are what a request may set.
type Options struct {
	Runner

	NumKeep          int      `json:"num_keep,omitempty"`
	Seed             int      `json:"seed,omitempty"`
	NumPredict       int      `json:"num_predict,omitempty"`
	TopK             int      `json:"top_k,omitempty"`
	TopP             float32  `json:"top_p,omitempty"`
	Temperature      float32  `json:"temperature,omitempty"`
	RepeatLastN      int      `json:"repeat_last_n,omitempty"`
	RepeatPenalty    float32  `json:"repeat_penalty,omitempty"`
	PresencePenalty  float32  `json:"presence_penalty,omitempty"`
	FrequencyPenalty float32  `json:"frequency_penalty,omitempty"`
	Stop             []string `json:"stop,omitempty"`
}

// Runner are the options that take effect when a model is loaded.
type Runner struct {
	NumCtx    int   `json:"num_ctx,omitempty"`
	NumBatch  int   `json:"num_batch,omitempty"`
	NumGPU    int   `json:"num_gpu,omitempty"`
	NumThread int   `json:"num_thread,omitempty"`
	UseMMap   *bool `json:"use_mmap,omitempty"`
}

// DefaultOptions is what holds where neither the model nor the request says otherwise.
func DefaultOptions() Options {
	return Options{
		NumPredict: -1,

		// enough to survive a context shift
		NumKeep:          4,
		Temperature:      0.8,
		TopK:             40,
		TopP:             0.9,
		RepeatLastN:      64,
		RepeatPenalty:    1.1,
		PresencePenalty:  0.0,
		FrequencyPenalty: 0.0,
		Seed:             -1,

		Runner: Runner{
			NumCtx:    int(envconfig.ContextLength()),
			NumBatch:  512,
			NumGPU:    -1, // as many layers as fit
			NumThread: 0,  // the engine decides
			UseMMap:   nil,
		},
	}
}
