package colony

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func mustMigrate(t *testing.T, data []byte) *Migration {
	t.Helper()
	m, err := Migrate(data)
	if err != nil {
		t.Fatalf("Migrate: %v", err)
	}
	return m
}

// There is a step to every version that is read here but the first.
func TestSteps(t *testing.T) {
	if len(steps) != Version-1 {
		t.Errorf("got %d steps, want one to each of the versions 2 to %d", len(steps), Version)
	}
}

func TestMigrateFillsIn(t *testing.T) {
	for _, data := range [][]byte{with(), with(`"schema_version": 1`), with(`"extensions": null`), with(`"extensions": {}`)} {
		m := mustMigrate(t, data)
		if m.From != 1 || m.To != 2 || !m.Needed() || m.Manifest.Version != 2 || len(m.Manifest.Directories) != 6 {
			t.Fatalf("got %+v", m)
		}
		for s, dir := range m.Manifest.Directories {
			if dir != s.Default() {
				t.Errorf("%s: got %q, want the default", s, dir)
			}
		}
		var pointers []string
		for _, d := range m.Changes {
			pointers = append(pointers, d.Pointer)
		}
		if len(pointers) != 7 || !slices.IsSorted(pointers) || pointers[0] != "/extensions/agents/directory" || m.Changes[0].Value != `".colony/agents/"` {
			t.Errorf("got the changes %v", m.Changes)
		}
		again := mustMigrate(t, m.Data)
		if again.Needed() || again.Changes != nil || !bytes.Equal(again.Data, m.Data) {
			t.Errorf("again: got %+v, want nothing to do", again)
		}
	}
}

// What a manifest of version 1 says is kept: its own directories too, which the system
// before puts back to the defaults, and keys of nested parts, which that drops.
func TestMigrateKeeps(t *testing.T) {
	data := with(`"extensions": {"tools": {"directory": "vendor/tools"}, "agents": {"directory": "../out"}}`, `"lfs": {"mode": "disabled", "later": [1.0, {"b": 1, "a": 2}]}`,
		`"webhook": {"enabled": true}`, `"agent_email_domain": "d.org"`, `"protected_branches": []`)
	m := mustMigrate(t, data)
	was, now := mustRead(t, data), m.Manifest
	if now.Directories[Tools] != "vendor/tools" || now.Directories[Agents] != "../out" || now.Directories[Missions] != Missions.Default() {
		t.Errorf("got %v", now.Directories)
	}
	was.Version, was.Directories, was.lines = now.Version, now.Directories, now.lines
	if !reflect.DeepEqual(was, now) {
		t.Errorf("got %+v, want %+v", now, was)
	}
	if text := string(m.Data); !strings.Contains(text, "1.0,") || strings.Contains(text, "default_branch") || !strings.HasSuffix(text, "\n}\n") {
		t.Errorf("got\n%s, want what was written, and nothing that was not", text)
	}
}

func TestMigrateFaults(t *testing.T) {
	for _, data := range []string{"", "{}", "[]", `{"schema_version": 3}`} {
		if _, err := Migrate([]byte(data)); err == nil || ext.KindOf(err) != ext.Failed {
			t.Errorf("%q: got %v, want an error", data, err)
		}
	}
}

// FuzzRead: whatever is read is written so that it is read again as the same, and what is
// migrated is of the version of this build and loses nothing.
func FuzzRead(f *testing.F) {
	for _, s := range [][]byte{with(), with(`"schema_version": 2`, `"extensions": {"tools": {"directory": "x"}}`), with(`"lfs": {"x": [1e9, null, {"\u2028": "\ud83d\ude00"}]}`), []byte("{"), []byte("\ufeff{}")} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(data)
		if err != nil {
			return
		}
		again, err := Read(m.Encode())
		if err != nil {
			t.Fatalf("read again: %v", err)
		}
		if !bytes.Equal(m.Encode(), again.Encode()) {
			t.Fatalf("got\n%s\nand then\n%s", m.Encode(), again.Encode())
		}
		for _, s := range Surfaces {
			m.Directory(s)
		}
		moved, err := Migrate(data)
		if err != nil {
			t.Fatalf("migrate: %v", err)
		}
		last := mustMigrate(t, moved.Data)
		if last.Needed() || !bytes.Equal(last.Data, moved.Data) {
			t.Fatalf("it is not migrated for good:\n%s", moved.Data)
		}
	})
}
