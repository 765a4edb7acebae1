// Package panel holds the hook for what extensions show of themselves.
package panel

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Panel is a table or a tree, as data: who shows it paints it.
type Panel struct {
	ID      string     `json:"id" doc:"What it goes by: lower-case letters, digits and '-'."`
	Title   string     `json:"title" doc:"What stands above it."`
	Kind    string     `json:"kind,omitzero" doc:"table (the default) or tree."`
	Summary string     `json:"summary,omitzero" doc:"One line about all of it."`
	Columns []string   `json:"columns,omitempty" doc:"Of a table: the heads of its columns."`
	Rows    [][]string `json:"rows,omitempty" doc:"Of a table: rows with one text for each column."`
	Groups  []Group    `json:"groups,omitempty" doc:"Of a tree: objects with key, label and children."`
}

// Group is one branch of a tree.
type Group struct {
	Key      string   `json:"key"` // stays the same while the branch does
	Label    string   `json:"label"`
	Children []string `json:"children,omitempty"`
}

// Panels are what extensions show.
var Panels = surface.DefineHook(surface.HookDef[surface.Question, Panel]{
	Name:  "tui_panels",
	Doc:   "Tables and trees that extensions show of themselves.",
	Needs: ext.Project, Merge: surface.Unique,
	Key: func(p Panel) string { return p.ID }, Valid: (*Panel).check,
})

const most = 1000 // rows, or groups and their children

func (p *Panel) children() int {
	n := len(p.Groups)
	for i := range p.Groups {
		n += len(p.Groups[i].Children)
	}
	return n
}

func (p *Panel) check() error {
	if p.Kind == "" {
		p.Kind = "table"
	}
	switch {
	case !surface.Plain(p.ID, 64, "-") || strings.ToLower(p.ID) != p.ID:
		return fmt.Errorf("has the id %s, expected lower-case letters, digits and '-'", ext.Quote(ext.Shorten(p.ID, 80)))
	case p.Kind != "table" && p.Kind != "tree":
		return fmt.Errorf("is about the panel %s, whose kind %s is none, expected table or tree", p.ID, ext.Quote(p.Kind))
	case p.Kind == "table" && (len(p.Columns) == 0 || p.Groups != nil), p.Kind == "tree" && (p.Rows != nil || p.Columns != nil):
		return fmt.Errorf("is about the panel %s: a table has columns and rows, a tree has groups", p.ID)
	case p.children() > most:
		return fmt.Errorf("is about the panel %s, which has %d branches and children, at most %d are shown", p.ID, p.children(), most)
	case len(p.Rows) > most:
		return fmt.Errorf("is about the panel %s, which has %d rows, at most %d are shown", p.ID, len(p.Rows), most)
	}
	for _, r := range p.Rows {
		if len(r) != len(p.Columns) {
			return fmt.Errorf("is about the panel %s, of which a row has %d texts for %d columns", p.ID, len(r), len(p.Columns))
		}
	}
	return nil
}
