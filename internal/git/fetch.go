package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Fetching says what Fetch does besides. The zero value is right for most.
type Fetching struct {
	// Ref is where the commit was found. It helps where a host does not give single
	// commits.
	Ref string
	// OnRef: a branch or a tag of the source must lead to the commit. Hosts also give commits
	// that anybody proposed, or that were taken back. All of its history is fetched then.
	OnRef bool
	// Progress is told how far it is, from one goroutine at a time; nil is told nothing.
	Progress func(Progress)
	// Sums are told of each file that is written; nil are not.
	Sums *unpack.Sums
	// Signers has the signature of the commit judged; nil does not.
	Signers *Signers
	// Modules has submodules fetched; nil leaves all out. Where the commit's signature does
	// not count none is, and then nothing is written.
	Modules *Modules
}

// Fetched is what Fetch wrote, submodules counted.
type Fetched struct {
	Commit    string
	When      time.Time // of the commit, as its author's machine had it
	At        Source    // as it was reached
	Files     int
	Bytes     int64
	Modules   []Module   // submodules, all fetched or none: then their directories are empty
	Pointers  []string   // files that only stand for what Git LFS keeps elsewhere, up to 100
	Signature *Signature // nil where it was not asked for
}

// Module is a submodule of a commit.
type Module struct {
	Path    string // within the checkout
	URL     string // as .gitmodules has it; "" where that does not name it
	Commit  string
	Fetched bool
	At      Source // as it was reached; zero where it was not fetched
}

// Fetch writes the files of exactly one commit into dir, which must not be there and is
// made; what it needs meanwhile lies beside dir, and is gone when it returns. There is no
// .git in dir. Files are byte by byte what the repository holds: no filter, no line end
// and no encoding is applied, and whether they may be executed is kept. A tree that holds
// anything that leads outside, or that some system would take for something else, is
// refused whole (ext.Refused), with all that is wrong with it. Submodules that are fetched
// are a part of that tree, of what is refused, and of what bounds hold. When Fetch fails,
// perhaps a part is at dir, which is the caller's to remove.
func (g *Git) Fetch(ctx context.Context, s Source, commit, dir string, o Fetching) (*Fetched, error) {
	top := &part{path: ".", source: s, commit: commit}
	doing := top.doing()
	if !IsCommit(commit) {
		return nil, ext.AsUsage(fmt.Errorf("%s: it is not the whole hash of a commit", doing))
	}
	if o.Ref != "" {
		if err := checkRef(o.Ref); err != nil {
			return nil, ext.AsUsage(err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.opt.Fetching, errLate)
	defer cancel()
	a := assembly{Git: g, how: o, beside: filepath.Dir(dir), names: unpack.NewNames(g.opt.Bounds), fetched: &Fetched{Commit: commit}}
	defer a.close()
	if err := a.bring(ctx, top, o); err != nil {
		return nil, err
	}
	f := a.fetched
	f.At = top.source
	if o.Signers != nil {
		var err error
		if f.Signature, err = g.signature(ctx, top.store, commit, *o.Signers); err != nil {
			return nil, failure(doing, err)
		}
		if o.Modules != nil && !f.Signature.OK { // who did not sign does not say whom we contact
			return f, nil
		}
	}
	if err := a.write(ctx, dir); err != nil {
		return nil, prefixed(doing, err)
	}
	return f, nil
}

// prefixed is failure, and tells of a refusal what was being done.
func prefixed(doing string, err error) error {
	if ext.KindOf(err) == ext.Refused {
		return fmt.Errorf("%s: it is not taken: %w", doing, err)
	}
	return failure(doing, err)
}

// newRepository makes an empty repository in a directory. It is made by hand: git init
// copies templates.
func newRepository(in, commit string) (string, error) {
	dir, err := os.MkdirTemp(in, ".git-")
	if err != nil {
		return "", err
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if len(commit) == 64 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	for _, d := range []string{"objects/pack", "objects/info", "refs/heads", "info"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, d), 0o700))
	}
	err = errors.Join(err,
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// watched calls do, which brings objects into a repository, and ends it when that are more
// bytes than most.
func (g *Git) watched(ctx context.Context, store string, most int64, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		watch(ctx, store, most, cancel)
	}()
	defer func() { cancel(nil); <-watching }()
	return do(ctx)
}

// transfer has the objects of a commit brought into a repository: that commit alone,
// what its reference has, or all that there is, whichever the host gives.
func (g *Git) transfer(ctx context.Context, s Source, commit, store string, o Fetching) error {
	if !o.OnRef {
		if err := g.pull(ctx, s, store, o, "--depth=1", commit); !partly(err) {
			return err
		}
	}
	if o.Ref != "" && !o.OnRef && !IsCommit(o.Ref) {
		if g.pull(ctx, s, store, o, "--depth=1", fullRef(o.Ref)) == nil && g.has(ctx, store, commit) {
			return nil
		}
	}
	if err := g.pull(ctx, s, store, o, "--update-shallow", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"); err != nil {
		return err
	}
	if !g.has(ctx, store, commit) {
		return &Error{Kind: NoRef, Advice: "no branch and no tag of it leads to this commit: it may have been taken back"}
	}
	return nil
}

// fullRef is a reference as a fetch takes it.
func fullRef(ref string) string {
	if ref == "HEAD" || strings.HasPrefix(ref, "refs/") {
		return ref
	}
	return "refs/heads/" + ref
}

// partly reports whether a host is one that does not give single commits.
func partly(err error) bool {
	var s *spoken
	if !errors.As(err, &s) {
		return false
	}
	kind, _ := kindOf(s.said)
	return kind == NoRef || strings.Contains(s.said, "does not support shallow") || strings.Contains(s.said, "not support --depth")
}

func (g *Git) pull(ctx context.Context, s Source, store string, o Fetching, how string, what ...string) error {
	args := []string{"fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", how, "--", s.String()}
	heard := func(line string) {
		if p, ok := progressOf(line); ok && o.Progress != nil {
			o.Progress(p)
		}
	}
	return g.run(ctx, call{args: append(args, what...), scheme: s.scheme, gitDir: store, heard: heard})
}

// has reports whether a commit is in a repository.
func (g *Git) has(ctx context.Context, store, commit string) bool {
	return g.run(ctx, call{args: []string{"cat-file", "-e", commit + "^{commit}"}, gitDir: store}) == nil
}

// looking is how often is looked how much was transferred.
const looking = 50 * time.Millisecond

// watch ends a transfer that brings more than is taken.
func watch(ctx context.Context, store string, most int64, end context.CancelCauseFunc) {
	tick := time.NewTicker(looking)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if weight(filepath.Join(store, "objects", "pack")) > most {
				end(errTooBig)
				return
			}
		}
	}
}

