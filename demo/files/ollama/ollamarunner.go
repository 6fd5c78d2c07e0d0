// Package ollamarunner runs models in Go over ggml.
package ollamarunner

// Run loads a model and answers until its parent goes away.
func Run(args []string) error {
	backend, err := newBackend(args)
	if err != nil {
		return err
	}
	return backend.serve()
}
