package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files are the files of a directory at one commit: the ids of their content by their
// paths below it; of a single file by "". Links have what they lead to as their content.
type Files map[string]string

// History finds what lay at paths in any commit that a branch or a tag of a source leads
// to. A path is meant wherever it ends that of something: skills/deploy is also what lay at
// plugins/acme/skills/deploy. What is needed meanwhile lies in a directory within in, and is
// gone when it returns. commit is any commit of the source: it tells how ids are made.
func (g *Git) History(ctx context.Context, s Source, in, commit string, paths []string, progress func(Progress)) (map[string][]Files, error) {
	doing := "look at all commits of " + s.String()
	ctx, cancel := context.WithTimeoutCause(ctx, g.opt.Fetching, errLate)
	defer cancel()
	store, err := newRepository(in, commit)
	if err != nil {
		return nil, failure(doing, err)
	}
	defer os.RemoveAll(store)
	_, err = g.reach(s, doing, func(at Source) error {
		return g.watched(ctx, store, 2*g.opt.Bounds.Bytes, func(ctx context.Context) error {
			return g.pull(ctx, at, store, Fetching{Progress: progress}, "--update-shallow", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
		})
	})
	if err != nil {
		return nil, err
	}
	h := history{Git: g, store: store, found: map[string][]Files{}}
	if err := h.all(ctx, paths); err != nil {
		return nil, failure(doing, err)
	}
	return h.found, nil
}

// history looks through one repository.
type history struct {
	*Git
	store string
	found map[string][]Files
}

// mostLog is the most that is read of what changed in all commits.
const mostLog = 256 << 20

func (h *history) all(ctx context.Context, paths []string) error {
	args := []string{"log", "--all", "-m", "--root", "-t", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-textconv", "--no-ext-diff", "--no-show-signature", "--format=", "--"}
	for _, p := range paths {
		args = append(args, ":(glob)**/"+escapeGlob(p), ":(glob)**/"+escapeGlob(p)+"/**")
	}
	out := &bounded{most: mostLog}
	if err := h.run(ctx, call{args: args, gitDir: h.store, stdout: out}); err != nil {
		return err
	}
	if out.over {
		return errTooBig
	}
	seen := map[string]bool{}
	fields := bytes.Split(out.Bytes(), []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		var oldMode, mode, old, id, status string
		if _, err := fmt.Sscanf(strings.TrimSpace(string(fields[i])), ":%s %s %s %s %s", &oldMode, &mode, &old, &id, &status); err != nil {
			return fmt.Errorf("git says %q of what changed, which is not understood", fields[i])
		}
		at := string(fields[i+1])
		n := slices.IndexFunc(paths, func(p string) bool { return at == p || strings.HasSuffix(at, "/"+p) })
		if n < 0 || strings.Trim(id, "0") == "" || seen[paths[n]+"\x00"+id] {
			continue
		}
		seen[paths[n]+"\x00"+id] = true
		files := Files{"": id}
		if mode == "040000" {
			var err error
			if files, err = h.tree(ctx, id); err != nil {
				return err
			}
		}
		h.found[paths[n]] = append(h.found[paths[n]], files)
	}
	return nil
}

// tree is what a tree holds, down to the last directory.
func (h *history) tree(ctx context.Context, id string) (Files, error) {
	out := &bounded{most: mostLog}
	if err := h.run(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", id}, gitDir: h.store, stdout: out}); err != nil {
		return nil, err
	}
	if out.over {
		return nil, errTooBig
	}
	files := Files{}
	for _, line := range bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte{0}), []byte{0}) {
		meta, name, ok := strings.Cut(string(line), "\t")
		words := strings.Fields(meta)
		if !ok || len(words) != 3 {
			continue
		}
		files[path.Clean(name)] = words[2]
	}
	return files, nil
}

func escapeGlob(p string) string {
	var b strings.Builder
	for _, c := range p {
		if strings.ContainsRune(`*?[\`, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Tracked are those of paths, below a directory of this machine, that git tracks something
// of. A directory that is in no repository tracks nothing.
func (g *Git) Tracked(ctx context.Context, dir string, paths []string) (map[string]bool, error) {
	tracked := map[string]bool{}
	top, repo := repositoryOf(dir)
	if repo == "" {
		return tracked, nil
	}
	args := []string{"-C", dir, "--work-tree=" + top, "ls-files", "-z", "--"}
	for _, p := range paths {
		args = append(args, ":(literal)"+p)
	}
	out := &bounded{most: mostLog}
	if err := g.run(ctx, call{args: args, gitDir: repo, stdout: out}); err != nil {
		return nil, failure("see what git tracks in "+dir, err)
	}
	for _, name := range strings.Split(out.String(), "\x00") {
		for _, p := range paths {
			if name == p || strings.HasPrefix(name, p+"/") {
				tracked[p] = true
			}
		}
	}
	return tracked, nil
}

// repositoryOf is the checkout that a directory is in, and its repository; "" is none.
func repositoryOf(dir string) (top, repo string) {
	for at := dir; ; at = filepath.Dir(at) {
		repo := filepath.Join(at, ".git")
		if _, err := os.Lstat(repo); err == nil {
			return at, repo
		}
		if at == filepath.Dir(at) {
			return "", ""
		}
	}
}
