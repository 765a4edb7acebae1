package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// Ways to open a database. They stand in the connection string, because every
// connection of a pool needs them. None of them creates a file: create does.
const (
	writing = "mode=rw&_txlock=immediate&_busy_timeout=5000&_journal_mode=WAL&_synchronous=NORMAL"
	reading = "mode=rw&_busy_timeout=5000&_synchronous=NORMAL&_query_only=1"  // the last to close tidies the log, which mode=ro cannot
	probing = "mode=rw&_txlock=immediate&_busy_timeout=0&_synchronous=NORMAL" // writes nothing, but takes the lock of who does, or fails at once
	looking = "mode=ro&_busy_timeout=5000"                                    // needs the log's index file beside the database
	still   = "mode=ro&immutable=1"                                           // takes no lock and makes no file
	making  = "mode=rwc&_txlock=immediate&_journal_mode=WAL"
)

// connect returns a pool of at most n connections to the database at path. It
// opens none yet.
func connect(path, how string, n int) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn(path, how))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(&dialer{Connector: c, path: path})
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// dsn escapes path, which may hold any character.
func dsn(path, how string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/…
	}
	return (&url.URL{Scheme: "file", Path: p}).String() + "?" + how
}

// transact runs f in a transaction: committed when f returns nil, else undone,
// also when f panics.
func transact(ctx context.Context, db *sql.DB, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err = f(tx); err == nil {
		err = tx.Commit()
	}
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err() // the end of ctx undid the transaction under f
	}
	return err
}
