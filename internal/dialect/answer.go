package dialect

import (
	"encoding/json"
	"errors"
)

// Verdict is what an answer comes to. A greater one prevails.
type Verdict uint8

const (
	// Pass is no opinion. An "allow" is one as well.
	Pass Verdict = iota
	// Ask leaves it to the person.
	Ask
	// Deny keeps it from happening; at Stop and SubagentStop it has the agent go on.
	Deny
)

var verdicts = [...]string{"pass", "ask", "deny"}

// String is the verdict's word.
func (v Verdict) String() string { return verdicts[v] }

// Answer is what a hook says about an event, in no client's words.
type Answer struct {
	Verdict Verdict
	Reason  string // why; of Ask and Deny. At Stop, what the agent goes on with
	Context string // text for the agent
	Message string // text for the person
	Stop    bool   // the agent's turn ends, whatever else becomes of the event

	// Input is another input for the tool, an object; nil for none. With Over it is
	// laid over the input that there was, key by key, else it takes its place.
	Input json.RawMessage
	Over  bool
	// Was is the input that Input takes the place of, where it is known. A client
	// that lays one over the other cannot be told otherwise what is left out.
	Was json.RawMessage
	// Output is another result for the tool, in the client's shape; nil for none.
	Output json.RawMessage
	// Left are the keys that the hook said something under which is understood and
	// of no use here, in order.
	Left []string
}

// Apply is the input that comes of an answer: the whole new one, or what there
// was when the answer has none.
func (a Answer) Apply(input json.RawMessage) (json.RawMessage, error) {
	switch {
	case a.Input == nil:
		return input, nil
	case !a.Over:
		return a.Input, nil
	}
	was, err := members(input)
	if err != nil {
		return nil, errors.New("what the answer is laid over " + err.Error())
	}
	over, err := members(a.Input)
	if err != nil {
		return nil, errors.New("the new input " + err.Error())
	}
	for _, m := range over {
		if i := was.at(m.key); i >= 0 {
			was[i].value = m.value
		} else {
			was = append(was, m)
		}
	}
	return was.encode(), nil
}
