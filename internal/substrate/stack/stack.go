// Package stack says which compose files the services of a worktree are made from in a
// mode, and what they say together. It starts nothing, and reads nothing but these files.
package stack

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/hook/overlay"
	"github.com/mortise-dev/mortise/internal/plan"
)

// Inputs is what the list of files depends on besides the plan.
type Inputs struct {
	Compose config.Value // what the configuration says of stack.compose
	Env     []string     // of who asks
}

// Named is a compose file as something names it.
type Named struct {
	By        string // base, overlay, extension or environment
	As        string // as it is written there
	Extension ext.Name
	Entry     string     // the qualified name of what answered; "" where no extension did
	Variable  string     // whose value the file is; "" for none
	Origin    ext.Origin // of what names it
}

// File is one file of the list.
type File struct {
	Named
	Path  string // absolute
	Shown string // below the workspace where it lies there, else absolute: for people

	real string // links resolved: what is read
}

// Out is a file that is named and not in the list.
type Out struct {
	Named
	Reason string
}

// Stack is the compose files of a worktree in a mode.
type Stack struct {
	Declared bool   // there is a stack at all
	Files    []File // in the order in which they are merged
	Skipped  []Out  // are not there
	Refused  []Out  // may not be in the list; it must not be used without them
	Findings ext.Findings

	worktree string
	exported map[string]string // what the person exported
	derived  map[string]string // variables that follow from the mode
	hidden   map[string]bool   // variables that hold secrets
}

// The ways in which a file comes into the list.
const (
	ByBase        = "base"
	ByOverlay     = "overlay"
	ByExtension   = "extension"
	ByEnvironment = "environment"
)

// Of is the list of a plan. It is an error when the stack's own file is not there.
func Of(ctx context.Context, p *plan.Plan, in Inputs) (*Stack, error) {
	s := &Stack{Declared: in.Compose.Text != "", worktree: p.Worktree, exported: variables(in.Env), derived: map[string]string{}, hidden: map[string]bool{}}
	s.environment(ctx, p, in.Env)
	if err := s.base(&in.Compose); err != nil {
		return nil, err
	}
	g := p.Gather(ctx, overlay.Overlays.Spec)
	s.Findings.Add(g.Findings...)
	for _, o := range plan.Of(ctx, p, overlay.Overlays) {
		s.overlay(p, &o)
	}
	for _, f := range filepath.SplitList(s.exported[config.StackVariable]) {
		if f != "" {
			s.add(Named{By: ByEnvironment, As: f, Variable: config.StackVariable, Origin: ext.Origin{Source: "environment", Trust: ext.Owner, Path: config.StackVariable}}, nil)
		}
	}
	return s, ctx.Err()
}

// environment tells what the person exported from what follows from the mode, also where
// mortise env put that into the environment before, and notes what holds secrets.
func (s *Stack) environment(ctx context.Context, p *plan.Plan, environ []string) {
	e := p.Environment(ctx, environ, s.exported[config.EnvVariable])
	s.Findings.Add(e.Findings...)
	for _, name := range e.Unset {
		delete(s.exported, name)
	}
	for _, v := range e.Set {
		delete(s.exported, v.Value.Name)
		s.derived[v.Value.Name] = v.Value.Value
	}
	maps.Copy(s.hidden, p.SecretNames(ctx))
}

// base takes in the stack's own file. What a workspace says of it lies in the workspace.
func (s *Stack) base(v *config.Value) error {
	if !s.Declared {
		return nil
	}
	n := Named{By: ByBase, As: v.Text, Origin: v.Origin}
	f, why := s.find(n, s.bounds(&n, plan.Dirs{}))
	switch {
	case why == nil:
		s.Files = append(s.Files, f)
	case why.missing:
		return fmt.Errorf("the compose file %s of stack.compose (%s): %s", quoted(v.Text), ext.Escape(v.Origin.String()), why.text)
	default:
		s.refuse(n, why.text)
	}
	return nil
}

// overlay takes in what the hook was answered. The variable that an answer names is one of
// who asks: what follows from the mode may be another extension's word.
func (s *Stack) overlay(p *plan.Plan, o *plan.Typed[overlay.File]) {
	n := Named{By: ByOverlay, As: o.Value.File, Extension: o.Extension, Entry: o.Entry, Origin: o.Origin}
	if o.Extension != "" {
		n.By = ByExtension
	}
	within := s.bounds(&n, p.Dirs(o.Extension))
	if v := s.exported[o.Value.Env]; o.Value.Env != "" && v != "" {
		n.As, n.Variable = v, o.Value.Env
		if o.Extension == "" {
			within = nil
		}
	}
	if n.As == "" {
		s.skip(n, "the variable "+o.Value.Env+", which gives the file, is not set")
		return
	}
	s.add(n, within)
}

