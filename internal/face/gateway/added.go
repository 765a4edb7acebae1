package gateway

import (
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// added is a result with what handlers add for the agent to read: one more block of
// text, fenced, at the end of its content. All else of it stays as it came.
func added(result json.RawMessage, said []guard.Said) json.RawMessage {
	text := host.Fenced(said)
	at, err := rpc.Locate(result, "content")
	if text == "" || err != nil {
		return result // it is no object, or content is not clear: its reader will say so
	}
	block, err := ext.EncodeJSON(map[string]string{"type": "text", "text": text})
	if err != nil {
		return result
	}
	content := at["content"]
	if !content.There() {
		return begun(result, append(append([]byte(`"content":[`), block...), ']'))
	}
	there, err := rpc.Elements(result[content.From:content.To], mostBlocks)
	if err != nil {
		return result
	}
	if len(there) > 0 {
		block = append([]byte{','}, block...)
	}
	end := content.To - 1 // before the bracket
	return rpc.Splice(result, rpc.Span{From: end, To: end}.With(block))
}

// mostBlocks are those of a result that something is added to.
const mostBlocks = 100_000

// failed reports whether a result of a tool says that it went wrong.
func failed(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}
