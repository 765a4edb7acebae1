package audit

import (
	"encoding/json"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Kind is what a record is of. The set is open: lower-case letters, digits and
// hyphens, at most 32 of them.
type Kind string

// The kinds that this program writes.
const (
	KindCall     Kind = "call"     // a tool was called, or would have been
	KindAsk      Kind = "ask"      // a person is asked
	KindAnswer   Kind = "answer"   // what the person said
	KindDeny     Kind = "deny"     // a guard, a policy or a failure turned something down
	KindGrant    Kind = "grant"    // a person granted something, or took a grant back
	KindPrompt   Kind = "prompt"   // a prompt was fetched
	KindResource Kind = "resource" // a resource was read
	// KindCheckpoint is of the log itself. Append refuses it.
	KindCheckpoint Kind = "checkpoint"
)

// Outcome is how it ended. The set is open, as that of kinds.
type Outcome string

// The outcomes that this program writes.
const (
	Allowed Outcome = "allowed"
	Denied  Outcome = "denied"
	Asked   Outcome = "asked"
	Failed  Outcome = "failed" // it was allowed, and did not succeed
)

// Record is one thing that was asked, and its answer. What is empty is not
// written. Text may be foreign: it is kept as it is within bounds (nameMax bytes
// for names, textMax for Reason and Error, byMax of By), and an Entry says of
// what was not kept whole how long it was.
type Record struct {
	// Time is when it was written: Append sets it, whatever it was.
	Time time.Time `json:"time"`
	Kind Kind      `json:"kind"`
	// ID is the decision's. The denial that an agent sees names it.
	ID               string     `json:"id"`
	Generation       uint64     `json:"generation"`
	GenerationDigest ext.Digest `json:"generation_digest"`
	Workspace        string     `json:"workspace"`
	Session          string     `json:"session"`
	Client           string     `json:"client"`
	Agent            string     `json:"agent"`
	// Tool is the name that the agent sees.
	Tool      string `json:"tool"`
	Extension string `json:"extension"`
	Server    string `json:"server"`
	// Arguments are made by Log.Summarize.
	Arguments Arguments `json:"arguments"`
	Outcome   Outcome   `json:"outcome"`
	// By names the guards and policies that decided, or the person.
	By         []string      `json:"by"`
	Reason     string        `json:"reason"`
	Duration   time.Duration `json:"duration_ns"`
	ResultSize int64         `json:"result_size"`
	Error      string        `json:"error"`
}

// Arguments is what the log keeps of the arguments of a call: of each value how
// long it is and a salted hash of its canonical bytes, never the value itself
// unless Options.Full says so. Canonical is JSON without white space, members of
// objects sorted by name, text escaped only where it must be, and numbers as
// they were spelled; what lies more than depthMax objects deep is as it came.
type Arguments struct {
	// Type is a JSON type, "invalid" for what is not JSON, or "" for none at all.
	Type string `json:"type"`
	Size int    `json:"size"` // in bytes, as they came
	// Hash is of the canonical bytes; of the bytes as they came if Type is
	// "invalid" or there are more than argumentsMax.
	Hash string     `json:"hash"`
	Keys []Argument `json:"keys"` // of an object's own members, by name; a name that came twice is there twice
	// More is how many members are not in Keys, because there are more than keysMax.
	More int `json:"more"`
	// Large is that the arguments are more than argumentsMax bytes, and were not
	// looked into.
	Large bool `json:"large"`
	// Raw is the arguments themselves, where Options.Full asks for them and they
	// are no longer than it allows.
	Raw json.RawMessage `json:"raw"`
}

// Argument is one member of the arguments.
type Argument struct {
	Key  string `json:"key"`  // shortened to keyMax bytes
	Cut  int    `json:"cut"`  // the length of a key that was shortened, else 0
	Type string `json:"type"` // a JSON type
	Size int    `json:"size"` // of the canonical value, in bytes
	Hash string `json:"hash"` // of the canonical value, salted
}

// Entry is a record as it stands in the log.
type Entry struct {
	Seq  uint64 `json:"seq"`  // its number in its chain, from 1
	Prev string `json:"prev"` // the hash of the line before
	Record
	// Altered lists the fields that do not hold their text as it was given.
	Altered []Altered `json:"altered"`
	// Checkpoint is what a record of KindCheckpoint says, else nil.
	Checkpoint *Checkpoint `json:"checkpoint"`
	Signature  string      `json:"signature"`

	File string `json:"-"` // the segment's name
	Line []byte `json:"-"` // as it stands there, without the line feed; do not change it
}

// Altered says of a field that its text was shortened, or had bytes that are not
// UTF-8, which are U+FFFD now. The size and the salted hash are of what was given.
// For the field "by.more", names that were left out, the size is how many.
type Altered struct {
	Field string `json:"field"`
	Size  int    `json:"size"`
	Hash  string `json:"hash"`
}

// The bounds of what a record keeps, in bytes where it is not a count. Together
// they keep any line well below lineMax.
const (
	nameMax      = 256
	textMax      = 4096
	byMax        = 32
	keyMax       = 128
	keysMax      = 64
	argumentsMax = 1 << 20
	fullMax      = 1 << 20 // of Options.FullSize
	depthMax     = 32
	lineMax      = 4 << 20
)
