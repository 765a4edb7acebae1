package ext

import (
	"bytes"
	"encoding/json"
)

// EncodeJSON is v as JSON on one line. Characters such as < keep their spelling:
// what is sent on is to be the text that came.
func EncodeJSON(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}
