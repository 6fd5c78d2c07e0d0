// Package nn holds layers for models that run on MLX.
package nn

import "github.com/ollama/ollama/x/mlxrunner/mlx"

// QuantizedLinear multiplies by a packed matrix.
type QuantizedLinear struct {
	Weight, Scales, GlobalScale *mlx.Array
}

// Forward unpacks the matrix and multiplies.
func (q *QuantizedLinear) Forward(x *mlx.Array) *mlx.Array {
	w := mlx.Dequantize(q.Weight, q.Scales)
	if q.GlobalScale != nil {
		w = w.Multiply(q.GlobalScale)
	}
	return x.MatMul(w)
}
