package scaffold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/agentclass"
	"github.com/mortise-dev/mortise/internal/surface/deployment"
	"github.com/mortise-dev/mortise/internal/surface/mission"
	"github.com/mortise-dev/mortise/internal/surface/profile"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
)

// monorepoFile is the largest file beside a new one that is read with it.
var monorepoFile = ext.DefaultLimits.FileBytes

// specs are the surfaces as discovery has them.
var specs = map[colony.Surface]*surface.Spec{
	colony.Plugins: skill.Surface.Spec, colony.Agents: agentclass.Surface.Spec, colony.Deployments: deployment.Surface.Spec,
	colony.Tools: toolspec.Surface.Spec, colony.Profiles: profile.Surface.Spec, colony.Missions: mission.Surface.Spec,
}

// NotFoundError is something that would not be found as it was meant, if it were written.
type NotFoundError struct {
	Surface colony.Surface
	Name    string
	Why     string // what is there is quoted in it
}

// Error says what, and why.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("the new %s %s is not written: %s", word(e.Surface), ext.Quote(e.Name), e.Why)
}

func (m *making) notFound(format string, args ...any) error {
	return ext.AsRefused(&NotFoundError{m.Surface, m.Name, fmt.Sprintf(format, args...)})
}

// wanted says which files beside a new one can change what it is found as: a class may
// derive from a class of another file, and have the name of one.
func (m *making) wanted(name string) bool {
	switch m.Surface {
	case colony.Agents, colony.Deployments:
		return path.Ext(name) == ".py"
	}
	return m.written(name)
}

// written reports whether a name in the directory of the surface is one of a new file.
func (m *making) written(name string) bool {
	for _, f := range m.files {
		if f.Path == path.Join(m.dir, name) {
			return true
		}
	}
	return false
}

// readBack reads what would be written as discovery does, among what lies beside it, in a
// directory that goes again.
func (m *making) readBack(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "mortise-new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m.staged = dir
	if err := m.stage(dir); err != nil {
		return err
	}
	found, told, err := m.found(ctx, dir)
	if err != nil {
		return err
	}
	return m.judge(ctx, found, told)
}

// stage puts the new files, and what lies beside them, into a directory.
func (m *making) stage(dir string) error {
	put := func(at string, data []byte) error {
		at = filepath.Join(dir, filepath.FromSlash(at))
		return errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, data, 0o600))
	}
	for _, l := range m.beside {
		if l.Data == nil || path.Base(l.Name) != l.Name {
			continue
		}
		if err := put(path.Join(m.dir, l.Name), l.Data); err != nil {
			return err
		}
	}
	for _, f := range m.files {
		if err := put(f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

// found are all entries of the surface, and what else was noticed.
func (m *making) found(ctx context.Context, dir string) (entries []admit.Contribution, told ext.Findings, err error) {
	spec := specs[m.Surface]
	s := monorepo.Source{Dir: dir, Shown: m.branch.Dir, Named: true, Manifest: m.branch.Manifest, Known: m.Known}
	s.Env.Specs, s.Env.Limits = []*surface.Spec{spec}, ext.DefaultLimits
	var all []discover.Candidate
	for tree, err := range s.Trees(ctx) {
		if err != nil {
			return nil, nil, err
		}
		c, err := discover.Scan(ctx, tree, discover.Options{Specs: s.Env.Specs, Limits: s.Env.Limits})
		if tree.Close != nil {
			tree.Close()
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, c)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	decisions := admit.Decide(all, admit.Rules{Alone: true, Adopted: true})
	for i := range decisions {
		told.Add(decisions[i].Findings()...)
		for _, c := range decisions[i].Contributions() {
			if c.Spec.Name == spec.Name {
				entries = append(entries, c)
			}
		}
	}
	return entries, told, nil
}

// judge finds the new entry among all, and looks whether it is what was meant, and alone.
func (m *making) judge(ctx context.Context, all []admit.Contribution, told ext.Findings) error {
	want, file := m.meant()
	var own *admit.Contribution
	for i := range all {
		c := &all[i]
		switch {
		case c.Origin.Path == file && c.Name == want:
			own = c // of two in the catalogue the later counts, and the new one is last
		case c.Origin.Path != file && folded(c.Name) == folded(want):
			return refused("%s:%d has %s, and a new %s %s would be taken for it, or it for that; choose another name", ext.Escape(c.Origin.Path), c.Origin.Line, ext.Quote(c.Name), word(m.Surface), ext.Quote(want))
		}
	}
	switch {
	case own == nil:
		return m.notFound("%s", reasons(file, told))
	case own.Status != admit.Active || own.Findings.Failed():
		return m.notFound("%s", reasons(file, own.Findings))
	}
	description, err := m.described(ctx, own)
	switch meant := string(m.values["description"].(text)); {
	case err != nil:
		return err
	case description != meant:
		return m.notFound("its description would be read as %s, and not as %s", ext.Quote(ext.Shorten(description, 200)), ext.Quote(ext.Shorten(meant, 200)))
	}
	m.done.Entry, m.done.Description, m.done.Notes = own.Name, description, own.Findings
	return m.asSaid(ctx, own)
}

// reasons are what was told of a file.
func reasons(file string, told ext.Findings) string {
	var why []string
	for _, f := range told {
		if f.Origin.Path != file {
			continue
		}
		at := ""
		if f.Origin.Line > 0 {
			at = fmt.Sprintf("%s:%d: ", ext.Escape(file), f.Origin.Line)
		}
		why = append(why, at+f.Message+" ("+f.Check.Code+"). "+f.Fix())
	}
	if len(why) == 0 {
		return "nothing would be found in " + ext.Quote(file)
	}
	return strings.TrimSuffix(strings.Join(why, " "), ".")
}

// meant is what the new entry is to go by, and the file that it is to be found in.
func (m *making) meant() (name, file string) {
	file = m.files[0].Path
	switch m.Surface {
	case colony.Agents, colony.Deployments:
		return string(m.values["class"].(identifier)), file
	case colony.Tools:
		return m.Name, m.files[len(m.files)-1].Path
	}
	return m.Name, file
}
