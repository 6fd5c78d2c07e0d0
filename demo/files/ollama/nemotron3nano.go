package renderers

import (
	"strings"

	"github.com/ollama/ollama/api"
)

// Nemotron3NanoRenderer writes the prompts of Nemotron 3.
type Nemotron3NanoRenderer struct{}

// Render writes the system turn first, then the others.
func (n *Nemotron3NanoRenderer) Render(messages []api.Message, think bool) (string, error) {
	var sb strings.Builder
	for _, m := range messages {
		sb.WriteString("<turn " + m.Role + ">\n" + m.Content + "</turn>\n")
	}
	if think {
		sb.WriteString("<turn assistant>\n<think>\n")
	}
	return sb.String(), nil
}
