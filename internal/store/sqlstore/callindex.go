package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/internal/state"
)

var _ state.CallIndex = (*Store)(nil)

// Calls implements state.CallIndex.
func (s *Store) Calls(ctx context.Context, beginnings []string) (segments []state.CallSegment, err error) {
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		segments, err = selectCalls(ctx, tx, beginnings)
		return err
	})
	return segments, err
}

// lastBlocks looks up one block for each segment: the join names the order.
const lastBlocks = `SELECT b.segment, b.number, b.starts, b.ends, b.hash FROM call_segments s
	CROSS JOIN call_blocks b ON b.segment = s.id AND b.number = (SELECT max(number) FROM call_blocks WHERE segment = s.id)`

func selectCalls(ctx context.Context, tx *sql.Tx, beginnings []string) ([]state.CallSegment, error) {
	segments, at, err := selectCallSegments(ctx, tx)
	if err != nil {
		return nil, err
	}
	query, args := lastBlocks, []any(nil)
	if len(beginnings) > 0 {
		query = "SELECT segment, number, starts, ends, hash FROM call_blocks WHERE instr(words, ?)" + strings.Repeat(" AND instr(words, ?)", len(beginnings)-1) + " ORDER BY segment, number"
		for _, begin := range beginnings {
			args = append(args, []byte("\n"+begin))
		}
	}
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var b state.CallBlock
		if err := rows.Scan(&id, &b.Number, &b.Start, &b.End, sum{&b.Hash}); err != nil {
			return nil, &damage{err.Error()}
		}
		if i, ok := at[id]; ok {
			segments[i].Blocks = append(segments[i].Blocks, b)
		}
	}
	return segments, rows.Err()
}

// selectCallSegments is the segments without their blocks, and at which place the
// one of each id is.
func selectCallSegments(ctx context.Context, tx *sql.Tx) (segments []state.CallSegment, at map[int64]int, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id, file, size, changed, ends, begun, last, sound FROM call_segments ORDER BY file")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	at = map[int64]int{}
	for rows.Next() {
		var id int64
		var c state.CallSegment
		if err := rows.Scan(&id, &c.File, &c.Size, &c.Changed, &c.End, &c.Begun, &c.Last, &c.Sound); err != nil {
			return nil, nil, &damage{err.Error()}
		}
		at[id] = len(segments)
		segments = append(segments, c)
	}
	return segments, at, rows.Err()
}

// ChangeCalls implements state.CallIndex.
func (s *Store) ChangeCalls(ctx context.Context, c state.CallChange) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, file := range c.Gone {
			if err := forgetCalls(ctx, tx, file); err != nil {
				return err
			}
		}
		if c.Segment.File == "" {
			return nil
		}
		if c.Anew {
			if err := forgetCalls(ctx, tx, c.Segment.File); err != nil {
				return err
			}
		}
		id, err := putCallSegment(ctx, tx, &c)
		if err != nil {
			return err
		}
		for _, b := range c.Segment.Blocks {
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO call_blocks VALUES (?, ?, ?, ?, ?, ?)", id, b.Number, b.Start, b.End, sum{&b.Hash}, []byte(b.Words))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func forgetCalls(ctx context.Context, tx *sql.Tx, file string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM call_blocks WHERE segment = (SELECT id FROM call_segments WHERE file = ?)", file); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM call_segments WHERE file = ?", file)
	return err
}

// putCallSegment stores the row of a segment and returns its id.
func putCallSegment(ctx context.Context, tx *sql.Tx, c *state.CallChange) (id int64, err error) {
	g := &c.Segment
	var row *sql.Row
	if c.Anew {
		row = tx.QueryRowContext(ctx, "INSERT INTO call_segments (file, size, changed, ends, begun, last, sound) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
			g.File, g.Size, g.Changed, g.End, g.Begun, g.Last, g.Sound)
	} else {
		row = tx.QueryRowContext(ctx, "UPDATE call_segments SET size = ?, changed = ?, ends = ?, begun = ?, last = ?, sound = ? WHERE file = ? AND ends = ? RETURNING id",
			g.Size, g.Changed, g.End, g.Begun, g.Last, g.Sound, g.File, c.Was)
	}
	if err = row.Scan(&id); errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("%s: %w", g.File, state.ErrMoved)
	}
	return id, err
}
