package catalog

import (
	"context"
	"errors"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/host"
)

// callLog is the log of calls of a host that serves.
type callLog struct{ *audit.Log }

// openLog opens the log of a place. Whether it keeps arguments whole is the
// person's own to say, and read once. report is told of what the log cannot say to
// who wrote a line: that it may not be on the disk.
func openLog(p host.Place, report func(error)) (callLog, error) {
	cfg, _, err := p.Configure(nil)
	if err != nil {
		return callLog{}, err
	}
	l, err := audit.Open(p.CallLog(), audit.Options{Full: cfg.Audit.Full, Report: report})
	return callLog{l}, err
}

// note adds one line about something that is no call, and is on the disk when it returns.
func note(ctx context.Context, p host.Place, l host.Logged) (err error) {
	log, err := openLog(p, func(error) {})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return log.write(ctx, l, true)
}

// write adds one line. The id of a session gives access to it, so that a part of
// its hash stands for it.
func (l callLog) write(ctx context.Context, c host.Logged, durable bool) error {
	return l.Append(ctx, audit.Record{
		Kind: audit.Kind(c.Kind), ID: c.Decision, Generation: c.Number, GenerationDigest: c.Digest, Workspace: c.Workspace,
		Session: sessionOf(c.Call.Session), Client: c.Call.Client, Agent: c.Call.Agent, Tool: c.Call.Tool, Extension: string(c.Call.Extension), Server: c.Call.Server,
		Arguments: l.Summarize(c.Call.Arguments), Outcome: audit.Outcome(c.Outcome), By: c.By, Reason: c.Reason,
	}, audit.Durability(durable))
}

func sessionOf(id string) string {
	if id == "" {
		return ""
	}
	return ext.NewHash("session").Text(id).Sum().String()[len("sha256:"):][:12]
}
