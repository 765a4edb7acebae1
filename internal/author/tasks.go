package author

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/task"
)

// Entry is a task as it was found, whoever has it.
type Entry struct {
	*admit.Contribution
	Extension ext.Name
	Trust     ext.Trust
	Root      string // absolute directory of the extension; "" for what is built in
	Status    string // as listings have it
}

// Tasks are the tasks of a workspace, in load order: of every source that is
// enabled.
type Tasks struct {
	Store
	Follow   bool // links of the owner's directory are followed for reading
	Disabled int  // how many are disabled, and none of these
	entries  []Entry
}

// NewTasks are tasks of which some were found. What is disabled is none of them.
func NewTasks(s Store, follow bool, found []Entry) *Tasks {
	t := &Tasks{Store: s, Follow: follow}
	for _, e := range found {
		if e.Status == admit.EntryDisabled.String() {
			t.Disabled++
			continue
		}
		t.entries = append(t.entries, e)
	}
	return t
}

// Task is one task as it is listed.
type Task struct {
	Name        string   `json:"name"`
	Qualified   string   `json:"qualified"`
	Extension   string   `json:"extension"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Inputs      []Input  `json:"inputs"`
	Schedule    string   `json:"schedule"`
	Tools       []string `json:"tools"`
	Status      string   `json:"status"`
	Root        string   `json:"root"` // the extension's
	Path        string   `json:"path"` // of its document, below Root
	Writable    bool     `json:"writable"`
	Reason      string   `json:"reason"` // why it is not writable, and what to do; "" where it is
}

// Input is an input of a task.
type Input struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Default     string `json:"default"`
}

// Listed are the tasks of a workspace as a document.
type Listed struct {
	Tasks    []Task `json:"tasks"`
	Disabled int    `json:"disabled"` // how many are disabled, and not listed
}

// Listed is the document of all tasks.
func (t *Tasks) Listed() Listed { return Listed{t.List(), t.Disabled} }

// List are all tasks.
func (t *Tasks) List() []Task {
	out := make([]Task, len(t.entries))
	for i := range t.entries {
		out[i] = t.task(&t.entries[i])
	}
	return out
}

func (t *Tasks) task(e *Entry) Task {
	out := Task{
		Name: e.Name, Qualified: ext.Qualified(e.Extension, e.Name), Extension: string(e.Extension), Title: e.Name, Description: e.Description,
		Inputs: []Input{}, Tools: []string{}, Status: e.Status, Root: e.Root, Path: e.Origin.Path,
	}
	if v, ok := e.Value.(task.Task); ok && !e.Findings.Failed() {
		out.fill(v)
	}
	if err := t.writable(e); err != nil {
		out.Reason = err.Error()
	}
	out.Writable = out.Reason == ""
	return out
}

func (t *Task) fill(v task.Task) {
	t.Title, t.Schedule = cmp.Or(v.Title, t.Name), v.Schedule
	t.Tools = append(t.Tools, v.Tools...)
	for _, in := range v.Inputs {
		t.Inputs = append(t.Inputs, Input(in))
	}
}

// writable is why a task cannot be written to; nil where it can.
func (t *Tasks) writable(e *Entry) error {
	qualified := ext.Qualified(e.Extension, e.Name)
	if e.Extension != ext.OwnerName {
		what := "the plugin " + string(e.Extension)
		if e.Trust == ext.Builtin {
			what = "Mortise itself"
		}
		if ValidName(e.Name) != nil { // nor is such a name put into a line for a shell
			return fmt.Errorf("it belongs to %s, and is read where that lies; mortise task copy NAME --as ANOTHER makes a copy that is yours, under a name that can be one here", what)
		}
		return fmt.Errorf("it belongs to %s, and is read where that lies; mortise task copy %s makes a copy that is yours", what, qualified)
	}
	if err := ValidName(e.Name); err != nil {
		return fmt.Errorf("its directory has a name that is not written to here; edit %s by hand", ext.Quote(e.Origin.Path))
	}
	dir, err := t.inside(e.Name)
	if err != nil {
		return err
	}
	defer dir.Close()
	switch info, err := dir.Lstat(task.File); {
	case err != nil:
		return fmt.Errorf("its document cannot be written to: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is a link; edit what it leads to, where it lies", ext.Quote(e.Origin.Path))
	}
	return nil
}

// Found is what a name means.
type Found struct {
	Entry      *Entry
	Ambiguous  bool     // a short name that several have: Entry is the owner's, or else the first of the plugins'
	Candidates []string // qualified, the one that it means first; one where it is not ambiguous
}

// Find is the task of a name: the qualified one, or a short one, which means the
// owner's, then that of the plugin that comes first. What nobody has is a usage
// error that names the nearest.
func (t *Tasks) Find(name string) (Found, error) {
	var found []*Entry
	for i := range t.entries {
		e := &t.entries[i]
		if ext.Qualified(e.Extension, e.Name) == name || surface.Fold(e.Name) == surface.Fold(name) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return Found{}, t.unknown(name)
	}
	slices.SortStableFunc(found, func(a, b *Entry) int { return cmp.Compare(place(a), place(b)) })
	f := Found{Entry: found[0]}
	for _, e := range found {
		f.Candidates = append(f.Candidates, ext.Qualified(e.Extension, e.Name))
	}
	if i := slices.Index(f.Candidates, name); i >= 0 {
		return Found{Entry: found[i], Candidates: f.Candidates[i : i+1]}, nil
	}
	f.Ambiguous = len(found) > 1
	return f, nil
}

// place is where an entry stands in precedence; plugins keep the load order.
func place(e *Entry) int {
	switch {
	case e.Extension == ext.OwnerName:
		return 0
	case e.Trust == ext.Plugin:
		return 1
	case e.Trust == ext.Builtin:
		return 3
	}
	return 2
}

func (t *Tasks) unknown(name string) error {
	var known []string
	for i := range t.entries {
		e := &t.entries[i]
		known = append(known, e.Name, ext.Qualified(e.Extension, e.Name))
	}
	if near := spelling.Nearest(name, known); near != "" {
		return ext.AsUsage(fmt.Errorf("there is no task %s; did you mean %s?", ext.Quote(ext.Shorten(name, 80)), ext.Escape(near)))
	}
	return ext.AsUsage(fmt.Errorf("there is no task %s; mortise task list shows those that there are", ext.Quote(ext.Shorten(name, 80))))
}

// Own is the name, within the owner's directory, of a task that is to be written
// to. Another one's is refused with what to do instead.
func (t *Tasks) Own(name string) (Found, error) {
	f, err := t.Find(name)
	if err != nil {
		return f, err
	}
	if err := t.writable(f.Entry); err != nil {
		return f, ext.AsRefused(fmt.Errorf("the task %s cannot be changed: %w", ext.Escape(f.Candidates[0]), err))
	}
	return f, nil
}

// New is the name, within the owner's directory, that a new task is to have. A
// qualified one must be the owner's.
func (t *Tasks) New(name string) (string, error) {
	if x, short, ok := ext.SplitQualified(name); ok {
		if x != ext.OwnerName {
			return "", ext.AsRefused(fmt.Errorf("a task is made in the owner's directory alone, and %s would be in that of %s; leave %q out", ext.Quote(ext.Shorten(name, 80)), ext.Escape(string(x)), string(x)+":"))
		}
		name = short
	}
	return name, ValidName(name)
}

// Shown is one task with all that there is to know of it.
type Shown struct {
	Task
	Ambiguous    bool     `json:"ambiguous"`
	Candidates   []string `json:"candidates"`
	Instructions string   `json:"instructions"` // below the front matter
	Text         string   `json:"text"`         // of the document, whole
	Digest       string   `json:"digest"`       // of Text: what an edit is made from
	Files        []File   `json:"files"`        // all of the task
	Whole        string   `json:"whole"`        // digest of all files: what a removal is of; "" where it is not writable
	Faults       []string `json:"faults"`       // why it is refused
}

// Show reads the task of a name where it lies.
func (t *Tasks) Show(name string) (Shown, error) {
	f, err := t.Find(name)
	if err != nil {
		return Shown{}, err
	}
	e := f.Entry
	out := Shown{Task: t.task(e), Ambiguous: f.Ambiguous, Candidates: f.Candidates, Files: []File{}, Faults: []string{}}
	for _, found := range e.Findings {
		if found.Check.Severity >= ext.Error {
			out.Faults = append(out.Faults, found.String())
		}
	}
	r, err := t.reading(e)
	if err != nil {
		return out, fmt.Errorf("read the task %s: %w", ext.Escape(out.Qualified), err)
	}
	defer r.Close()
	data, err := r.ReadFile(e.Origin.Path)
	if err != nil {
		return out, fmt.Errorf("read the task %s: %w", ext.Escape(out.Qualified), err)
	}
	out.Text, out.Digest = string(data), ext.Sum(data).String()
	if v, ok := decode(e.Origin, data).Value.(task.Task); ok {
		out.Instructions = v.Body
	}
	if out.Files, err = beside(r, path.Dir(e.Origin.Path)); err != nil {
		return out, fmt.Errorf("look at the files of the task %s: %w", ext.Escape(out.Qualified), err)
	}
	if out.Writable {
		whole, err := t.Files(e.Name)
		if err != nil {
			return out, err
		}
		out.Whole = whole.Whole.String()
	}
	return out, nil
}

// reading opens the directory that a task is read from.
func (t *Tasks) reading(e *Entry) (*root.Root, error) {
	if e.Root == "" {
		return nil, errors.New("it is built in, and no file")
	}
	return root.Open(e.Root, root.Options{Follow: t.Follow && e.Extension == ext.OwnerName})
}

// From opens where the files of a task lie, to copy them.
func (t *Tasks) From(e *Entry) (*root.Root, string, error) {
	r, err := t.reading(e)
	return r, path.Dir(e.Origin.Path), err
}

// beside are the files of a directory, by their paths below it.
func beside(r *root.Root, dir string) ([]File, error) {
	out := []File{}
	err := fs.WalkDir(r, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f := File{Path: strings.TrimPrefix(name, dir+"/")}
		if info, err := r.Stat(name); err == nil && info.Mode().IsRegular() {
			f.Size = info.Size()
		}
		if out = append(out, f); len(out) > mostFiles {
			return fmt.Errorf("there are more than %d", mostFiles)
		}
		return nil
	})
	return out, err
}
