// Package guard decides about calls: it asks everything that may object to one,
// and settles what the answers come to. Nothing that it asks can allow a call;
// what fails to answer denies it.
package guard

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/dialect"
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
	ModeOf      func() (ext.Mode, error) // finds it out where Mode is nil and something reads it; nil: there is none
	// Event is what a client told of the call, where that is one of its own tools'. Nil
	// for a call of a tool that is offered here.
	Event *dialect.Event
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
	Fix     string     // what its owner can do where it guards nothing; "" for most
}

// Judgement is what everybody has to say of a call.
type Judgement struct {
	Objections []Objection
	// Arguments are what was judged in the end: the call's own, or what guards made of
	// them.
	Arguments json.RawMessage
	Rewrote   []string // which guards made something of them, in their order
	Said      []Said   // what handlers add for the agent to read
	Messages  []string // what handlers say to the person
	Notes     []Note   // what went wrong and costs nothing, and what was left out
	Ran       bool     // code was asked, which takes its time
}

// Said is text of an extension for an agent.
type Said struct {
	Guard  string // whose it is
	Origin ext.Origin
	Text   string
}

// Note is something that went wrong with an observer.
type Note struct {
	Guard  string
	Origin ext.Origin
	Text   string
}

// Means are how code is asked.
type Means struct {
	Reach func(ext.Ref) call.Caller // what answers for a reference; nil: nothing does
	Run   Runner                    // what runs programs; nil: nothing does
	Dir   string                    // where the agent works: the workspace's directory
}

// Runner runs a program for one question, and ends all of it. An error says that it
// did not start, took too long, was killed, or wrote too much.
type Runner func(context.Context, Program) (Ran, error)

// Program is what is run.
type Program struct {
	Line  string   // for a shell
	Argv  []string // without a shell, where Line is ""
	Dir   string
	Env   []string // added to what every program gets
	Data  string   // the directory that its extension may keep things in; made before it runs; "" is none
	Input []byte   // its standard input
	Limit time.Duration
	// Within is a variable that is set for it, by which what it starts knows what it is
	// asked; "": that of guards.
	Within string
}

// Ran is how a program ended by itself.
type Ran struct {
	Exit           int
	Stdout, Stderr []byte
	Held           bool // something that it started was left, and was ended
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
