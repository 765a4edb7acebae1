package cli

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

// firstSkill is the skill that a new workspace begins with.
//
//go:embed first.md
var firstSkill string

const (
	firstName = "working-here"
	firstPath = "skills/" + firstName + "/SKILL.md"
)

// ownerFolders are made so that a person sees where things go.
var ownerFolders = []string{"skills", "agents", "commands", "prompts"}

func (c *call) begin() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin a workspace",
		Long: `Begin a workspace in DIR, or in the current directory: write mortise.toml with every
key explained, and the owner's directory with a first skill. Nothing is overwritten.

What init wrote it adopts, so that agents get it. Where the workspace already held
something else, adopting is left to the person whose workspace it is.`,
		Example: "mortise init\nmortise init ./workshop",
		Args:    upTo(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := c.workspace
			if len(args) == 1 {
				if dir = args[0]; c.workspace != "" {
					return usage("--workspace and DIR both say where; leave one out")
				}
			}
			return c.runInit(cmd.Context(), dir)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// begun is the JSON document of init.
type begun struct {
	Workspace string   `json:"workspace"`
	Written   []string `json:"written"` // below the workspace
	Adopted   bool     `json:"adopted"`
	Pending   []string `json:"pending"` // what the workspace held before, where that keeps it from being adopted
}

func (c *call) runInit(ctx context.Context, dir string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.Dir, dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("begin a workspace: %w", err)
	}
	p, err := c.placeAt(dir)
	if err != nil {
		return err
	}
	b := begun{Workspace: p.Workspace.Dir, Written: []string{}, Pending: []string{}}
	before, err := c.lookAt(ctx, p)
	if err != nil {
		return err
	}
	if err := b.write(before.Config); err != nil {
		return err
	}
	cfg, err := c.adoptOwn(ctx, p, &b)
	if err != nil {
		return err
	}
	if c.json {
		return c.document(b)
	}
	c.page(cfg).begun(&b, cfg)
	return nil
}

// write writes what a workspace begins with. An owner's directory that is there
// already is its owner's, and is left alone.
func (b *begun) write(cfg *config.Config) error {
	root, err := os.OpenRoot(b.Workspace)
	if err != nil {
		return fmt.Errorf("begin a workspace: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := b.file(root, config.SharedFile, config.Template()); err != nil {
		return err
	}
	owner, err := filepath.Rel(b.Workspace, cfg.OwnerDir())
	if err != nil || !filepath.IsLocal(owner) {
		return nil
	}
	if _, err := root.Lstat(owner); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, folder := range append(ownerFolders, filepath.Dir(firstPath)) {
		if err := root.MkdirAll(filepath.Join(owner, folder), 0o777); err != nil {
			return fmt.Errorf("begin a workspace: %w", err)
		}
	}
	return b.file(root, filepath.Join(owner, firstPath), firstSkill)
}

// file writes a file that must not be there yet.
func (b *begun) file(root *os.Root, name, text string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return refuse("%s is there already; init overwrites nothing. mortise list shows what the workspace holds", ext.Quote(filepath.Join(b.Workspace, name)))
	}
	if err != nil {
		return fmt.Errorf("begin a workspace: %w", err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("begin a workspace: %w", err)
	}
	b.Written = append(b.Written, filepath.ToSlash(name))
	return nil
}

// adoptOwn adopts the workspace when it holds nothing but what was written.
func (c *call) adoptOwn(ctx context.Context, p host.Place, b *begun) (*config.Config, error) {
	now, err := c.lookAt(ctx, p)
	if err != nil {
		return nil, err
	}
	if b.Adopted = now.Adopted; b.Adopted {
		return now.Config, nil
	}
	if b.Pending = b.others(now); len(b.Pending) > 0 {
		return now.Config, nil
	}
	err = c.with(ctx, p, true, func(h *host.Host) error { return h.Adopt(ctx, c.Person(), now.Effects) })
	b.Adopted = err == nil
	return now.Config, err
}

// others names what the workspace holds that init did not write.
func (b *begun) others(g *host.Generation) []string {
	out := []string{}
	if _, err := os.Lstat(filepath.Join(b.Workspace, config.LocalFile)); err == nil {
		out = append(out, config.LocalFile)
	}
	l := g.Listing()
	for _, x := range l.Extensions {
		if n := ext.Name(x.Name); n != ext.BuiltinName && n != ext.OwnerName && !ownPlugin(g, n) {
			out = append(out, x.Name)
		}
	}
	for _, e := range l.Entries {
		file := filepath.Join(g.Config.OwnerDir(), filepath.FromSlash(e.Path))
		if rel, err := filepath.Rel(b.Workspace, file); e.Extension == string(ext.OwnerName) && (err != nil || !slices.Contains(b.Written, filepath.ToSlash(rel))) {
			out = append(out, e.Qualified)
		}
	}
	return out
}

// ownPlugin reports whether a plugin is the person's own, in every workspace.
func ownPlugin(g *host.Generation, name ext.Name) bool {
	return slices.ContainsFunc(g.Config.Plugins, func(p config.Plugin) bool { return p.Name == name && p.Own })
}

// begun shows what was done and what comes next.
func (p *page) begun(b *begun, cfg *config.Config) {
	p.line("%s is a workspace.", p.bold(p.call.directoryShown(b.Workspace)))
	for _, name := range b.Written {
		p.line("  %s %s", p.green("wrote"), p.call.shown(filepath.Join(b.Workspace, filepath.FromSlash(name))))
	}
	if b.Adopted {
		p.line("It is adopted: agents get what you write here.")
	} else {
		p.line("%s it already held %s.", p.yellow("Not adopted:"), some(escaped(b.Pending)))
		p.line("Whether agents get that is for the person whose workspace it is to decide.")
	}
	p.gap()
	p.line("%s", p.bold("Next"))
	flag := p.call.nextFlag(b.Workspace)
	var t table
	if slices.ContainsFunc(b.Written, func(name string) bool { return name != config.SharedFile }) {
		t.row(cell{"edit " + p.call.shown(filepath.Join(cfg.OwnerDir(), filepath.FromSlash(firstPath))), nil}, cell{"say how work is done here", p.dim})
	}
	t.row(cell{"mortise " + flag + "list", nil}, cell{"see what an agent could use here", p.dim})
	t.row(cell{"mortise " + flag + "session", nil}, cell{"see what an agent gets, with its size", p.dim})
	t.full(p)
}

// nextFlag is the flag that names the workspace, where a command without it
// would not lead there.
func (c *call) nextFlag(dir string) string {
	if w, err := config.FindWorkspace(c.Dir, c.getenv(config.WorkspaceVariable)); err == nil && w.Dir == dir {
		return ""
	}
	return "--workspace " + word(c.shown(dir)) + " "
}

// some names a few of many.
func some(names []string) string {
	const few = 5
	if len(names) > few {
		names = append(names[:few:few], decimal(uint64(len(names)-few))+" more")
	}
	return enumerate(names)
}
