package sqlstore

import (
	"context"
	"database/sql/driver"
	"fmt"
)

// dialer opens connections that are given up once the file at path is another
// one, or gone. SQLite would go on with the file that it has open.
type dialer struct {
	driver.Connector
	path string
}

// Connect implements driver.Connector.
func (d *dialer) Connect(ctx context.Context) (driver.Conn, error) {
	file := lookAt(d.path)
	c, err := d.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	full, ok := c.(connection)
	if !ok {
		return nil, fmt.Errorf("the SQLite driver's connection is a %T, which cannot do all that is needed", c)
	}
	return &conn{connection: full, path: d.path, file: file}, nil
}

// connection is all that database/sql asks of one.
type connection interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is a connection to file, which was at path when it was opened.
type conn struct {
	connection
	path string
	file look
}

// ResetSession implements driver.SessionResetter: it is called before each use
// but the first.
func (c *conn) ResetSession(ctx context.Context) error {
	if now := lookAt(c.path); !now.is(&c.file) {
		return driver.ErrBadConn // let database/sql open another
	}
	return c.connection.ResetSession(ctx)
}
