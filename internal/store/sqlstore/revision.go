package sqlstore

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// outside is what a database looks like from the outside. A commit writes into
// the log, and a checkpoint into both; the log's index is mapped into memory,
// and shows nothing.
type outside struct{ db, log look }

// known is a revision and what the files looked like when it was the last.
type known struct {
	path, log string
	seen      outside
	revision  uint64
	looked    atomic.Int64 // when the database itself was looked at last, in ns since 1970
}

// holds reports whether the files look as they did. Each commit shows in the log, which
// is looked at each time; that the database is another file altogether shows soon.
func (k *known) holds() bool {
	if lookAt(k.log) != k.seen.log {
		return false
	}
	now := time.Now().UnixNano()
	if since := now - k.looked.Load(); since >= 0 && since < int64(soon) {
		return true
	}
	if lookAt(k.path) != k.seen.db {
		return false
	}
	k.looked.Store(now)
	return true
}

// soon is when it shows at last that somebody put another database into the place of one.
const soon = 100 * time.Millisecond

// How much older than the look at it a change must be for the next one to be
// sure to show: file systems count in ticks, and some in whole seconds.
const (
	settled       = 50 * time.Millisecond
	settledCoarse = 3 * time.Second
)

// Revision implements state.Revisioned. While the files look from the outside
// as they did, it does not ask SQLite.
func (s *Store) Revision(ctx context.Context) (uint64, error) {
	if s.view != nil {
		return s.view.Revision(ctx)
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if k := s.known.Load(); k != nil && k.holds() {
		return k.revision, nil
	}
	return s.ask(ctx)
}

// ask asks SQLite for the revision, and remembers it where that is safe: when
// no change that was made since the look can look the same, and when there was
// no commit in between that had written into the log and not yet into its
// index, so that it was seen on the outside and not by the query.
func (s *Store) ask(ctx context.Context) (uint64, error) {
	now := s.clock()
	k := &known{path: s.path, log: logOf(s.path)}
	k.seen = lookAtBoth(k.path, k.log)
	if k.seen.settledAt(now) {
		err := transact(ctx, s.prober, nil, func(tx *sql.Tx) error {
			return tx.QueryRowContext(ctx, selectRevision).Scan(&k.revision)
		})
		if err == nil {
			s.known.Store(k)
			return k.revision, nil
		} // else there is a commit under way, or there will be the same error
	}
	var revision uint64
	err := s.readers.QueryRowContext(ctx, selectRevision).Scan(&revision)
	return revision, explain(s.path, err)
}

func lookAtBoth(path, log string) outside { return outside{db: lookAt(path), log: lookAt(log)} }

// settledAt reports whether both files are there and a change of either after
// now, the time of stampClock before the look, is sure to look different.
func (o *outside) settledAt(now int64) bool {
	return o.db.settledAt(now) && o.log.settledAt(now)
}

func (l *look) settledAt(now int64) bool {
	age, at := settled, l.changed()
	if at%int64(10*time.Millisecond) == 0 {
		age = settledCoarse
	}
	return l.there() && at < now-int64(age)
}

// logOf is where SQLite keeps the log of the database at path: beside the file
// itself where path is a link.
func logOf(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	return path + "-wal"
}

// Files is the paths whose change on the outside (size, times, or which file
// it is) tells that the state may have moved, and without which it has not:
// for who watches. The files need not be there.
func (s *Store) Files() []string {
	log := logOf(s.path)
	return slices.Compact([]string{s.path, log[:len(log)-len("-wal")], log})
}
