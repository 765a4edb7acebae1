package child

import (
	"bytes"
	"errors"
	"io/fs"
	"reflect"
	"testing"
	"time"
)

func TestExitSaysHow(t *testing.T) {
	for _, c := range []struct {
		exit Exit
		want string
	}{
		{Exit{}, "exit code 0"},
		{Exit{Code: 3}, "exit code 3"},
		{Exit{Code: -1, Signal: "SIGKILL"}, "killed by SIGKILL"},
		{Exit{Code: -1, Err: &startError{"/x", fs.ErrNotExist}}, "could not start: file does not exist"},
		{Exit{Code: -1, Err: errors.New("it was not seen")}, "it was not seen"},
		{Exit{Stragglers: 1}, "exit code 0; 1 process more had to be ended"},
		{Exit{Code: -1, Signal: "SIGTERM", Stragglers: 2}, "killed by SIGTERM; 2 processes more had to be ended"},
	} {
		if got := c.exit.String(); got != c.want {
			t.Errorf("String of %+v: %q, want %q", c.exit, got, c.want)
		}
	}
}

func TestOrderArrivesAsItWasGiven(t *testing.T) {
	for _, want := range []order{
		{path: "/bin/x", args: []string{}, env: []string{}},
		{path: "/bin/x", dir: "/d", grace: time.Minute, mark: 1 << 60, args: []string{"", "a b", "\xff\n"}, env: []string{"A=", "=", ""}},
	} {
		sent := want.encode()
		got, err := readOrder(bytes.NewReader(sent))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("readOrder: %+v (%v), want %+v", got, err, want)
		}
		for cut := range sent {
			if _, err := readOrder(bytes.NewReader(sent[:cut])); err == nil {
				t.Errorf("readOrder of the first %d bytes of %d: no error", cut, len(sent))
			}
		}
	}
}
