package renderers

import (
	"strings"

	"github.com/ollama/ollama/api"
)

// GlimmerRenderer writes the prompts of Muse Glimmer.
type GlimmerRenderer struct{}

// Render writes one turn a message.
func (g *GlimmerRenderer) Render(messages []api.Message, think bool) (string, error) {
	var sb strings.Builder
	for _, m := range messages {
		sb.WriteString("<|" + m.Role + "|>")
		sb.WriteString(m.Content)
		sb.WriteString("<|end|>")
	}
	sb.WriteString("<|assistant|>")
	return sb.String(), nil
}
