package prepare_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/prepare"
)

var (
	step    = ext.Sum([]byte("step"))
	content = ext.Sum([]byte("content"))
	other   = ext.Sum([]byte("other"))
)

func place(t *testing.T) (prepare.Store, string) {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data", "acme")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	return prepare.Store{Dir: filepath.Join(dir, "setup")}, data
}

func put(t *testing.T, s prepare.Store, data, name string, o prepare.Outcome) {
	t.Helper()
	h, err := s.Hold(t.Context(), data, func() { t.Error("somebody else runs steps, want nobody") })
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	if err := h.Put(name, o); err != nil {
		t.Fatal(err)
	}
}

func states(t *testing.T, s prepare.Store, data string) string {
	t.Helper()
	all, err := s.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range []string{"a", "b"} {
		o := all[name]
		out = append(out, string(o.Of(step, content)))
	}
	return strings.Join(out, " ")
}

// TestOutcomes wants an outcome to be of one step, one content and one directory.
func TestOutcomes(t *testing.T) {
	s, data := place(t)
	if got := states(t, s, data); got != "due due" {
		t.Errorf("at first: got %s", got)
	}
	put(t, s, data, "a", prepare.Outcome{Digest: step, Content: content, State: prepare.Begun})
	if got := states(t, s, data); got != "due due" {
		t.Errorf("begun: got %s, want it due: nobody saw it end", got)
	}
	put(t, s, data, "a", prepare.Outcome{Digest: step, Content: content, State: prepare.Done})
	put(t, s, data, "b", prepare.Outcome{Digest: step, Content: content, State: prepare.Failed})
	if got := states(t, s, data); got != "done failed" {
		t.Errorf("ended: got %s", got)
	}
	if all, err := s.Load(filepath.Join(filepath.Dir(data), "another")); err != nil || len(all) > 0 {
		t.Errorf("another directory: got %v, %v, want nothing", all, err)
	}

	// What was run for another content may have overwritten all.
	put(t, s, data, "b", prepare.Outcome{Digest: step, Content: other, State: prepare.Done})
	if got := states(t, s, data); got != "due due" {
		t.Errorf("after another content: got %s", got)
	}

	// A directory that was removed takes along what was known of it, also where another
	// one has its place.
	put(t, s, data, "a", prepare.Outcome{Digest: step, Content: content, State: prepare.Done})
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, s, data, "b", prepare.Outcome{Digest: step, Content: content, State: prepare.Done})
	if got := states(t, s, data); got != "due done" {
		t.Errorf("removed and made again: got %s", got)
	}
	if err := s.Purge(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	if got := states(t, s, data); got != "due due" {
		t.Errorf("purged: got %s", got)
	}
	if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
		t.Errorf("purged: got %v, %v, want nothing left", left, err)
	}
}

// TestDamagedOutcomes wants what cannot be read to be an error, and the next run to mend it.
func TestDamagedOutcomes(t *testing.T) {
	s, data := place(t)
	put(t, s, data, "a", prepare.Outcome{Digest: step, Content: content, State: prepare.Done})
	if err := os.WriteFile(filepath.Join(s.Dir, "acme.json"), []byte(`{"mark": 1`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(data); err == nil {
		t.Error("Load of a damaged file: got no error, want one")
	}
	put(t, s, data, "b", prepare.Outcome{Digest: step, Content: content, State: prepare.Done})
	if got := states(t, s, data); got != "due done" {
		t.Errorf("after the next run: got %s", got)
	}
}

// TestLog wants the first and the last of an output to be kept, however much there is.
func TestLog(t *testing.T) {
	var also bytes.Buffer
	l := prepare.NewLog(&also)
	for range 100_000 {
		if n, err := l.Write([]byte("a line of it\n")); n != 13 || err != nil {
			t.Fatalf("Write: got %d, %v", n, err)
		}
	}
	if _, err := l.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	_, _ = l.Write([]byte("\nthe end\n"))
	kept := l.Bytes()
	if len(kept) > 70<<10 || !bytes.HasPrefix(kept, []byte("a line of it\n")) || !bytes.HasSuffix(kept, []byte("\nthe end\n")) || !bytes.Contains(kept, []byte("bytes are left out")) {
		t.Errorf("Bytes: got %d bytes, want few: the first, the last, and that some are left out", len(kept))
	}
	if also.Len() < 1<<20 {
		t.Errorf("passed on: got %d bytes, want all", also.Len())
	}
	if got := prepare.Last([]byte("one\n\n two \nthree"), 2); strings.Join(got, "|") != "two|three" {
		t.Errorf("Last: got %q", got)
	}
}

// TestMissing wants what a package manager would install to be named, with a command that
// writes into the data directory alone.
func TestMissing(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing", nil, ""},
		{"no dependencies", map[string]string{"package.json": `{"devDependencies": {"a": "1"}}`}, ""},
		{"npm with a lock", map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, "package-lock.json": "{}"}, "mkdir -p DATA && cp ROOT/package.json ROOT/package-lock.json DATA && npm ci --omit=dev --prefix DATA"},
		{"npm without", map[string]string{"package.json": `{"dependencies": {"a": "1"}}`}, "mkdir -p DATA && cp ROOT/package.json DATA && npm install --omit=dev --prefix DATA"},
		{"installed beside", map[string]string{"package.json": `{"dependencies": {"a": "1"}}`, "node_modules/a/index.js": ""}, ""},
		{"no JSON", map[string]string{"package.json": `{"dependencies": `}, ""},
		{"pip", map[string]string{"requirements.txt": "# a\n\nrequests==2\n"}, "mkdir -p DATA && python3 -m venv DATA/.venv && DATA/.venv/bin/pip install -r ROOT/requirements.txt"},
		{"no requirements", map[string]string{"requirements.txt": "# none\n"}, ""},
		{"uv", map[string]string{"uv.lock": "", "pyproject.toml": "[project]\nname = \"a\"\n", "requirements.txt": "a\n"}, "mkdir -p DATA && UV_PROJECT_ENVIRONMENT=DATA/.venv uv sync --frozen --no-dev --no-install-project --project ROOT"},
		{"a project", map[string]string{"pyproject.toml": "[project]\ndependencies = [\"requests\"]\n"}, "mkdir -p DATA && uv venv DATA/.venv && uv pip install --python DATA/.venv -r ROOT/pyproject.toml"},
		{"a project of none", map[string]string{"pyproject.toml": "[tool.black]\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				at := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			data := filepath.Join(t.TempDir(), "it's", "acme")
			var got []string
			for _, u := range prepare.Missing(dir, data) {
				command := strings.ReplaceAll(u.Command, `'\''`, "QUOTE")
				quoted := strings.ReplaceAll(data, "'", "QUOTE")
				for _, end := range []string{"/.venv/bin/pip", "/.venv", ""} {
					command = strings.ReplaceAll(command, "'"+quoted+end+"'", "DATA"+end)
				}
				got = append(got, strings.ReplaceAll(command, dir, "ROOT"))
			}
			if text := strings.Join(got, "\n"); text != c.want && filepath.Separator == '/' {
				t.Errorf("Missing: got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}
