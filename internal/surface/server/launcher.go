package server

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// launcher is a program that starts a published package by its name.
type launcher struct {
	command string // and the arguments that make it one
	// options are those that may stand before the package; "=" after one says that
	// a value follows. Any other could name a directory, or a shell line. "*" allows
	// all: what they name lies in a container.
	options string
	// schemes, where there are any, are what a package must begin with, since
	// anything else is a file.
	schemes []string
	// local: the package is looked for in the directory first (Beside).
	local bool
}

var launchers = []launcher{
	{command: "npx", options: "-y --yes -q --quiet -p= --package=", local: true},
	{command: "bunx", options: "--bun --silent -p= --package=", local: true},
	{command: "pnpx", options: "-s --silent --package=", local: true},
	{command: "pnpm dlx", options: "-s --silent --package=", local: true},
	{command: "uvx", options: uvxOptions},
	{command: "uv tool run", options: uvxOptions},
	{command: "pipx run", options: "-q --quiet --no-cache --spec= --python="},
	{command: "docker run", options: "*"},
	{command: "podman run", options: "*"},
	{command: "deno run", options: "-A --allow-all --allow-env --allow-net --allow-read --allow-write --allow-run --allow-sys -q --quiet -r --reload --no-prompt --no-lock", schemes: []string{"npm:", "jsr:", "https:"}, local: true},
}

const uvxOptions = "-q --quiet -n --no-cache --isolated --refresh -U --upgrade --from= --with= -p= --python= --prerelease="

// Beside are names in an extension's directory by which that answers for a
// package instead of its publisher: what is installed there, what lies there
// itself, and where the packages come from.
var Beside = []string{
	"node_modules", "package.json", ".npmrc", "pnpm-workspace.yaml", "bunfig.toml", "deno.json", "deno.jsonc",
}

// answers reports whether the extension's directory could answer for the package
// that a declaration starts. Where nobody looked it could.
func answers(d *surface.Document, node *ext.Doc) bool {
	var args []string
	if list := node.Get("args"); list != nil {
		for i := range list.List {
			args = append(args, list.List[i].Text)
		}
	}
	l, _ := launches(node.Word("command"), args)
	return l != nil && l.local && slices.ContainsFunc(Beside, func(name string) bool {
		what, looked := d.Beside[name]
		return !looked || what != surface.Missing
	})
}

// published reports whether a process is a published package that a launcher
// starts, wherever the declaration stands.
func (s *Server) published() bool {
	l, rest := launches(s.Command, s.Args)
	if l == nil || s.Cwd != "" || !l.starts(rest) || slices.ContainsFunc(s.Args, depends) {
		return false
	}
	return !slices.ContainsFunc(s.Env, func(p Pair) bool { return strings.EqualFold(p.Name, "PATH") || depends(p.Value) })
}

// launches is the launcher that a command is, and what it is given; nil for any
// other program.
func launches(command string, args []string) (l *launcher, rest []string) {
	for i := range launchers {
		words := strings.Fields(launchers[i].command)
		if n := len(words) - 1; command == words[0] && n <= len(args) && slices.Equal(args[:n], words[1:]) {
			return &launchers[i], args[n:]
		}
	}
	return nil, nil
}

// starts reports whether the arguments are options that are known, then a
// package, and then what the package is given.
func (l *launcher) starts(args []string) bool {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, _, valued := strings.Cut(args[0], "=")
		switch options := strings.Fields(l.options); {
		case l.options == "*", slices.Contains(options, name) && (!valued || strings.HasPrefix(name, "--allow-")):
			args = args[1:]
		case slices.Contains(options, name+"=") && valued:
			args = args[1:]
		case slices.Contains(options, name+"=") && len(args) > 1:
			args = args[2:]
		default:
			return false
		}
	}
	if len(args) == 0 || slices.ContainsFunc(args, isProgram) {
		return false
	}
	return len(l.schemes) == 0 || slices.ContainsFunc(l.schemes, func(s string) bool { return strings.HasPrefix(args[0], s) })
}

// programs run what lies in the directory where they are started, or are followed
// by something that does.
var programs = strings.Fields("-- sh bash zsh cmd node tsx ts-node jiti nodemon npm npx pnpm pnpx yarn bun bunx deno python python3 uv uvx pipx make just cargo go java ruby php perl dotnet")

func isProgram(arg string) bool {
	if at := strings.LastIndexByte(arg, '@'); at > 0 {
		arg = arg[:at] // its version
	}
	return slices.Contains(programs, arg)
}

// depends reports whether a value means something else wherever it stands: a
// variable, a shell line, a path, or the directories that every process is told.
func depends(value string) bool {
	return strings.ContainsAny(value, "$` \t\r\n") || strings.Contains(value, "PLUGIN_ROOT") || strings.Contains(value, "PLUGIN_DATA") || place(value)
}

// address is an absolute address in a value.
var address = pattern.New(`[A-Za-z][A-Za-z0-9+.-]*://[^,]*`)

// place reports whether a value is a path, or has one in it: relative, absolute,
// in the home directory, or as a file's address. Other addresses are none.
func place(value string) bool {
	for _, a := range address.FindAllString(value, -1) {
		if scheme, _, _ := strings.Cut(a, "://"); strings.HasSuffix(strings.ToLower(scheme), "file") {
			return true
		}
	}
	value = address.ReplaceAllString(value, "")
	return strings.Contains(value, "./") || slices.ContainsFunc(strings.FieldsFunc(value, between), func(part string) bool {
		return strings.ContainsAny(part[:1], `./\~`)
	})
}

// between is what may stand before a path in a value.
func between(r rune) bool { return strings.ContainsRune("=,;:@", r) }
