// Package guard decides about calls: it asks everything that may object to one,
// and settles what the answers come to. Nothing that it asks can allow a call;
// what fails to answer denies it.
package guard

import (
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
)

// Call is one call of a tool, before it is made.
type Call struct {
	Tool        string // as the client calls it
	Qualified   string // "acme:search/find"
	Extension   ext.Name
	Server      string          // the server's name within the extension; "" for other tools
	Arguments   json.RawMessage // a JSON object
	Annotations *ext.Doc        // the tool's, as it declares them; nil when it has none
	Session     string
	Agent       string
	Client      string // what the client calls itself
	Mode        ext.Mode
}

// Verdict is what somebody has against a call. A greater one prevails.
type Verdict uint8

const (
	// Pass is no objection.
	Pass Verdict = iota
	// Ask leaves the call to the person.
	Ask
	// Deny refuses it.
	Deny
)

var verdictWords = [...]string{"pass", "ask", "deny"}

// String is the word for v.
func (v Verdict) String() string { return verdictWords[v] }

// Objection is what one guard has against a call.
type Objection struct {
	Guard   string     // its qualified name
	Origin  ext.Origin // where it is declared
	Content ext.Digest // of the guard, which a standing answer to it is bound to
	Verdict Verdict    // Ask or Deny
	Reason  string     // in words; foreign text
	Failed  bool       // it did not answer, which denies
	Held    bool       // its extension is in quarantine
}

// Prevails is the verdict of all objections together: whatever their order,
// their sources and their number, a denial prevails over a question, and a
// question over none.
func Prevails(all []Objection) Verdict {
	v := Pass
	for i := range all {
		v = max(v, all[i].Verdict)
	}
	return v
}
