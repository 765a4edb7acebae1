package cli

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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
key explained, and the owner's directory with a first skill. Nothing is overwritten,
and an init that was interrupted goes on where it stopped.

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

// begun is what init did, and its JSON document.
type begun struct {
	Workspace string   `json:"workspace"`
	Written   []string `json:"written"` // below the workspace
	Adopted   bool     `json:"adopted"`
	Pending   []string `json:"pending"` // what the workspace held before, where that keeps it from being adopted

	kept  []string // what an earlier init wrote, byte for byte
	made  []string // files and folders, in the order in which they were made
	owner string   // the owner's directory where it is its owner's, so that no first skill was written
	flag  string   // what names the workspace to another command
}

// ours are the files that init wrote, this time or before.
func (b *begun) ours() []string { return slices.Concat(b.Written, b.kept) }

func (c *call) runInit(ctx context.Context, dir string) error {
	dir, err := c.from(dir)
	if err != nil {
		return err
	}
	b := begun{Workspace: dir, Written: []string{}, Pending: []string{}}
	cfg, err := c.write(ctx, &b)
	if err != nil {
		return err
	}
	if c.json {
		return c.document(b)
	}
	c.page(cfg).begun(&b, cfg)
	return nil
}

// write makes the workspace at b.Workspace and adopts it. When it cannot be
// written, nothing of it stays.
func (c *call) write(ctx context.Context, b *begun) (*config.Config, error) {
	above, err := makeAll(b.Workspace)
	if err != nil {
		return nil, fmt.Errorf("begin a workspace: %w", err)
	}
	p, err := c.placeAt(b.Workspace)
	if err == nil {
		b.Workspace, b.flag = p.Workspace.Dir, c.nextFlag(p.Workspace.Dir)
		err = c.writeFiles(ctx, p, b)
	}
	if err != nil {
		for _, dir := range slices.Backward(above) {
			_ = os.Remove(dir)
		}
		return nil, err
	}
	return c.adoptOwn(ctx, p, b)
}

// makeAll makes a directory and those above it that are missing, which it
// returns.
func makeAll(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		made = append(made, d)
	}
	slices.Reverse(made)
	return made, os.MkdirAll(dir, 0o777)
}

func (c *call) writeFiles(ctx context.Context, p host.Place, b *begun) error {
	before, err := c.lookAt(ctx, p)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(b.Workspace)
	if err != nil {
		return fmt.Errorf("begin a workspace: %w", err)
	}
	defer func() { _ = root.Close() }()
	if err := b.files(root, before); err != nil {
		for _, name := range slices.Backward(b.made) {
			_ = root.Remove(name)
		}
		return err
	}
	return nil
}

// files writes what a workspace begins with. An owner's directory that is there
// already is its owner's, and is left alone.
func (b *begun) files(root *os.Root, before *host.Generation) error {
	owner, err := filepath.Rel(b.Workspace, before.Config.OwnerDir())
	inside := err == nil && filepath.IsLocal(owner)
	there := false
	if inside {
		if there, err = b.holdsOwner(root, owner); err != nil {
			return err
		}
	}
	if !before.Adopted && holds(root, config.SharedFile, config.Template()) {
		b.kept = append(b.kept, config.SharedFile)
	} else if err := b.file(root, config.SharedFile, config.Template()); err != nil {
		return err
	}
	if !inside || there && (len(b.kept) == 0 || !begunBefore(root, owner)) {
		b.owner = before.Config.OwnerDir()
		return nil
	}
	for _, folder := range append([]string{""}, append(ownerFolders, filepath.Dir(firstPath))...) {
		if err := b.folder(root, filepath.Join(owner, folder)); err != nil {
			return err
		}
	}
	if first := filepath.Join(owner, firstPath); holds(root, first, firstSkill) {
		b.kept = append(b.kept, filepath.ToSlash(first))
		return nil
	}
	return b.file(root, filepath.Join(owner, firstPath), firstSkill)
}

// holdsOwner reports whether the owner's directory is there. What is there and
// is no directory of the workspace is in the way.
func (b *begun) holdsOwner(root *os.Root, owner string) (bool, error) {
	if _, err := root.Lstat(owner); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if info, err := root.Stat(owner); err == nil && info.IsDir() {
		return true, nil
	}
	return false, refuse("%s is where the owner's directory belongs, and is a file or a link that leads out of the workspace; nothing was written. Move it away, or name another directory as owner.path",
		ext.Quote(filepath.Join(b.Workspace, owner)))
}

