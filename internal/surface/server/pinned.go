package server

import (
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// runner is a program that starts a package by its name, and fetches it when it is
// not there.
type runner struct {
	command  string // and the arguments that make it one
	packages string // options that name the package, which is the first argument without them
	valued   string // other options with a value
	exact    *pattern.Pattern
}

// What names one version, and no other for ever.
var (
	exactNode   = pattern.New(`.@v?\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$|[@#][0-9a-f]{40}$`)
	exactPython = pattern.New(`(==\s*|.@)v?\d[0-9A-Za-z.!+-]*([,;\s]|$)|@[0-9a-f]{40}$`)
)

const (
	nodePackages = "-p --package"
	nodeValued   = "--registry --cache --userconfig -w --workspace"
	uvValued     = "--with -w -p --python --prerelease --index --index-url -i --default-index --extra-index-url"
)

var runners = []runner{
	{"npx", nodePackages, nodeValued, exactNode},
	{"npm exec", nodePackages, nodeValued, exactNode},
	{"npm x", nodePackages, nodeValued, exactNode},
	{"bunx", nodePackages, nodeValued, exactNode},
	{"bun x", nodePackages, nodeValued, exactNode},
	{"pnpx", nodePackages, nodeValued, exactNode},
	{"pnpm dlx", nodePackages, nodeValued, exactNode},
	{"yarn dlx", nodePackages, nodeValued, exactNode},
	{"uvx", "--from", uvValued, exactPython},
	{"uv tool run", "--from", uvValued, exactPython},
	{"pipx run", "--spec", "--python --pip-args --index-url -i", exactPython},
}

// checkPinned wants what is fetched at the start to be one version.
func checkPinned(e *surface.Entry[Server]) {
	words := append([]string{program(e.Value.Command)}, e.Value.Args...)
	if len(words) > 2 && words[0] == "cmd" && strings.EqualFold(words[1], "/c") {
		words = words[2:] // as it has to be started on Windows
		words[0] = program(words[0])
	}
	for _, r := range runners {
		command := strings.Fields(r.command)
		if len(words) < len(command) || !slices.Equal(words[:len(command)], command) {
			continue
		}
		if name := r.fetches(words[len(command):]); name != "" && !r.exact.MatchString(name) && !local(name) {
			e.Report(Unpinned, 0, "%s %s names no exact version", r.command, ext.Quote(ext.Shorten(name, 200)))
		}
		return
	}
}

// program is the name of a program, without the ending that it has on Windows.
func program(command string) string {
	name := path.Base(command)
	for _, ending := range []string{".cmd", ".exe"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// fetches is the package that a runner's arguments name, "" when they name none.
// Of several, which options name, it is the first that is not one version.
func (r *runner) fetches(args []string) string {
	named := ""
	for i := 0; i < len(args); i++ {
		option, value, attached := strings.Cut(args[i], "=")
		if !strings.HasPrefix(option, "-") {
			if named == "" {
				named = args[i]
			}
			return named
		}
		names := slices.Contains(strings.Fields(r.packages), option)
		if !names && !slices.Contains(strings.Fields(r.valued), option) {
			continue
		}
		if !attached && i+1 < len(args) {
			i++
			value = args[i]
		}
		if names && (named == "" || r.exact.MatchString(named)) {
			named = value
		}
	}
	return named
}

// local reports whether a package is what lies in a directory, of which a grant is.
func local(name string) bool {
	return strings.ContainsAny(name[:1], "./~") || strings.HasPrefix(name, surface.RootVariable)
}
