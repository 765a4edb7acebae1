package gateway

import (
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/host"
)

// added is a result with what handlers add for the agent to read: one more block of
// text, fenced, at its end. A result that nobody adds to stays as it came.
func added(result json.RawMessage, said []guard.Said) json.RawMessage {
	text := host.Fenced(said)
	if text == "" {
		return result
	}
	var members map[string]json.RawMessage
	var content []json.RawMessage
	if json.Unmarshal(result, &members) != nil || json.Unmarshal(members["content"], &content) != nil {
		return result // it is no result of a tool, and its reader will say so
	}
	block, err := ext.EncodeJSON(map[string]string{"type": "text", "text": text})
	if err != nil {
		return result
	}
	if members["content"], err = ext.EncodeJSON(append(content, block)); err != nil {
		return result
	}
	out, err := ext.EncodeJSON(members)
	if err != nil {
		return result
	}
	return out
}

// failed reports whether a result of a tool says that it went wrong.
func failed(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}
