package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Committing says what Commit commits.
type Committing struct {
	// Branch is where; "" is what is checked out, be it a branch or a commit alone. A branch
	// that is not there begins at what is checked out.
	Branch  string
	Files   []File
	Author  Person
	Message string
	// Expect is the commit that the branch must be at; NoCommit, that there is no such
	// branch; "", that it is not known.
	Expect string
	// Unsigned leaves the signature out that the person's configuration asks for.
	Unsigned bool
	When     time.Time // zero: now
}

// NoCommit is expected of a branch that is not there.
const NoCommit = "none"

// File is a file as it is to be in a commit, to the byte.
type File struct {
	Path string // below the top of the working tree, with slashes
	Data []byte
	Mode FileMode
}

// FileMode says whether a file may be executed.
type FileMode int

// The modes.
const (
	AsItWas    FileMode = iota // what it may where it is replaced; a new one is Plain
	Plain                      // it may not
	Executable                 // it may
)

// Person makes commits.
type Person struct{ Name, Email string }

// Committed is what became of a commit.
type Committed struct {
	Commit string // where the branch is now; "" where it has none
	Made   bool   // it is new; else the branch had all of it already
	Parent string // "" where it is the first
	Branch string // "" where a commit alone is checked out
	Signed bool
}

// Commit puts files into a commit of their own, on top of a branch, and moves the branch
// there. Nothing else gets in: not what else the working tree or the index holds. Nothing
// of the working tree is touched; of the index the entries of these files alone, and only
// where the branch is checked out. No hook and no filter runs, and nothing of the
// configuration is written. Author and committer are one.
//
// The branch is moved only if it is where the commit was put on: who is second gets an error
// of the kind Stale, and who finds a lock one of the kind Held. Either way, and however else
// it fails, branch and index are what they were. Who is killed leaves at most the files
// staged. What cannot be done without harm is refused: where other content of a file is
// staged, where git ignores it, where a filter, a link, a submodule or another repository
// stands in the way, and where another working tree has the branch.
//
// Where the person's configuration has git sign commits, the commit is signed with the
// person's key, by the programs that this configuration names: the repository's names none.
func (w *WorkTree) Commit(ctx context.Context, o Committing) (*Committed, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.git.opt.Fetching, errLate)
	defer cancel()
	m := &making{WorkTree: *w, Committing: o, doing: "commit"}
	done, err := m.all(ctx)
	if err != nil && ext.KindOf(err) != ext.Failed {
		return nil, fmt.Errorf("%s: %w", m.doing, err)
	}
	return done, failure(m.doing, err)
}

// making is the making of one commit.
type making struct {
	WorkTree // as it is now
	Committing
	doing  string
	ref    string           // in full; HEAD where no branch is checked out
	here   bool             // ref is what is checked out
	tip    string           // where it is; "" where it is not
	base   string           // what the commit is made of; "" is nothing
	was    map[string]entry // what lies there at the paths
	is     map[string]entry // what is to lie there, once it is made
	dir    string           // of our own, for the index and what git reads
	tree   string
	signed bool
}

func (m *making) all(ctx context.Context) (*Committed, error) {
	if err := m.valid(); err != nil {
		return nil, ext.AsUsage(err)
	}
	var err error
	if m.dir, err = os.MkdirTemp("", "mortise-commit-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(m.dir)
	for _, step := range []func(context.Context) error{m.target, m.judge, m.build} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	done := &Committed{Commit: m.tip, Branch: strings.TrimPrefix(m.ref, heads), Parent: m.base}
	if m.ref == "HEAD" {
		done.Branch = ""
	}
	if m.base != "" {
		if same, err := m.say(ctx, "rev-parse", "--verify", m.base+"^{tree}"); err != nil || same == m.tree {
			return done, err
		}
	}
	m.step("built")
	if done.Commit, err = m.write(ctx); err != nil {
		return nil, err
	}
	if err := m.publish(ctx, done.Commit); err != nil {
		return nil, err
	}
	done.Made, done.Signed = true, m.signed
	return done, nil
}

// valid says what no commit can be made of.
func (m *making) valid() error {
	if len(m.Files) == 0 {
		return errors.New("there is nothing to commit")
	}
	names := unpack.NewNames(m.git.opt.Bounds)
	for _, f := range m.Files {
		if err := names.Add(f.Path, unpack.File, int64(len(f.Data))); err != nil {
			return err
		}
	}
	for _, s := range []string{m.Author.Name, m.Author.Email} {
		if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "<>\n\x00") {
			return fmt.Errorf("%s <%s> is nobody that git could name", ext.Quote(m.Author.Name), ext.Quote(m.Author.Email))
		}
	}
	const most = 64 << 10
	if strings.TrimSpace(m.Message) == "" || len(m.Message) > most || strings.ContainsRune(m.Message, 0) {
		return fmt.Errorf("a message has between 1 and %d bytes, and no NUL", most)
	}
	if m.Expect != "" && m.Expect != NoCommit && !IsCommit(m.Expect) {
		return fmt.Errorf("%s is no commit", ext.Quote(m.Expect))
	}
	return nil
}

