package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// modulesOf reads the addresses of submodules, by their paths, from a .gitmodules. It
// reads what git itself writes and nothing cleverer.
func modulesOf(data []byte) map[string]string {
	found := map[string]string{}
	at, address := "", ""
	end := func() {
		if at != "" {
			found[at] = address
		}
		at, address = "", ""
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			end()
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "path":
			at = value
		case "url":
			address = value
		}
	}
	end()
	return found
}

// mostNested is how deep submodules of submodules are fetched.
const mostNested = 5

// modules fetches the submodules that may be. What is not fetched says why.
func (g *Git) modules(ctx context.Context, dir string, f *Fetched, o Fetching) {
	for i := range f.Modules {
		m := &f.Modules[i]
		if err := g.module(ctx, dir, f.At, m, o); err != nil {
			m.Why = err.Error()
			continue
		}
		m.Fetched = true
	}
}

type nestedKey struct{}

func (g *Git) module(ctx context.Context, dir string, above Source, m *Module, o Fetching) error {
	nested, _ := ctx.Value(nestedKey{}).(int)
	if nested >= mostNested {
		return fmt.Errorf("submodules lie in submodules, deeper than %d", mostNested)
	}
	s, err := above.below(m.URL)
	if err := o.Module(m.Path, s, err); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(m.Path); err != nil { // the empty directory
		return err
	}
	under := context.WithValue(ctx, nestedKey{}, nested+1)
	to := filepath.Join(dir, filepath.FromSlash(m.Path))
	if _, err = g.Fetch(under, s, m.Commit, to, Fetching{Module: o.Module, Progress: o.Progress, Sums: o.Sums}); err != nil {
		return errors.Join(err, root.RemoveAll(m.Path), root.Mkdir(m.Path, 0o700))
	}
	return nil
}

// below is the source of a submodule, whose address may be relative to that of the
// repository.
func (s Source) below(address string) (Source, error) {
	if strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../") {
		rel := s
		rel.short = false
		rel.path = path.Join(s.path, address)
		if !strings.HasPrefix(rel.path, "/") && strings.HasPrefix(s.path, "/") || strings.HasPrefix(rel.path, "..") || rel.path == "/" {
			return Source{}, fmt.Errorf("the address of the submodule leaves the host")
		}
		return rel, nil
	}
	sub, _, err := Parse(address, Allow{Local: s.Local()})
	return sub, err
}
