// Package imports reads what other clients have installed: where its directories lie, and
// whether it is in use there. It reads their registries and settings and nothing that holds
// secrets, runs none of them, and looks into no cache that no registry names: what was
// uninstalled stays there.
package imports

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
)

// Found is something that a client has installed.
type Found struct {
	Client string // claude-code, codex, gemini-cli
	ID     string // as the client calls it; not escaped
	Name   string // as the client calls it without where it came from
	Dir    string // absolute directory to link; "" where there is none
	On     bool   // it is in use there
	// Moves: the client puts an update into another directory, or takes the directory away,
	// so that a link to it ends then.
	Moves bool
	Local bool   // it is for the workspace alone
	Why   string // why it cannot be linked, or is off; "" when it can and is on
}

// Linkable reports whether there is a directory to link.
func (f *Found) Linkable() bool { return f.Dir != "" }

// Place is where is looked.
type Place struct {
	Env       []string // KEY=VALUE
	Home      string   // the person's home, absolute
	Workspace string   // absolute
}

// Clients are the names of the clients that are known, in the order in which they are read.
var Clients = []string{"claude-code", "codex", "gemini-cli"}

// Look is what is installed, by client, and what could not be read. One client that cannot
// be read costs itself alone.
func Look(p Place, clients []string) (all []Found, faults []error) {
	readers := map[string]func(Place) ([]Found, []error){"claude-code": claude, "codex": codex, "gemini-cli": gemini}
	for _, name := range Clients {
		if len(clients) > 0 && !slices.Contains(clients, name) {
			continue
		}
		found, errs := readers[name](p)
		slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.ID, b.ID) })
		all = append(all, found...)
		for _, err := range errs {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	return all, faults
}

func (p *Place) getenv(name string) (value string) {
	for _, kv := range p.Env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// mostFile is the largest registry that is read.
const mostFile = 8 << 20

// read reads a file; nil where there is none.
func read(name string) ([]byte, error) {
	real, err := filepath.EvalSymlinks(name) // settings are often links into a repository of their owner's
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return file.ReadAtMost(real, mostFile)
}

// readJSON reads a document into v; ok is false where there is none. What is not asked for
// is not kept.
func readJSON(name string, v any) (ok bool, err error) {
	data, err := read(name)
	if data == nil || err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("%s: %w", ext.Quote(name), err)
	}
	return true, nil
}

// isDir reports whether a directory is there.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// hasAny reports whether one of files is below a directory.
func hasAny(dir string, files ...string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f)))
		return err == nil && info.Mode().IsRegular()
	})
}

// manifests are the files of which one says that a directory is a plugin of Claude Code or
// of Codex.
var manifests = []string{".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json", "plugin.json"}

// offered is the directory of a plugin in a marketplace that lies on this machine: where its
// entry is a path in it; "" else.
func offered(market, plugin string) string {
	for _, at := range []string{".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"} {
		var m struct {
			Metadata struct{ PluginRoot string }
			Plugins  []struct {
				Name   string
				Source json.RawMessage
			}
		}
		if ok, err := readJSON(filepath.Join(market, filepath.FromSlash(at)), &m); !ok || err != nil {
			continue
		}
		for _, e := range m.Plugins {
			if e.Name != plugin {
				continue
			}
			rel := pathOf(e.Source, m.Metadata.PluginRoot)
			if rel != "" && filepath.IsLocal(filepath.FromSlash(rel)) {
				if dir := filepath.Join(market, filepath.FromSlash(rel)); isDir(dir) {
					return dir
				}
			}
		}
	}
	return ""
}

// pathOf is the path that an entry's source is; "" where it is none.
func pathOf(source json.RawMessage, root string) string {
	var text string
	if json.Unmarshal(source, &text) == nil {
		if root != "" && !strings.HasPrefix(text, ".") {
			text = root + "/" + text
		}
		return strings.TrimPrefix(text, "./")
	}
	var local struct{ Source, Path string }
	if json.Unmarshal(source, &local) == nil && local.Source == "local" {
		return strings.TrimPrefix(local.Path, "./")
	}
	return ""
}
