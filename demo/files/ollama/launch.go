// Package launch starts other people's programs with a model of ours.
package launch

// Integration is a program that can be started.
type Integration struct {
	Name    string
	Command string
	Args    []string
}

var integrations = []Integration{
	{Name: "Kettle", Command: "kettle", Args: []string{"--endpoint", "{host}"}},
}