// bounds are the directories that a file must lie in, by who names it. Nil: it may lie
// anywhere, since the person or the machine says so.
func (s *Stack) bounds(n *Named, own plan.Dirs) []string {
	if n.Extension == "" && n.Origin.Trust == ext.Owner {
		return nil
	}
	within := []string{s.worktree}
	if own.Root != "" {
		within = append(within, own.Root)
	}
	return within
}

// add takes in a file, or says why not.
func (s *Stack) add(n Named, within []string) {
	if !s.Declared {
		s.skip(n, "there is no stack that it could be stacked onto")
		return
	}
	f, why := s.find(n, within)
	switch {
	case why == nil:
		s.Files = append(s.Files, f)
	case why.missing:
		s.skip(n, why.text)
	default:
		s.refuse(n, why.text)
	}
}

func (s *Stack) skip(n Named, reason string) {
	s.Skipped = append(s.Skipped, Out{n, reason})
	s.Findings.Add(FileMissing.At(n.Origin, "the compose file %s is left out: %s", quoted(n.As), reason))
}

func (s *Stack) refuse(n Named, reason string) {
	s.Refused = append(s.Refused, Out{n, reason})
	s.Findings.Add(FileRefused.At(n.Origin, "the compose file %s is refused: %s", quoted(n.As), reason))
}

// why a file is not in the list.
type why struct {
	missing bool
	text    string // foreign text in it is escaped
}

// find looks for a file. What is outside of within is refused before anything is looked at.
func (s *Stack) find(n Named, within []string) (File, *why) {
	path := filepath.FromSlash(n.As)
	if strings.HasPrefix(n.As, "/") || filepath.IsAbs(path) {
		path = filepath.Clean(path)
	} else {
		path = filepath.Join(s.worktree, path)
	}
	outside := &why{text: "it lies outside of the workspace" + andRoot(within)}
	if strings.ContainsRune(n.As, 0) {
		return File{}, &why{text: "its name holds the character NUL"}
	}
	if within != nil && !below(path, within) {
		return File{}, outside
	}
	real, w := resolve(path)
	if w != nil {
		return File{}, w
	}
	if within != nil && !below(real, within) {
		outside.text = "it leads to " + quoted(real) + ", which lies outside of the workspace" + andRoot(within)
		return File{}, outside
	}
	f := File{Named: n, Path: path, Shown: s.shown(path), real: real}
	if n.Extension != "" {
		f.Path = real // what was looked at is what is used
	}
	return f, nil
}

func andRoot(within []string) string {
	if len(within) > 1 {
		return " and of the extension's own directory"
	}
	return ""
}

// shown is a path as people are shown it.
func (s *Stack) shown(path string) string {
	if rel, err := filepath.Rel(s.worktree, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// resolve follows the links to a regular file.
func resolve(path string) (string, *why) {
	real, err := filepath.EvalSymlinks(path)
	if missing(err) {
		if info, err := lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", &why{missing: true, text: "it is a link that leads nowhere"}
		}
		return "", &why{missing: true, text: "it is not there"}
	}
	if err != nil {
		return "", &why{text: "it cannot be looked at: " + ext.Escape(reason(err))}
	}
	info, err := lstat(real)
	switch {
	case missing(err):
		return "", &why{missing: true, text: "it is not there"}
	case err != nil:
		return "", &why{text: "it cannot be looked at: " + ext.Escape(reason(err))}
	case info.IsDir():
		return "", &why{text: "it is a directory"}
	case !info.Mode().IsRegular():
		return "", &why{text: "it is no regular file"}
	}
	return real, nil
}

// below reports whether a path is one of dirs, or lies in one, their links resolved or not.
func below(path string, dirs []string) bool {
	for _, d := range dirs {
		if in(path, d) {
			return true
		}
		if real, err := filepath.EvalSymlinks(d); err == nil && in(path, real) {
			return true
		}
	}
	return false
}

func in(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func quoted(s string) string { return ext.Quote(ext.Shorten(s, 200)) }

// variables are those of an environment by name; the last of several counts.
func variables(all []string) map[string]string {
	out := make(map[string]string, len(all))
	for _, kv := range all {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			out[name] = value
		}
	}
	return out
}
