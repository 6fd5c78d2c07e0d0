// Package server answers requests and keeps models.
package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/ollama/ollama/manifest"
)

// PullModel brings a model from the registry.
func PullModel(ctx context.Context, name string, report func(string)) error {
	mf, err := fetchManifest(ctx, name)
	if err != nil {
		return fmt.Errorf("manifest of %s: %w", name, err)
	}
	skipVerify := make(map[string]bool)
	for _, layer := range mf.Layers {
		cached, err := fetchLayer(ctx, layer, report)
		if err != nil {
			return err
		}
		skipVerify[layer.Digest] = cached
	}
	for _, layer := range mf.Layers {
		if skipVerify[layer.Digest] {
			continue
		}
		if !verify(layer) {
			return errors.New("digest mismatch: " + layer.Digest)
		}
	}
	return manifest.Write(name, mf)
}

func hasTensorLayers(layers []manifest.Layer) bool {
	for _, layer := range layers {
		if layer.MediaType == manifest.MediaTypeTensor {
			return true
		}
	}
	return false
}