// build makes the tree: the base's, with the files.
func (m *making) build(ctx context.Context) error {
	index := filepath.Join(m.dir, "index")
	private := []string{"GIT_INDEX_FILE=" + index}
	read := []string{"read-tree", cmp.Or(m.base, "--empty")}
	if _, err := m.WorkTree.doing(ctx, call{args: read, env: private}); err != nil {
		return err
	}
	m.is = map[string]entry{}
	for _, f := range m.Files {
		id, err := m.hash(ctx, f.Data)
		if err != nil {
			return err
		}
		m.is[f.Path] = entry{m.mode(f), id}
	}
	if err := m.enter(ctx, m.is, private...); err != nil {
		return err
	}
	tree, err := m.WorkTree.doing(ctx, call{args: []string{"write-tree"}, env: private})
	if err != nil {
		return err
	}
	m.tree = strings.TrimSpace(tree)
	there, err := m.entries(ctx, m.tree, slices.Collect(maps.Keys(m.is))...)
	for p, e := range m.is {
		if err == nil && there[p] != e { // it passes over a name that it does not like, and says nothing
			err = refused("git does not take %s", ext.Quote(p))
		}
	}
	return err
}

func (m *making) mode(f File) string {
	switch was := m.was[f.Path].mode; {
	case f.Mode == Executable, f.Mode == AsItWas && was == execMode:
		return execMode
	}
	return plainMode
}

// hash keeps content in the repository.
func (m *making) hash(ctx context.Context, data []byte) (string, error) {
	in, err := m.input(data)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := m.WorkTree.doing(ctx, call{args: []string{"hash-object", "-w", "--stdin"}, stdin: in})
	return strings.TrimSpace(out), err
}

// input is what git is to read.
func (m *making) input(data []byte) (*os.File, error) {
	name := filepath.Join(m.dir, "input")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		return nil, err
	}
	return os.Open(name)
}

// enter puts entries into an index, and takes out those without a mode.
func (m *making) enter(ctx context.Context, all map[string]entry, env ...string) error {
	var list strings.Builder
	for path, e := range all {
		mode, id := cmp.Or(e.mode, "0"), e.id
		if e.mode == "" {
			for _, of := range m.is {
				id = strings.Repeat("0", len(of.id))
			}
		}
		fmt.Fprintf(&list, "%s %s\t%s\x00", mode, id, path)
	}
	in, err := m.input([]byte(list.String()))
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = m.WorkTree.doing(ctx, call{args: []string{"update-index", "-z", "--index-info"}, stdin: in, env: env})
	return err
}

// write makes the commit, which nothing leads to yet.
func (m *making) write(ctx context.Context) (string, error) {
	sign, with, err := m.signing(ctx)
	if err != nil {
		return "", err
	}
	args := append(sign, "commit-tree", m.tree, "-m", m.Message)
	if m.base != "" {
		args = append(args, "-p", m.base)
	}
	if m.signed = with != ""; m.signed {
		args = append(args, with)
	}
	var env []string
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME="+m.Author.Name, "GIT_"+who+"_EMAIL="+m.Author.Email)
		if !m.When.IsZero() {
			env = append(env, "GIT_"+who+"_DATE="+m.When.Format("@"+fmt.Sprint(m.When.Unix())+" -0700"))
		}
	}
	out, err := m.WorkTree.doing(ctx, call{args: args, env: env})
	if err != nil && m.signed {
		var s *spoken
		e := &Error{Kind: Unsigned, Doing: m.doing, Advice: kindTexts[Unsigned][1], err: err}
		if errors.As(err, &s) {
			e.Detail = firstLine(s.said, s.err)
		}
		return "", e
	}
	return strings.TrimSpace(out), err
}
