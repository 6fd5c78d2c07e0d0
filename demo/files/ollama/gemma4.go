package renderers

import (
	"strings"

	"github.com/ollama/ollama/api"
)

// Gemma4Renderer writes the prompts of Gemma 4.
type Gemma4Renderer struct{}

// Render names the user and the model in each turn.
func (g *Gemma4Renderer) Render(messages []api.Message, think bool) (string, error) {
	var sb strings.Builder
	for _, m := range messages {
		sb.WriteString("<start>" + m.Role + "\n" + m.Content + "<stop>\n")
	}
	sb.WriteString("<start>model\n")
	return sb.String(), nil
}
