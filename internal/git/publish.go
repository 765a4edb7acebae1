package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// publish moves the branch to the commit. First git promises that nothing else moves it;
// then, where it is checked out, the files get into its index; then it is moved. So nobody
// sees a branch that is ahead of its index, which would look as if the files had been
// taken back, and who is killed in between leaves them staged.
func (m *making) publish(ctx context.Context, commit string) error {
	subject, _, _ := strings.Cut(m.Message, "\n")
	t, err := m.begin(ctx, "commit: "+ext.Shorten(subject, 100))
	if err != nil {
		return err
	}
	defer t.end()
	if err := t.prepare(m.move(commit)...); err != nil {
		return err
	}
	m.step("prepared")
	was, err := m.stage(ctx)
	if err != nil {
		return err
	}
	m.step("staged")
	if err := t.commit(); err != nil {
		return m.unstage(ctx, was, err)
	}
	m.step("moved")
	return nil
}

// step tells a test what was done.
func (m *making) step(what string) {
	if m.git.at != nil {
		m.git.at(what)
	}
}

// move is how the branch is moved, in the words of git update-ref --stdin.
func (m *making) move(commit string) []string {
	switch {
	case m.tip == "":
		return []string{"create " + m.ref + " " + commit}
	case m.ref == "HEAD":
		return []string{"option no-deref", "update HEAD " + commit + " " + m.tip}
	}
	return []string{"update " + m.ref + " " + commit + " " + m.tip}
}

// stage puts the files into the index of the working tree, where the branch is checked
// out, and is what was there.
func (m *making) stage(ctx context.Context) (map[string]entry, error) {
	if !m.here {
		return nil, nil
	}
	now := m.WorkTree
	if err := now.look(ctx); err != nil {
		return nil, err
	}
	if now.Branch != m.WorkTree.Branch || now.Head != m.tip {
		return nil, &Error{Kind: Stale, Doing: m.doing, Detail: "something else was checked out meanwhile", Advice: kindTexts[Stale][1]}
	}
	was, err := m.staged(ctx)
	if err != nil {
		return nil, err
	}
	return was, m.enter(ctx, m.is)
}

// staged is what the index holds of the files. Content that is neither what the branch has
// nor what is committed is the person's, and would be lost.
func (m *making) staged(ctx context.Context) (map[string]entry, error) {
	args := []string{"ls-files", "-s", "-z", "--"}
	was := map[string]entry{}
	for p := range m.is {
		args, was[p] = append(args, ":(top,literal)"+p), entry{}
	}
	out, err := m.raw(ctx, m.in(args...)...)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		meta, path, ok := strings.Cut(line, "\t")
		words := strings.Fields(meta)
		if !ok || len(words) != 3 {
			continue
		}
		if _, ours := m.is[path]; !ours {
			return nil, refused("%s is staged, and %s is to be a file; unstage it", ext.Quote(path), ext.Quote(path[:strings.LastIndexByte(path, '/')]))
		}
		if words[2] != "0" {
			return nil, refused("%s is not merged yet; end the merge first", ext.Quote(path))
		}
		was[path] = entry{words[0], words[1]}
	}
	for p, e := range was {
		if e != m.was[p] && e != m.is[p] && !m.intended(p, e) {
			return nil, refused("other changes of %s are staged, and would be lost; commit them first, or unstage them (git restore --staged)", ext.Quote(p))
		}
	}
	return was, nil
}

// emptyBlobs are the ids of an empty file.
var emptyBlobs = map[string]bool{
	"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391":                         true,
	"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813": true,
}

// intended reports whether an entry is one of git add --intent-to-add, which has no content.
func (m *making) intended(path string, e entry) bool {
	return m.was[path] == (entry{}) && emptyBlobs[e.id]
}

// unstage puts back what the index held before a branch could not be moved.
func (m *making) unstage(ctx context.Context, was map[string]entry, why error) error {
	if was == nil {
		return why
	}
	if err := m.enter(context.WithoutCancel(ctx), was); err != nil {
		return fmt.Errorf("%w (and what was to be committed is staged: %w)", failure(m.doing, why), failure("take it back", err))
	}
	return why
}

// moving is a git that moves a branch in steps.
type moving struct {
	run  *running
	in   *os.File
	out  *bufio.Reader
	gave *os.File
	ctx  context.Context //nolint:containedctx // of the process, which ends with it
	off  context.CancelFunc
}

// begin starts it.
func (m *making) begin(ctx context.Context, message string) (*moving, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	ctx, off := context.WithCancel(ctx)
	c := call{args: append(here[:len(here):len(here)], "update-ref", "-m", ext.Escape(message), "--stdin"), gitDir: m.WorkTree.dir, stdin: stdin, stdout: stdout, tidy: true}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		c.env = append(c.env, "GIT_"+who+"_NAME="+m.Author.Name, "GIT_"+who+"_EMAIL="+m.Author.Email)
	}
	run, err := m.git.start(ctx, c)
	stdin.Close()
	stdout.Close()
	if err != nil {
		off()
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return &moving{run: run, in: in, out: bufio.NewReader(out), gave: out, ctx: ctx, off: off}, nil
}

// prepare has git lock what is to be moved, and see that it is where it should be.
func (t *moving) prepare(moves ...string) error {
	if err := t.tell("start"); err != nil {
		return err
	}
	if _, err := io.WriteString(t.in, strings.Join(moves, "\n")+"\n"); err != nil {
		return t.broken(err)
	}
	return t.tell("prepare")
}

// commit has it moved.
func (t *moving) commit() error {
	if err := t.tell("commit"); err != nil {
		return err
	}
	t.in.Close()
	return t.run.wait(t.ctx)
}

// tell gives git one command, and waits until it was done.
func (t *moving) tell(command string) error {
	if _, err := io.WriteString(t.in, command+"\n"); err != nil {
		return t.broken(err)
	}
	line, err := t.out.ReadString('\n')
	if err != nil {
		return t.broken(err)
	}
	if line != command+": ok\n" {
		return fmt.Errorf("git says %q, which is not understood", line)
	}
	return nil
}

// broken is why it does not go on: what git said, where it ended.
func (t *moving) broken(err error) error {
	t.in.Close()
	<-t.run.done
	if failed := t.run.wait(t.ctx); failed != nil {
		return failed
	}
	return fmt.Errorf("git stopped moving the branch: %w", err)
}

// end has git take its locks away, if it holds any still.
func (t *moving) end() {
	t.in.Close()
	<-t.run.done
	t.off()
	t.gave.Close()
}
