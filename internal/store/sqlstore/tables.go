package sqlstore

import (
	"context"
	"database/sql"
	"strings"

	"github.com/mortise-dev/mortise/internal/state"
)

var roster = table[state.Installed]{
	title: "roster", keys: 2,
	columns: []string{"name", "scope", "kind", "source", "within", "ref", "git_commit", "submodules", "digest", "pinned", "commit_before", "digest_before", "market", "position", "who", "at"},
	list:    func(s *state.Snapshot) *[]state.Installed { return &s.Roster },
	fields: func(r *state.Installed) []any {
		return []any{&r.Name, &r.Scope, &r.Kind, &r.Source, &r.Within, &r.Ref, &r.Commit, &r.Submodules, sum{&r.Digest}, &r.Pinned, &r.Before, sum{&r.DigestBefore}, &r.Market, &r.Order, &r.By, moment{&r.At}}
	},
}

var switches = table[state.Switch]{
	title: "switches", keys: 3,
	columns: []string{"workspace", "extension", "entry", "reason", "who", "at"},
	list:    func(s *state.Snapshot) *[]state.Switch { return &s.Switches },
	fields: func(r *state.Switch) []any {
		return []any{&r.Workspace, &r.Extension, &r.Entry, &r.Reason, &r.By, moment{&r.At}}
	},
}

var adoptions = table[state.Adoption]{
	title: "placed_adoptions", before: "adoptions", keys: 3,
	columns: []string{"workspace", "digest", "place", "who", "at", "snapshot"},
	list:    func(s *state.Snapshot) *[]state.Adoption { return &s.Adoptions },
	fields: func(r *state.Adoption) []any {
		return []any{&r.Workspace, sum{&r.Digest}, &r.Place, &r.By, moment{&r.At}, &r.Snapshot}
	},
}

var grants = table[state.Grant]{
	title: "grants", keys: 3,
	columns: []string{"kind", "subject", "digest", "who", "at", "until"},
	list:    func(s *state.Snapshot) *[]state.Grant { return &s.Grants },
	fields: func(r *state.Grant) []any {
		return []any{&r.Kind, &r.Subject, sum{&r.Digest}, &r.By, moment{&r.At}, moment{&r.Until}}
	},
}

var pins = table[state.Pin]{
	title: "tool_pins", before: "pins", keys: 4,
	columns: []string{"workspace", "extension", "server", "tool", "digest", "who", "at"},
	list:    func(s *state.Snapshot) *[]state.Pin { return &s.Pins },
	fields: func(r *state.Pin) []any {
		return []any{&r.Workspace, &r.Extension, &r.Server, &r.Tool, sum{&r.Digest}, &r.By, moment{&r.At}}
	},
}

var guards = table[state.Guard]{
	title: "guards", keys: 5,
	columns: []string{"extension", "content", "name", "event", "matcher", "code", "at"},
	list:    func(s *state.Snapshot) *[]state.Guard { return &s.Guards },
	fields: func(r *state.Guard) []any {
		return []any{&r.Extension, sum{&r.Scope}, &r.Name, &r.Event, &r.Matcher, sum{&r.Code}, moment{&r.At}}
	},
}

var descriptions = table[state.Description]{
	title: "descriptions", keys: 3,
	columns: []string{"workspace", "extension", "server", "declaration", "at", "content"},
	list:    func(s *state.Snapshot) *[]state.Description { return &s.Descriptions },
	fields: func(r *state.Description) []any {
		return []any{&r.Workspace, &r.Extension, &r.Server, sum{&r.Declaration}, moment{&r.At}, &r.Content}
	},
}

var connections = table[state.Connection]{
	title: "connections", keys: 3,
	columns: []string{"workspace", "client", "event", "at"},
	list:    func(s *state.Snapshot) *[]state.Connection { return &s.Connections },
	fields: func(r *state.Connection) []any {
		return []any{&r.Workspace, &r.Client, &r.Event, moment{&r.At}}
	},
}

var levels = table[state.Level]{
	title: "levels", keys: 2,
	columns: []string{"worktree", "axis", "level", "until", "who", "at", "boot", "uptime"},
	list:    func(s *state.Snapshot) *[]state.Level { return &s.Levels },
	fields: func(r *state.Level) []any {
		return []any{&r.Worktree, &r.Axis, word{&r.Level}, lenient{moment{&r.Until}}, &r.By, lenient{moment{&r.At}}, &r.Boot, &r.Uptime}
	},
}

const eventColumns = "kind, subject, text, who, at, revision"

func eventFields(e *state.Event) []any {
	return []any{&e.Kind, &e.Subject, &e.Text, &e.By, moment{&e.At}, &e.Revision}
}

func appendEvents(ctx context.Context, tx *sql.Tx, events []state.Event) error {
	for _, e := range events {
		if _, err := tx.ExecContext(ctx, "INSERT INTO events ("+eventColumns+") VALUES (?, ?, ?, ?, ?, ?)", eventFields(&e)...); err != nil {
			return err
		}
	}
	return nil
}

func selectEvents(ctx context.Context, tx *sql.Tx, q state.Query) (events []state.Event, err error) {
	var b strings.Builder
	var args []any
	b.WriteString("SELECT " + eventColumns + " FROM events")
	if n := len(q.Kinds); n > 0 {
		b.WriteString(" WHERE kind IN (?" + strings.Repeat(", ?", n-1) + ")")
		for _, k := range q.Kinds {
			args = append(args, k)
		}
	}
	b.WriteString(" ORDER BY id DESC")
	if q.Limit > 0 {
		b.WriteString(" LIMIT ?")
		args = append(args, q.Limit)
	}
	rows, err := tx.QueryContext(ctx, b.String(), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e state.Event
		if err := rows.Scan(eventFields(&e)...); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, rows.Err()
}
