package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// decisive are the words by which some client's hooks decide, folded. Where the
// client at hand does not look for them, the hook meant another one's.
var decisive = []string{
	"decision", "permissiondecision", "permission", "behavior", "continue", "block", "blocked", "deny", "denied",
	"allow", "allowed", "approve", "approved", "hookspecificoutput", "updatedinput", "modifiedargs", "toolinput", "verdict",
}

// objections are values that say no, or leave it to somebody else, folded.
var objections = []string{"deny", "denied", "block", "blocked", "ask", "forceask", "defer", "refuse", "refused", "reject", "rejected"}

var (
	// objection finds what says no in JSON, wherever that stands in a text.
	objection = pattern.New(`(?i)"(permission_?decision|decision|permission|behavior|verdict|result|action|status)"\s*:\s*"(deny|denied|block|blocked|ask|force_ask|defer|refuse|refused|reject|rejected)"|"continue"\s*:\s*false`)
	// decides finds the words of a decision in a text.
	decides = pattern.New(`(?i)\b(deny|denied|block|blocked|ask|refuse|refused)\b`)
)

// unseen says what of an output keeps a client from seeing an answer in it, "" when
// there is nothing.
func unseen(said []byte) string {
	switch {
	case bytes.HasPrefix(said, []byte("\ufeff")):
		return "its output begins with a byte order mark, so that its client would see no answer in it"
	case bytes.IndexByte(said, 0) >= 0:
		return "its output holds a NUL byte, so that its client would see no answer in it"
	}
	return ""
}

// mayDecide reports whether a text may have been meant to decide. One that the agent
// reads may hold braces, and words that are no values of an answer.
func mayDecide(said []byte, read bool) bool {
	quoted := said[0] == '"' && jsontext.Value(said).IsValid()
	if read {
		return quoted || objection.Match(said)
	}
	return quoted || bytes.IndexByte(said, '{') >= 0 || decides.Match(said) || string(said) == "false"
}

// stray finds what decides and stands where nobody looks.
func (h *hearing) stray(o *object) {
	for key, v := range o.keys {
		switch folded := fold(key); {
		case slices.Contains(h.read, key):
		case slices.Contains(decisive, folded) && !harmless(v, folded):
			o.fail("has the key %s where %s does not look for it", ext.Quote(ext.Shorten(key, 80)), h.client)
		case h.client == Codex:
			o.fail("has the key %s, for which %s refuses it", ext.Quote(ext.Shorten(key, 80)), h.client)
		case h.event.guards() && (deep(v) || objects(v)):
			o.fail("objects under the key %s, where %s does not look", ext.Quote(ext.Shorten(key, 80)), h.client)
		}
	}
}

// knows reports whether an answer has a key that means something, if only to some
// other client that there is no objection.
func (h *hearing) knows(o *object) bool {
	for key, v := range o.keys {
		if folded := fold(key); slices.Contains(h.read, key) || slices.Contains(decisive, folded) && harmless(v, folded) {
			return true
		}
	}
	return false
}

// objects reports whether a value that nobody looks at says no somewhere.
func objects(v jsontext.Value) bool {
	switch v.Kind() {
	case jsontext.KindString:
		return slices.Contains(objections, fold(unquoted(v)))
	case jsontext.KindBeginArray:
		var list []jsontext.Value
		return jsonv2.Unmarshal(v, &list) != nil || slices.ContainsFunc(list, objects)
	case jsontext.KindBeginObject:
		in, err := members(json.RawMessage(v))
		return err != nil || slices.ContainsFunc(in, func(m argument) bool {
			folded := fold(m.key)
			return objects(m.value) || slices.Contains(decisive, folded) && !harmless(m.value, folded)
		})
	}
	return false
}

// harmless reports whether a stray key says no more than that there is no
// objection, which it then does not matter that nobody sees.
func harmless(v jsontext.Value, folded string) bool {
	if folded == "hookspecificoutput" {
		return v.Kind() == jsontext.KindBeginObject && !deep(v) && !objects(v)
	}
	switch string(v) {
	case `"allow"`, `"approve"`, "null":
		return true
	case "true":
		return folded == "continue" || strings.HasPrefix(folded, "allow") || strings.HasPrefix(folded, "approve")
	case "false":
		return strings.HasPrefix(folded, "block") || folded == "deny" || folded == "denied"
	}
	return false
}

var folding = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(key string) string { return folding.Replace(strings.ToLower(key)) }
