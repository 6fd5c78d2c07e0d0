package renderers

import (
	"strings"

	"github.com/ollama/ollama/api"
)

// Qwen38Renderer writes the prompts of Qwen 3.8.
type Qwen38Renderer struct{}

// Render keeps thoughts of the last turn only.
func (q *Qwen38Renderer) Render(messages []api.Message, think bool) (string, error) {
	var sb strings.Builder
	for i, m := range messages {
		sb.WriteString("<im>" + m.Role + "\n")
		if i == len(messages)-1 && think {
			sb.WriteString("<think>" + m.Thinking + "</think>\n")
		}
		sb.WriteString(m.Content + "</im>\n")
	}
	return sb.String(), nil
}
