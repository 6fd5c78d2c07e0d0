// Package envconfig reads settings from the environment.
package envconfig

var (
	// ContextLength is the context that a model gets when nobody asks for another.
	ContextLength = Uint("OLLAMA_CONTEXT_LENGTH", 2048)
	// NumParallel is how many requests a model serves at once; 0 chooses by memory.
	NumParallel = Uint("OLLAMA_NUM_PARALLEL", 0)
	// MaxQueue is how many requests wait before more are turned away.
	MaxQueue = Uint("OLLAMA_MAX_QUEUE", 512)
	// FlashAttention turns flash attention on for every model.
	FlashAttention = Bool("OLLAMA_FLASH_ATTENTION")
)

// Uint reads a number from the environment.
func Uint(key string, defaultValue uint) func() uint {
	return func() uint {
		if n, ok := number(key); ok {
			return n
		}
		return defaultValue
	}
}

// Bool reads a switch from the environment.
func Bool(key string) func() bool {
	return func() bool {
		return isTrue(key)
	}
}
