package monorepo

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Names of surfaces, and where their canonical documents lie.
const (
	skillSurface      = "skill"
	agentSurface      = "agentclass"
	deploymentSurface = "deployment"
	toolSurface       = "toolspec"
	profileSurface    = "profile"
	missionSurface    = "mission"
)

// canonical is the path from which an entry that no file holds has its name.
func canonical(dir, name string) string { return dir + "/" + name + ".json" }

const document = "SKILL.md"

// skills are the directories that hold a SKILL.md. The documents are read by whoever
// reads those of every other skill.
func (k *reading) skills(dir string, entries []fs.DirEntry) {
	var rest []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		typ := e.Type()
		if typ&fs.ModeSymlink != 0 {
			to, err := k.root.Type(name)
			if err != nil {
				k.refuse(skillSurface, "skills/"+e.Name()+"/"+document, name, source.FaultOf(err, k.at(name, 0)))
				continue
			}
			if fault := k.ofGit(name, e); fault != nil {
				k.refuse(skillSurface, "skills/"+e.Name()+"/"+document, name, *fault)
				continue
			}
			typ = to
		}
		if !typ.IsDir() {
			if e.Name() != ".gitkeep" && e.Name() != "README.md" {
				rest = append(rest, e.Name())
			}
			continue
		}
		k.skill(name, e.Name())
	}
	k.notRead(dir, rest)
}

func (k *reading) skill(dir, name string) {
	within, err := k.within(dir)
	if err != nil {
		k.refuse(skillSurface, "skills/"+name+"/"+document, dir, source.FaultOf(err, k.at(dir, 0)))
		return
	}
	var near []string
	for _, e := range within {
		switch file := path.Join(dir, e.Name()); {
		case e.Name() == document:
			if fault := k.ofGit(file, e); fault != nil {
				k.refuse(skillSurface, "skills/"+name+"/"+document, file, *fault)
				return
			}
			k.units = append(k.units, unit{places: []ext.Place{{Surface: skillSurface, Path: "skills/" + name + "/" + document, File: file, Dialect: surface.DialectColony}}})
			return
		case e.Name() == ".claude-plugin":
			k.notes.Add(Packaged.At(k.at(dir, 0), "%s is a packaged plugin", ext.Quote(name)))
			return
		case strings.EqualFold(e.Name(), document):
			near = append(near, e.Name())
		case e.IsDir():
			if _, err := k.root.Type(path.Join(file, document)); err == nil {
				near = append(near, e.Name()+"/"+document)
			}
		}
	}
	if len(near) > 0 {
		k.notRead(dir, near)
		return
	}
	k.notes.Add(source.NoDocument.At(k.at(dir, 0), "the directory %s holds no %s", ext.Quote(name), document))
}

// profiles are the files of an ending, each a mapping of YAML 1.1.
func (k *reading) profiles(dir string, entries []fs.DirEntry) {
	for _, f := range k.files(dir, ".yaml", entries) {
		at := "profiles/" + f.name
		if f.fault != nil {
			k.refuse(profileSurface, at, f.path, *f.fault)
			continue
		}
		data, err := source.ReadBytes(k.root, f.path, k.source.Env.Limits.FileBytes)
		if err != nil {
			k.refuse(profileSurface, at, f.path, source.FaultOf(err, k.at(f.path, 0)))
			continue
		}
		d, found := doc.YAML11(k.at(f.path, 1), data)
		p := ext.Place{Surface: profileSurface, Path: at, File: f.path, Doc: &d}
		if found.Failed() {
			p.Doc, p.Fault, found = nil, first(found), others(found)
		}
		k.units = append(k.units, unit{[]ext.Place{p}, found})
	}
}

// first is the first error.
func first(found ext.Findings) *ext.Finding {
	for i := range found {
		if found[i].Check.Severity >= ext.Error {
			return &found[i]
		}
	}
	return nil
}

// others are what is no error: in a tree an error would refuse more than the entry.
func others(found ext.Findings) (out ext.Findings) {
	for _, f := range found {
		if f.Check.Severity < ext.Error {
			out = append(out, f)
		}
	}
	return out
}

// tools are the entries of the catalogue, which lies in one place whatever the directory.
func (k *reading) tools(ctx context.Context, dir string, entries []fs.DirEntry) error {
	c, err := tools.Load(k.root, k.origin)
	var broken *tools.Broken
	switch {
	case errors.As(err, &broken):
		k.notes.Add(broken.Finding)
		return nil
	case err != nil && !source.Absent(k.root, tools.Path, unwrapped(err)):
		k.notes.Add(source.FaultOf(err, k.at(tools.Path, 0)))
		return nil
	case err != nil:
		c = new(tools.Catalogue)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	k.notes.Add(c.Empty(dir, names)...)
	for _, f := range c.Findings {
		if f.Check != tools.Clash { // told below, with who counts
			k.notes.Add(f)
		}
	}
	classes := tools.NewRepository(k.root, dir)
	classes.Memory = k.source.Memory.classes()
	last := map[string]*tools.Entry{}
	for i := range c.Entries {
		last[c.Entries[i].Name] = &c.Entries[i]
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		p := ext.Place{Surface: toolSurface, Path: canonical("toolspecs", e.Name), File: tools.Path, Doc: &e.Doc}
		if by := last[e.Name]; by != e {
			f := Later.At(k.at(tools.Path, e.Line), "the tool %s for %s is also on line %d, for %s, which counts since it is later",
				ext.Quote(ext.Shorten(e.Name, 80)), ext.Quote(ext.Shorten(e.Purpose, 80)), by.Line, ext.Quote(ext.Shorten(by.Purpose, 80)))
			p.Doc, p.Fault = nil, &f
		}
		found, err := k.behind(ctx, classes, e, &p)
		if err != nil {
			return err
		}
		k.units = append(k.units, unit{[]ext.Place{p}, found})
	}
	for _, r := range c.Refused {
		name := r.Name
		if name == "" {
			name = "line-" + itoa(r.Line)
		}
		k.units = append(k.units, unit{[]ext.Place{{Surface: toolSurface, Path: canonical("toolspecs", name), File: tools.Path, Fault: first(r.Findings)}}, others(r.Findings)})
	}
	return k.judgeTools(ctx, dir, classes)
}

// behind reads the class behind an entry: one that contradicts it is a fault of the entry,
// and of one that cannot be decided it is told.
func (k *reading) behind(ctx context.Context, classes *tools.Repository, e *tools.Entry, p *ext.Place) (ext.Findings, error) {
	if p.Fault != nil {
		return nil, nil
	}
	o, err := classes.Check(ctx, e)
	if err != nil {
		return nil, err
	}
	f, ok := o.Finding(k.at(tools.Path, e.Line), e)
	switch {
	case !ok:
		return nil, nil
	case f.Check.Severity >= ext.Error:
		p.Doc, p.Fault = nil, &f
		return nil, nil
	}
	return ext.Findings{f}, nil
}

// unwrapped is the error of the file system in err.
func unwrapped(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p
	}
	return err
}
