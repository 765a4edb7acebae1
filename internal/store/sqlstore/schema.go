package sqlstore

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strconv"
)

// application marks a SQLite file as ours: "mrts".
const application = 0x6d727473

//go:embed schema/1.sql
var schema1 string

//go:embed schema/2.sql
var schema2 string

//go:embed schema/3.sql
var schema3 string

//go:embed schema/4.sql
var schema4 string

//go:embed schema/5.sql
var schema5 string

//go:embed schema/6.sql
var schema6 string

//go:embed schema/7.sql
var schema7 string

//go:embed schema/8.sql
var schema8 string

//go:embed schema/9.sql
var schema9 string

//go:embed schema/10.sql
var schema10 string

// schema is the migrations in order. The number of them that a file has seen
// is its user_version.
func schema() []string {
	return []string{schema1, schema2, schema3, schema4, schema5, schema6, schema7, schema8, schema9, schema10}
}

// schemaOf is how many migrations the database has seen: 1 at least. A
// database that is not ours is an error.
func schemaOf(ctx context.Context, tx *sql.Tx) (int, error) {
	var version, app, objects int
	err := tx.QueryRowContext(ctx, `SELECT
		(SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&version, &app, &objects)
	switch {
	case err != nil:
		return 0, err
	case app == application && version > 0:
		return version, nil
	case objects == 0:
		return 0, &damage{"there is nothing in the file"}
	}
	return 0, errForeign
}

// migrate takes a database that has seen from migrations through the rest.
func migrate(ctx context.Context, tx *sql.Tx, steps []string, from int) error {
	for i, step := range steps[min(from, len(steps)):] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", from+i+1, err)
		}
	}
	_, err := tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(len(steps)))
	return err
}