// weight is how many bytes the files in a directory have.
func weight(dir string) (sum int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// reading reads objects out of a repository through a process of its own.
func (g *Git) reading(ctx context.Context, store string, do func(*objects) error, how ...string) error {
	from, err := g.openObjects(ctx, store, how...)
	if err != nil {
		return err
	}
	if err := do(from); err != nil {
		from.abandon()
		return err
	}
	return from.Close()
}

// writing writes leaves.
type writing struct {
	from     *objects
	to       *unpack.Writer
	fetched  *Fetched
	progress func(Progress)
	total    int // of files and links
}

func (w *writing) all(leaves []leaf) error {
	var ids []string
	for _, l := range leaves {
		if l.kind != unpack.Dir {
			ids = append(ids, l.id)
		}
	}
	return w.from.many(ids, true, func() error { return w.leaves(leaves) })
}

func (w *writing) leaves(leaves []leaf) error {
	const step = 100 // files between two words about how far it is
	for i := range leaves {
		if err := w.leaf(&leaves[i]); err != nil {
			return err
		}
		if w.progress != nil && (w.fetched.Files%step == 0 || i == len(leaves)-1) {
			w.progress(Progress{Phase: "writing", Done: w.fetched.Files, Total: w.total})
		}
	}
	return nil
}

func (w *writing) leaf(l *leaf) error {
	if l.kind == unpack.Dir {
		return w.to.Dir(l.path)
	}
	size, err := w.from.head(l.id, "blob")
	if err != nil {
		return err
	}
	w.fetched.Files++
	w.fetched.Bytes += size
	if l.kind == unpack.Link {
		return w.link(l, size)
	}
	var from io.Reader = w.from.out
	if size < mostPointer {
		data := make([]byte, size)
		if _, err := io.ReadFull(from, data); err != nil {
			return w.from.broken(err)
		}
		w.note(l.path, data)
		from = bytes.NewReader(data)
	}
	if err := w.to.File(l.path, l.kind, size, from); err != nil {
		return err
	}
	return w.from.done()
}

// mostLink is how long what a link leads to may be.
const mostLink = 4 << 10

func (w *writing) link(l *leaf, size int64) error {
	if size > mostLink {
		return ext.AsRefused(&unpack.RefusedError{Faults: []string{fmt.Sprintf("the link %s leads to %d bytes of text", ext.Quote(l.path), size)}})
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(w.from.out, data); err != nil {
		return w.from.broken(err)
	}
	if err := w.to.Link(l.path, string(data)); err != nil {
		return err
	}
	return w.from.done()
}

const (
	mostPointer  = 1 << 10 // bytes of a file that stands for one in Git LFS
	mostPointers = 100     // that are named
)

// note looks at a small file as it passes.
func (w *writing) note(name string, data []byte) {
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) && len(w.fetched.Pointers) < mostPointers {
		w.fetched.Pointers = append(w.fetched.Pointers, name)
	}
}
