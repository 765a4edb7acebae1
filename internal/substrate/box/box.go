// Package box says what the container of an agent is made with: variables, mounts and
// volumes that hooks answered, each looked at before it is handed on. It starts nothing.
package box

import (
	"context"
	"maps"
	"path"
	"regexp"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/hook/box"
	"github.com/mortise-dev/mortise/internal/plan"
)

// Inputs is what a box depends on besides the plan.
type Inputs struct {
	Home  string // the person's home directory; "" where it is not known
	Paths config.Paths
	Env   []string // of who asks
}

// Row is one thing that the box is made with.
type Row struct {
	Kind      string // env, mount, volume or tmpfs
	Name      string
	Value     string
	Source    string // of mount: absolute, links resolved
	Target    string
	Writable  bool
	Protects  bool // it keeps what lies there from a mount that the box may write to
	Extension ext.Name
	Entry     string // the qualified name of what answered
	Origin    ext.Origin
	Reason    string // why it is refused; "" where it is not
}

// Box is what a box is made with.
type Box struct {
	Rows     []Row    // in load order, those that are refused among them
	Args     []string // for a container engine, of the rows that are not refused
	Refused  int      // rows; where there are any, no box must be made
	Findings ext.Findings
}

// Of is what the box of a plan is made with.
func Of(ctx context.Context, p *plan.Plan, in Inputs) (*Box, error) {
	b := new(Box)
	g := p.Gather(ctx, box.Arguments.Spec)
	b.Findings.Add(g.Findings...)
	j := judge{fence: fenceOf(in), worktree: p.Worktree, secrets: secretsOf(ctx, p, in.Env)}
	for _, a := range plan.Of(ctx, p, box.Arguments) {
		v := a.Value
		r := Row{
			Kind: v.Kind, Name: v.Name, Value: v.Value, Source: v.Source, Target: v.Target, Writable: v.Writable || v.Kind == box.Volume || v.Kind == box.Tmpfs,
			Extension: a.Extension, Entry: a.Entry, Origin: a.Origin,
		}
		r.Reason = j.refuses(&r, p.Dirs(a.Extension))
		if r.Reason != "" {
			if r.Kind == box.Env {
				r.Value = "" // it may be what must not be shown
			}
			b.Refused++
			b.Findings.Add(Refused.At(r.Origin, "%s is refused: %s", r.what(), r.Reason))
		}
		b.Rows = append(b.Rows, r)
	}
	b.protect(p.Worktree)
	for i := range b.Rows {
		if b.Rows[i].Reason == "" {
			b.Args = append(b.Args, b.Rows[i].args()...)
		}
	}
	return b, ctx.Err()
}

// what is a row in words, without values.
func (r *Row) what() string {
	switch r.Kind {
	case box.Env:
		return "the variable " + quoted(r.Name)
	case box.Mount:
		return "the mount of " + quoted(r.Source) + " at " + quoted(r.Target)
	case box.Volume:
		return "the volume " + quoted(r.Name)
	}
	return "the " + r.Kind + " at " + quoted(r.Target)
}

// args is a row as docker and podman take it.
func (r *Row) args() []string {
	switch r.Kind {
	case box.Env:
		return []string{"-e", r.Name + "=" + r.Value}
	case box.Tmpfs:
		return []string{"--tmpfs", r.Target}
	case box.Volume:
		return []string{"-v", r.Name + ":" + r.Target}
	}
	only := ""
	if strings.Contains(r.Source, ":") { // which -v takes for the end of it
		if !r.Writable {
			only = ",readonly"
		}
		return []string{"--mount", "type=bind,source=" + r.Source + ",target=" + r.Target + only}
	}
	if !r.Writable {
		only = ":ro"
	}
	return []string{"-v", r.Source + ":" + r.Target + only}
}

// secretsOf are the variables that hold secrets in the mode of the plan, and the values
// that they have for who asks.
func secretsOf(ctx context.Context, p *plan.Plan, env []string) secrets {
	s := secrets{names: map[string]bool{}}
	maps.Copy(s.names, p.SecretNames(ctx))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		const least = 8 // a shorter value is found in anything
		if s.has(name) && len(value) >= least {
			s.values = append(s.values, value)
		}
	}
	return s
}

type secrets struct {
	names  map[string]bool
	values []string
}

func (s *secrets) has(name string) bool {
	return s.names[name] || strings.HasPrefix(name, config.InjectPrefix) || strings.HasPrefix(name, config.ClaudePrefix)
}

// hold reports whether a text holds the value of a secret.
func (s *secrets) hold(text string) bool {
	for _, v := range s.values {
		if strings.Contains(text, v) {
			return true
		}
	}
	return false
}

// volumeRE is what engines take for the name of a volume: anything else, such as "..", may
// be a path to them.
var volumeRE = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]+$`)

var nameRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// judge says what may not be in a box.
type judge struct {
	fence    fence
	worktree string
	secrets  secrets
}

// refuses is why a row may not be in a box; "" where it may. A mount's source becomes what
// it leads to.
func (j *judge) refuses(r *Row, own plan.Dirs) string {
	switch {
	case r.Kind == box.Env && !nameRE.MatchString(r.Name):
		return "that is no name of a variable"
	case r.Kind == box.Env && strings.HasPrefix(r.Name, "MORTISE_") && r.Origin.Trust < ext.Builtin:
		return "variables that begin with MORTISE_ are Mortise's own, and may hold a credential"
	case r.Kind == box.Env && j.secrets.has(r.Name):
		return "it holds a secret, which no box is made with"
	case j.secrets.hold(r.Value):
		return "its value holds a secret, which no box is made with"
	case r.Kind == box.Env:
		return ""
	case r.Kind == box.Volume && !volumeRE.MatchString(r.Name):
		return "a volume is named with letters, digits, '_', '.' and '-', two at least, and begins with a letter or a digit"
	}
	for _, dir := range []string{"/proc", "/sys", "/dev"} {
		if t := path.Clean(r.Target); t == dir || strings.HasPrefix(t, dir+"/") {
			return "its target lies in " + dir + " of the box"
		}
	}
	if r.Kind != box.Mount {
		return ""
	}
	return j.mount(r, own)
}

func quoted(s string) string { return ext.Quote(ext.Shorten(s, 200)) }
