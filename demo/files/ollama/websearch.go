// Package middleware stands between protocols and the server.
package middleware

// WebSearch asks the cloud when a model calls for a search.
func WebSearch(query string, results int) ([]Result, error) {
	if results <= 0 {
		results = 5
	}
	return ask(query, results)
}
