package cli

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
)

// A document that is looked at in a terminal must not command it, and a reader
// of JSON must get the exact value all the same.
func TestDocumentHidesNothingAndMeansTheSame(t *testing.T) {
	const text = "a\x1b[2K\u009b\u202e\U000E0041\u200b\x7f<&>é漢🙂\u2028"
	c := &call{App: &App{}}
	if err := c.document(map[string]string{"k": text}); err != nil {
		t.Fatal(err)
	}
	for _, r := range strings.ReplaceAll(c.out.String(), "\n", "") {
		if ext.Hidden(r) {
			t.Errorf("document: got %q in it, want it escaped", r)
		}
	}
	var got map[string]string
	if err := json.Unmarshal(c.out.Bytes(), &got); err != nil || got["k"] != text {
		t.Errorf("document read back: got %q, error %v, want %q", got["k"], err, text)
	}
	if !strings.Contains(c.out.String(), "<&>é漢🙂") || !strings.HasSuffix(c.out.String(), "}\n") {
		t.Errorf("document: got %q, want visible text as it is and a line end", c.out.String())
	}
}

func TestTable(t *testing.T) {
	rows := table{}
	rows.row(cell{"a", nil}, cell{"", nil}, cell{"漢字 and a long description that goes on", nil})
	rows.row(cell{"longer", nil}, cell{"", nil}, cell{"short", nil})
	for name, c := range map[string]struct {
		width int
		want  string
	}{
		"no limit":        {0, "  a       漢字 and a long description that goes on|  longer  short"},
		"shortened":       {30, "  a       漢字 and a long des…|  longer  short"},
		"never to naught": {5, "  a   漢字 and a long des…|  l…  short"},
	} {
		if got := strings.Join(rows.lines(c.width), "|"); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// The last cell of rows that do not fit moves to a line of its own; nothing of
// it is cut.
func TestTableFolds(t *testing.T) {
	c := &call{App: &App{}}
	rows := table{}
	rows.row(cell{"name", nil}, cell{"2 skills, 1 agent, 1 command", nil})
	rows.folded(&page{call: c, width: 20})
	if want := "  name\n    2 skills, 1 agent, 1 command\n"; c.out.String() != want {
		t.Errorf("folded: got %q, want %q", c.out.String(), want)
	}
}

// Who asks for colours is heard in this order: the flag, NO_COLOR, the
// configuration, and last what standard output is.
func TestStyle(t *testing.T) {
	for name, c := range map[string]struct {
		flag, config string
		env          []string
		terminal     bool
		want         bool
	}{
		"terminal":               {config: "auto", terminal: true, want: true},
		"no terminal":            {config: "auto"},
		"dumb terminal":          {config: "auto", terminal: true, env: []string{"TERM=dumb"}},
		"NO_COLOR":               {config: "auto", terminal: true, env: []string{"NO_COLOR=1"}},
		"NO_COLOR empty":         {config: "auto", terminal: true, env: []string{"NO_COLOR="}, want: true},
		"configured":             {config: "always", want: true},
		"configured off":         {config: "never", terminal: true},
		"NO_COLOR over config":   {config: "always", env: []string{"NO_COLOR=1"}},
		"flag over NO_COLOR":     {flag: "always", config: "never", env: []string{"NO_COLOR=1"}, want: true},
		"flag auto over config":  {flag: "auto", config: "always"},
		"flag off in a terminal": {flag: "never", config: "always", terminal: true},
	} {
		cfg := &config.Config{}
		cfg.Output.Color = c.config
		got := (&call{App: &App{Env: c.env, Terminal: c.terminal}, color: c.flag}).style(cfg)
		if got.on != c.want {
			t.Errorf("%s: got colours %v, want %v", name, got.on, c.want)
		}
	}
}

// A command that a person is told to type must be one word per name in any
// shell.
func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"owner:deploy": "owner:deploy", "a b": "'a b'", "": "''", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "é": "'é'", "x\x1b": `'x\x1b'`,
	} {
		if got := word(in); got != want {
			t.Errorf("word(%q): got %s, want %s", in, got, want)
		}
	}
}

// Paths are written as a person at the current directory would write them, so
// that they can be copied and clicked.
func TestShown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	c := &call{App: &App{Dir: "/home/ada/ledger/docs"}}
	for in, want := range map[string]string{
		"/home/ada/ledger/docs/a.md":  "a.md",
		"/home/ada/ledger/plugins/x":  "../plugins/x",
		"/etc/mortise/managed.toml":   "/etc/mortise/managed.toml",
		"/home/ada/ledger/docs/\x1b":  `\x1b`,
		"/home/ada/ledger/docs":       ".",
		"/home/eve/other/repo/a/b.md": "/home/eve/other/repo/a/b.md",
	} {
		if got := c.shown(in); got != want {
			t.Errorf("shown(%q): got %s, want %s", in, got, want)
		}
	}
}
