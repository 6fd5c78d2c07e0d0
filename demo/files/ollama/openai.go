// Package openai speaks the chat completions protocol.
package openai

import "github.com/ollama/ollama/api"

// FromChatRequest turns a chat completion into a request of ours.
func FromChatRequest(r ChatCompletionRequest) (*api.ChatRequest, error) {
	options := make(map[string]any)
	if r.Temperature != nil {
		options["temperature"] = *r.Temperature
	} else {
		options["temperature"] = 1.0
	}
	if r.TopP != nil {
		options["top_p"] = *r.TopP
	} else {
		options["top_p"] = 1.0
	}
	if r.MaxTokens != nil {
		options["num_predict"] = *r.MaxTokens
	}
	return &api.ChatRequest{Model: r.Model, Options: options}, nil
}
