package monorepo

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// kind is what the Python of a surface is read for.
type kind struct {
	surface string
	dir     string // of canonical paths
	as      pysrc.Kind
}

var kinds = map[colony.Surface]kind{
	colony.Agents:      {agentSurface, "agentclasses", pysrc.Agent},
	colony.Deployments: {deploymentSurface, "deployments", pysrc.Deployment},
}

// classes are the classes of a kind in the files of a directory. They are looked for
// through all files of it, since one may derive from a class of another.
func (k *reading) classes(ctx context.Context, as kind, dir string, entries []fs.DirEntry) error {
	files := k.files(dir, ".py", entries)
	if len(files) == 0 {
		return nil
	}
	x := k.source.Known.Index()
	known := k.source.Memory.modules(k.memo(dir, as.surface))
	read := func(all bool) reader[*pysrc.Module] {
		return func(ctx context.Context, f pysrc.File) (*pysrc.Module, *syntax.Tree, error) {
			return pysrc.ReadTree(ctx, f, x, all)
		}
	}
	skimmed, err := readPython(ctx, k, files, known.skimmed, read(false))
	if err != nil {
		return err
	}
	found := slices.Clone(skimmed)
	set := pysrc.Link(modulesOf(found), x)
	var more []pythonFile[*pysrc.Module]
	for wanted := set.Wanted; len(wanted) > 0; wanted = set.Wanted {
		again := slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !slices.Contains(wanted, f.path) })
		whole, err := readPython(ctx, k, again, known.whole, read(true))
		if err != nil {
			return err
		}
		if more = append(more, whole...); replace(found, whole) == 0 {
			break
		}
		set = pysrc.Link(modulesOf(found), x)
	}
	for _, n := range set.Notes {
		if f := Remark.At(k.at(n.File, n.Line), "%s", ext.Escape(n.Why)); !slices.Contains(k.notes, f) {
			k.notes.Add(f)
		}
	}
	k.source.Memory.keepModules(k.memo(dir, as.surface), skimmed, more)
	k.agree(as, found, set)
	tellJudged(k, found, holding(as, set))
	return nil
}

// modulesOf are the modules of the files that could be read.
func modulesOf(found []pythonFile[*pysrc.Module]) []*pysrc.Module {
	out := make([]*pysrc.Module, 0, len(found))
	for i := range found {
		if found[i].value != nil {
			out = append(out, found[i].value)
		}
	}
	return out
}

// replace puts what was read whole in the place of what was passed over, and counts that.
func replace(found, again []pythonFile[*pysrc.Module]) (n int) {
	for i := range again {
		for j := range found {
			if found[j].path == again[i].path && again[i].value != nil && found[j].value.Skipped != "" {
				found[j].value, found[j].sum = again[i].value, again[i].sum
				n++
			}
		}
	}
	return n
}

// agree adds a unit for each file that has a class of a kind, or that Python could not
// read. What could be one or not is told.
func (k *reading) agree(as kind, found []pythonFile[*pysrc.Module], set *pysrc.Set) {
	byFile, last := map[string][]*pysrc.Class{}, map[string]*pysrc.Class{}
	for i := range set.Classes {
		c := &set.Classes[i]
		if c.Kind != as.as {
			continue
		}
		if c.Certainty == pysrc.Unresolved {
			k.unresolved(c)
			continue
		}
		byFile[c.File] = append(byFile[c.File], c)
		last[c.Name] = c
	}
	sums := map[string]*pythonFile[*pysrc.Module]{}
	for i := range found {
		sums[found[i].path] = &found[i]
	}
	for i := range found {
		f := &found[i]
		if fault := f.unreadable(k, faultOfModule(f.value)); fault != nil {
			k.refuse(as.surface, canonical(as.dir, f.stem()), f.path, *fault)
			continue
		}
		var u unit
		for _, c := range byFile[f.path] {
			p := ext.Place{Surface: as.surface, Path: canonical(as.dir, c.Name), File: f.path}
			if by := last[c.Name]; by != c {
				fault := Later.At(k.at(f.path, c.Line), "the class %s is also in %s, line %d, which counts since it is later", ext.Quote(c.Name), ext.Quote(by.File), by.Line)
				p.Fault = &fault
			} else {
				d := described(c, f.value, sums)
				p.Doc = &d
			}
			u.places = append(u.places, p)
		}
		if len(u.places) > 0 {
			k.units = append(k.units, u)
		}
	}
}

func faultOfModule(m *pysrc.Module) *syntax.Fault {
	if m == nil {
		return nil
	}
	return m.Fault
}

func (k *reading) unresolved(c *pysrc.Class) {
	what := "the class " + ext.Quote(c.Name)
	if c.Name == "" {
		what = "what " + ext.Quote(c.Bound) + " is bound to"
	}
	k.notes.Add(Unresolved.At(k.at(c.File, c.Line), "%s may be one (%s) or not: %s", what, c.Kind, ext.Escape(c.Reason)).Of(cmp.Or(c.Name, c.Bound)))
}

// missions are what the factories of the files return, where that is written out.
func (k *reading) missions(ctx context.Context, dir string, entries []fs.DirEntry) error {
	files := k.files(dir, ".py", entries)
	if len(files) == 0 {
		return nil
	}
	known := k.source.Memory.missions(k.memo(dir, missionSurface))
	found, err := readPython(ctx, k, files, known, pysrc.ReadMissionTree)
	if err != nil {
		return err
	}
	k.source.Memory.keepMissions(k.memo(dir, missionSurface), found)
	for i := range found {
		k.mission(&found[i])
	}
	tellJudged(k, found, func(string) bool { return true })
	return nil
}

func (k *reading) mission(f *pythonFile[*pysrc.Mission]) {
	at, m := canonical("missions", f.stem()), f.value
	var broken *syntax.Fault
	if m != nil {
		broken = m.Fault
	}
	if fault := f.unreadable(k, broken); fault != nil {
		k.refuse(missionSurface, at, f.path, *fault)
		return
	}
	line := max(m.ReasonLine, m.Line, 1)
	switch {
	case m.Value != nil:
		d := describedMission(f)
		k.units = append(k.units, unit{places: []ext.Place{{Surface: missionSurface, Path: at, File: f.path, Doc: &d}}})
	case m.Missing:
		k.notes.Add(NoMission.At(k.at(f.path, 0), "the file has no function %s", pysrc.Entry))
	case m.Wrong:
		k.refuse(missionSurface, at, f.path, MissionForm.At(k.at(f.path, line), "%s", ext.Escape(m.Reason)))
	default:
		k.notes.Add(MissionUnresolved.At(k.at(f.path, line), "%s", ext.Escape(m.Reason)).Of(f.stem()))
	}
}
