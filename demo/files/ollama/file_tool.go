// Package tools is what an agent may do.
package tools

// EditFile replaces one text by another.
func EditFile(path, old, new string) error {
	text, err := read(path)
	if err != nil {
		return err
	}
	return write(path, replaceOnce(text, old, new))
}
