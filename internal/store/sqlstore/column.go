package sqlstore

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// sum is a digest as a column: its text, "" for none.
type sum struct{ d *ext.Digest }

func (c sum) Value() (driver.Value, error) { return c.d.String(), nil }

func (c sum) Scan(v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a digest is %T", v)
	}
	return c.d.UnmarshalText([]byte(s))
}

// moment is a time as a column: RFC 3339 in UTC, "" for the zero time.
type moment struct{ t *time.Time }

func (c moment) Value() (driver.Value, error) {
	if c.t.IsZero() {
		return "", nil
	}
	return c.t.Format(time.RFC3339Nano), nil
}

func (c moment) Scan(v any) (err error) {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("a time is %T", v)
	}
	if s == "" {
		*c.t = time.Time{}
		return nil
	}
	*c.t, err = time.Parse(time.RFC3339Nano, s)
	return err
}

// lenient is a time of a row that is worth nothing alone: what is no time is one that is
// never right, so that who reads the row tells of it and the rest of the state is read.
type lenient struct{ moment }

var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

func (c lenient) Scan(v any) error {
	if c.moment.Scan(v) != nil {
		*c.t = never
	}
	return nil
}

// word is the like for a text that is never "".
type word struct{ s *string }

func (c word) Value() (driver.Value, error) { return *c.s, nil }

func (c word) Scan(v any) error {
	s, ok := v.(string)
	if *c.s = s; !ok || s == "" {
		*c.s = "(unreadable)"
	}
	return nil
}
