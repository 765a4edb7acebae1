// Package instance is what running hosts of one person tell about themselves,
// so that another process finds them, asks them and tells them to look again.
//
// Each host has a record in one directory that is this person's alone, and a
// control socket. A record is believed only when the process that it names
// still runs and the socket answers with the record's ID.
package instance

import (
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
)

// Kind is how a host serves.
type Kind int

const (
	// HTTP is a host that serves at an address: one for each workspace.
	HTTP Kind = iota
	// Stdio is a host that a client started for itself: any number.
	Stdio
)

// String is the kind as it stands in file names.
func (k Kind) String() string {
	switch k {
	case HTTP:
		return "http"
	case Stdio:
		return "stdio"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Record is one running host.
type Record struct {
	ID        string // random, of this very run
	Kind      Kind
	Workspace string // absolute directory
	Process   child.Identity
	Address   string // such as "127.0.0.1:7777"; "" for one that serves over standard input and output
	TLS       bool   // it speaks TLS at Address
	Socket    string // path of its control socket
	Token     string `json:"-"` // the secret that changing requests need; never printed
	Since     time.Time
}

// String is the record for people, without its token.
func (r Record) String() string {
	s := fmt.Sprintf("process %d serves %s", r.Process.Pid, ext.Quote(r.Workspace))
	if r.Address != "" {
		s += " at " + ext.Escape(r.Address)
	}
	return s
}

// GoString is the same, so that no verb prints the token.
func (r Record) GoString() string { return "instance.Record{" + r.String() + "}" }

// LogValue is the record in a log, without its token.
func (r Record) LogValue() slog.Value { return slog.StringValue(r.String()) }

// TakenError is that the workspace has a host already.
type TakenError struct {
	Record Record // of that host, which answered just now
}

// Error says who has it.
func (e *TakenError) Error() string { return e.Record.String() + " already" }
