// Package setup is the surface for commands that prepare what a plugin depends on.
package setup

import (
	"path"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Setup is one set-up step. It runs once for a content of its plugin, when its person
// consented, in the plugin's own data directory, and with no shell.
type Setup struct {
	surface.Step
	Raw ext.Doc
}

// Prepares is the step.
func (s Setup) Prepares() surface.Step { return s.Step }

// Consents is what a person consents to who lets it run.
func (s Setup) Consents() string { return s.String() + "; once, in " + surface.DataVariable }

const (
	usual = 10 * time.Minute
	most  = time.Hour
)

// Surface is the setup surface.
var Surface = surface.Define(surface.Def[Setup]{
	Name:     "setup",
	Doc:      "Commands that prepare a plugin's dependencies, run once its person consented.",
	Consumer: "`mortise trust` runs them after its person consented, `mortise plugin setup` at any time: without a shell, one after the other as they are listed, in the plugin's data directory, once for each content of the plugin. Nothing else runs them. A manifest of Agent Plugins may hold them as a list, `extensions.\"dev.mortise\".setup`.",
	Dir:      "setup",
	Files:    "*.json",
	Needs:    ext.Plugin,
	Merge:    surface.Namespaced,
	Whole:    true,
	Runs:     true,
	Nested:   true,
	Fields:   fields,
	Checks:   []*ext.Check{Step, Command, Placeholder, Limit},
	Read:     read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "What it goes by, in a manifest; elsewhere the file's name is it."},
	{Name: "description", Type: surface.Text, Max: 1024, Doc: "What it prepares; shown to people."},
	{Name: "command", Type: surface.Text, Required: true, Doc: "What to start, one token: a bare name or ./… below the root. Never a shell line, never expanded."},
	{Name: "args", Type: surface.Any, Doc: "Its arguments, a list of texts; ${PLUGIN_ROOT} and ${PLUGIN_DATA} are replaced."},
	{Name: "env", Type: surface.Object, Doc: "Further variables of its environment; values are expanded like args."},
	{Name: "timeout", Type: surface.Integer, Doc: "After how many seconds it is ended: 600 unless it says, at most 3600."},
}

// Checks on set-up steps.
var (
	Step = &ext.Check{
		Code: "setup-step", Severity: ext.Error,
		Doc: "A set-up step holds a key that is not known, or a value that does not fit.",
		Fix: "Give command, args, env, timeout and description, and nothing else.",
	}
	Command = &ext.Check{
		Code: "setup-command", Severity: ext.Error,
		Doc: "The command of a set-up step is not one token, a bare name or a file of the plugin's that begins with ./, or the file is not there.",
		Fix: "Put the program in \"command\" and each argument in \"args\"; where a shell is needed, start a script of the plugin's.",
	}
	Placeholder = &ext.Check{
		Code: "setup-placeholder", Severity: ext.Error,
		Doc: "A set-up step holds a placeholder that nothing stands for.",
		Fix: "Use ${PLUGIN_ROOT} and ${PLUGIN_DATA}; what else is needed, a script of the plugin's reads from its environment.",
	}
	Limit = &ext.Check{
		Code: "setup-timeout", Severity: ext.Error,
		Doc: "The timeout of a set-up step is not between 1 and 3600 seconds.",
		Fix: "Write a number of seconds within that, or leave it out.",
	}
)

func read(d surface.Document, e *surface.Entry[Setup]) {
	v := surface.ReadStrict(d, fields, e, Step)
	s := &e.Value
	s.Raw = d.Doc
	s.Command, s.Limit = v.Text("command"), usual
	if c := v.Doc("command"); c != nil && c.Kind != ext.String {
		e.Report(Step, c.Line, "key command must be text, found %s", c.Kind)
	}
	readArgs(v.Doc("args"), e)
	readEnv(v.Doc("env"), e)
	if t := v.Doc("timeout"); t != nil {
		seconds := v.Integer("timeout", 0)
		if s.Limit = time.Duration(seconds) * time.Second; seconds < 1 || seconds > int(most/time.Second) {
			e.Report(Limit, t.Line, "the timeout is %s", ext.Quote(ext.Shorten(t.Text, 40)))
		}
	}
	checkCommand(d, v.Doc("command"), e)
	if e.Description = v.Text("description"); e.Description == "" {
		e.Description = strings.Join(append([]string{s.Command}, s.Args...), " ")
	}
}

func readArgs(d *ext.Doc, e *surface.Entry[Setup]) {
	if d == nil {
		return
	}
	if d.Kind != ext.List {
		e.Report(Step, d.Line, "key args must be a list of texts, found %s", d.Kind)
		return
	}
	for i := range d.List {
		a := &d.List[i]
		if a.Kind != ext.String || strings.ContainsRune(a.Text, 0) {
			e.Report(Step, a.Line, "argument %d is no text that a process can be given", i+1)
			continue
		}
		checkPlaceholders(a, e)
		e.Value.Args = append(e.Value.Args, a.Text)
	}
}

func readEnv(d *ext.Doc, e *surface.Entry[Setup]) {
	if d == nil {
		return
	}
	for i := range d.Map {
		p := &d.Map[i]
		switch {
		case p.Value.Kind != ext.String:
			e.Report(Step, p.Value.Line, "the variable %s must be text, found %s", ext.Quote(ext.Shorten(p.Key, 80)), p.Value.Kind)
		case p.Key == "PLUGIN_ROOT" || p.Key == "PLUGIN_DATA":
			e.Report(Step, p.Line, "%s is set by the host", p.Key)
		case p.Key == "" || strings.ContainsAny(p.Key, "=\x00") || strings.ContainsRune(p.Value.Text, 0):
			e.Report(Step, p.Line, "%s is no variable that a process can be given", ext.Quote(ext.Shorten(p.Key, 80)))
		default:
			checkPlaceholders(&p.Value, e)
			e.Value.Env = append(e.Value.Env, surface.Variable{Name: p.Key, Value: p.Value.Text})
		}
	}
}

var placeholder = pattern.New(`\$\{[^}]*\}`)

func checkPlaceholders(d *ext.Doc, e *surface.Entry[Setup]) {
	for _, p := range placeholder.FindAllString(d.Text, -1) {
		if p != surface.RootVariable && p != surface.DataVariable {
			e.Report(Placeholder, d.Line, "nothing stands for %s", ext.Quote(ext.Shorten(p, 80)))
		}
	}
}

// checkCommand holds a command to one token: a bare name, which the search of the system
// finds, or a file below the root.
func checkCommand(d surface.Document, at *ext.Doc, e *surface.Entry[Setup]) {
	if at == nil || at.Kind != ext.String || e.Value.Command == "" {
		return
	}
	c := e.Value.Command
	below, own := strings.CutPrefix(c, "./")
	switch {
	case own && leaves(below):
		e.Report(Command, at.Line, "the command %s leaves the plugin's root", ext.Quote(c))
	case own:
		checkFile(d, c, at.Line, e)
	case c == "." || c == ".." || strings.ContainsAny(c, "/\\ \t\r\n\x00\"'|&;<>$`"):
		e.Report(Command, at.Line, "the command %s is neither a bare name nor a path beginning with ./", ext.Quote(ext.Shorten(c, 200)))
	}
}

// checkFile wants a file of the plugin's to be there, where somebody looked.
func checkFile(d surface.Document, c string, line int, e *surface.Entry[Setup]) {
	switch got, looked := d.Refs[c]; {
	case !looked || got == surface.File:
	case got == surface.Outside:
		e.Report(Command, line, "%s leads outside the plugin's root through a link", ext.Quote(c))
	default:
		e.Report(Command, line, "there is no file at %s", ext.Quote(c))
	}
}

func leaves(p string) bool {
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	return clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || path.IsAbs(clean)
}
