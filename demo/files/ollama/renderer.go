// Package renderers writes conversations as the prompts that models were trained on.
package renderers

import "github.com/ollama/ollama/api"

// Renderer writes one family's prompts.
type Renderer interface {
	Render(messages []api.Message, think bool) (string, error)
}

var byName = map[string]Renderer{
	"glimmer":       &GlimmerRenderer{},
	"nemotron3nano": &Nemotron3NanoRenderer{},
	"gemma4":        &Gemma4Renderer{},
}
