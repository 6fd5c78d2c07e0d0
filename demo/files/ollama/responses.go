package openai

// FromResponsesRequest turns a request of the newer protocol into one of the older.
func FromResponsesRequest(r ResponsesRequest) (ChatCompletionRequest, error) {
	out := ChatCompletionRequest{Model: r.Model}
	for _, item := range r.Input {
		out.Messages = append(out.Messages, item.message())
	}
	out.Tools = functionTools(r.Tools)
	return out, nil
}
