package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
)

// rootsDoc is the JSON document of session --roots.
type rootsDoc struct {
	Workspace string    `json:"workspace"`
	Roots     []rootRow `json:"roots"` // in load order
}

// rootRow is one directory that a session's extensions are read from.
type rootRow struct {
	Extension string `json:"extension"`
	Dir       string `json:"dir"`
	From      string `json:"from"`   // owner, configuration, monorepo, or installed
	Commit    string `json:"commit"` // of what is installed; "" where it has none
	Disabled  bool   `json:"disabled"`
	Missing   bool   `json:"missing"` // it is no directory
}

// sessionRoots says which directories a session's extensions are read from, and reads none
// of them: what the configuration, the roster and the switches say.
func (c *call) sessionRoots(ctx context.Context) error {
	return c.plugins(ctx, host.Looking, func(p host.Place, r *roster.Roster) error {
		cfg, _, err := p.Configure(nil)
		if err != nil {
			return err
		}
		s, err := r.Store.Load(ctx)
		if err != nil {
			return err
		}
		doc := rootsDoc{Workspace: p.Workspace.Dir}
		add := func(row rootRow, on bool) {
			_, off := s.Disabled(p.Workspace.ID, ext.Name(row.Extension), "")
			row.Disabled = off || !on
			row.Missing = !isDir(row.Dir)
			doc.Roots = append(doc.Roots, row)
		}
		add(rootRow{Extension: string(ext.OwnerName), Dir: cfg.OwnerDir(), From: "owner"}, true)
		named := map[ext.Name]bool{}
		for _, x := range cfg.Plugins {
			named[x.Name] = true
			add(rootRow{Extension: string(x.Name), Dir: x.Dir, From: "configuration"}, x.Enabled && !x.Refused)
		}
		if dir, named := cfg.MonorepoDir(); named || isDir(filepath.Join(dir, colony.Dir)) {
			add(rootRow{Extension: string(ext.MonorepoName), Dir: dir, From: "monorepo"}, true)
		}
		for _, line := range roster.In(s.Roster, p.Workspace.ID) {
			if !named[line.Name] { // a name that the configuration uses is the configuration's
				add(rootRow{Extension: string(line.Name), Dir: roster.Dir(c.Checkouts(p), &line), From: "installed", Commit: line.Commit}, true)
			}
		}
		if c.json {
			return c.document(doc)
		}
		view := c.page(cfg)
		var t table
		for _, row := range doc.Roots {
			state := ""
			switch {
			case row.Disabled:
				state = "disabled"
			case row.Missing:
				state = "missing"
			}
			t.row(cell{ext.Escape(row.Extension), view.bold}, cell{row.From, view.dim}, cell{state, view.yellow}, cell{ext.Escape(row.Dir), nil})
		}
		t.full(view)
		if len(cfg.Broken()) > 0 {
			fmt.Fprintln(c.Err, "mortise: the configuration could not be read whole; mortise list says why")
		}
		return nil
	})
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