// holds reports whether a file is there and has exactly this text.
func holds(root *os.Root, name, text string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	data, err := root.ReadFile(name)
	return err == nil && string(data) == text
}

// begunBefore reports whether the owner's directory holds nothing but what an
// init that was interrupted leaves there.
func begunBefore(root *os.Root, owner string) bool {
	folders := append([]string{".", path.Dir(firstPath)}, ownerFolders...)
	below, err := fs.Sub(root.FS(), filepath.ToSlash(owner))
	if err != nil {
		return false
	}
	err = fs.WalkDir(below, ".", func(name string, d fs.DirEntry, err error) error {
		first := filepath.Join(owner, firstPath)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(folders, name), name == firstPath && holds(root, first, firstSkill):
			return nil
		}
		return fs.ErrExist
	})
	return err == nil
}

// folder makes a folder and those above it.
func (b *begun) folder(root *os.Root, name string) error {
	if up := filepath.Dir(name); up != "." && up != name {
		if err := b.folder(root, up); err != nil {
			return err
		}
	}
	err := root.Mkdir(name, 0o777)
	switch {
	case err == nil:
		b.made = append(b.made, name)
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("begin a workspace: %w", err)
	}
	return nil
}

// file writes a file that must not be there yet.
func (b *begun) file(root *os.Root, name, text string) error {
	err := writeWhole(root, name, text)
	if errors.Is(err, fs.ErrExist) {
		return refuse("%s is there already; init overwrites nothing. mortise %slist shows what the workspace holds", ext.Quote(filepath.Join(b.Workspace, name)), b.flag)
	}
	if err != nil {
		return fmt.Errorf("begin a workspace: %w", err)
	}
	b.made = append(b.made, name)
	b.Written = append(b.Written, filepath.ToSlash(name))
	return nil
}

// writeWhole writes a file whole under another name, at the top of the workspace
// where an init that is interrupted leaves nothing in an extension, and then
// links it to its own, so that nobody ever finds half of it.
func writeWhole(root *os.Root, name, text string) error {
	if _, err := root.Lstat(name); err == nil {
		return fs.ErrExist
	}
	draft := ".mortise-init-" + rand.Text()
	if err := writeNew(root, draft, text); err != nil {
		return err
	}
	err := root.Link(draft, name)
	_ = root.Remove(draft)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return writeNew(root, name, text) // a file system without links
	}
	return err
}

// writeNew writes a file that must not be there yet, to the disk. When it
// fails, nothing of it stays.
func writeNew(root *os.Root, name, text string) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = root.Remove(name)
	}
	return err
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
	err = c.with(ctx, p, host.Changing, func(h *host.Host) error {
		shown, _, err := h.Propose(ctx)
		if err != nil {
			return err
		}
		if shown.Digest() != now.Effects {
			return refuse("something in the workspace changed meanwhile; mortise trust shows it and adopts it")
		}
		return h.Adopt(ctx, c.Person(), shown)
	})
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
		if rel, err := filepath.Rel(b.Workspace, file); e.Extension == string(ext.OwnerName) && (err != nil || !slices.Contains(b.ours(), filepath.ToSlash(rel))) {
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
	for _, name := range b.kept {
		p.line("  %s  %s", p.dim("kept"), p.call.shown(filepath.Join(b.Workspace, filepath.FromSlash(name))))
	}
	if b.owner != "" {
		p.line("No first skill was written: %s is its owner's already.", p.call.shown(b.owner))
	}
	if b.Adopted {
		p.line("It is adopted: agents get what you write here.")
	} else {
		p.line("%s it already held %s.", p.yellow("Not adopted:"), some(escaped(b.Pending)))
		p.line("Whether agents get that is for the person whose workspace it is to decide: mortise %strust shows it and adopts it.", p.call.nextFlag(b.Workspace))
	}
	p.gap()
	p.line("%s", p.bold("Next"))
	flag := p.call.nextFlag(b.Workspace)
	var t table
	if slices.ContainsFunc(b.ours(), func(name string) bool { return name != config.SharedFile }) {
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

// placeFlag is nextFlag for the workspace that the command is about.
func (c *call) placeFlag() string {
	p, err := c.place()
	if err != nil {
		return ""
	}
	return c.nextFlag(p.Workspace.Dir)
}

// some names a few of many.
func some(names []string) string {
	const few = 5
	if len(names) > few {
		names = append(names[:few:few], decimal(uint64(len(names)-few))+" more")
	}
	return enumerate(names)
}
