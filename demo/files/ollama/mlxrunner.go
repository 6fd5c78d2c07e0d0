// Package mlxrunner runs models of tensor layers on MLX.
package mlxrunner

// Run loads a model and answers until its parent goes away.
func Run(args []string) error {
	model, err := load(args)
	if err != nil {
		return err
	}
	return model.serve()
}
