// Package llamarunner runs models over llama.cpp's library.
package llamarunner

// Run loads a model and answers until its parent goes away.
func Run(args []string) error {
	context, err := newContext(args)
	if err != nil {
		return err
	}
	return context.serve()
}
