package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

const taskNameLong = `NAME is a task, or EXTENSION:NAME. A name that several have means the owner's, then
that of the plugin that the configuration names first, and it is said which.`

func (c *call) task() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "task",
		Short: "List and read the tasks of every extension, and write your own",
		Long: `A task is work that is written down to be done again: a directory with instructions
in TASK.md and files of its own beside it. Tasks are read wherever they lie. They are
written in the owner's directory alone: a plugin's task is read-only, and mortise task
copy makes one of your own of it.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("task command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.taskList(), c.taskShow(), c.taskNew(), c.taskEdit(), c.taskRemove(), c.taskCopy())
	return cmd
}

func (c *call) taskList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tasks of the owner and of every enabled plugin",
		Args:  upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.tasks(cmd.Context(), func(cfg *config.Config, t *author.Tasks) error {
				if c.json {
					return c.document(t.Listed())
				}
				c.page(cfg).tasks(t, c.nextFlag(cfg.Workspace().Dir))
				return nil
			})
		},
	}
}

func (c *call) taskShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a task: what it asks for, its instructions and its files",
		Long: `Show a task: what it asks for, its instructions, its files, and whether it can be
edited. The document of --json has the digest that an edit is made from.

` + taskNameLong,
		Args: one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.tasks(cmd.Context(), func(cfg *config.Config, t *author.Tasks) error {
				s, err := t.Show(args[0])
				if err != nil {
					return err
				}
				if c.json {
					return c.document(s)
				}
				c.page(cfg).task(&s)
				return nil
			})
		},
		ValidArgsFunction: c.completes(taskNames),
	}
}

// taskNames are the short names of all tasks that are not disabled.
func taskNames(g *host.Generation) (names []string) {
	for _, e := range g.Listing().Of(author.Surface.Name).Entries {
		if e.Status != "disabled" {
			names = append(names, e.Name)
		}
	}
	return names
}

// tasks are read by a host that changes nothing.
func (c *call) tasks(ctx context.Context, do func(*config.Config, *author.Tasks) error) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Looking, func(h *host.Host) error {
		t, err := h.Tasks(ctx)
		if err != nil {
			return err
		}
		return do(h.Now().Config, t)
	})
}

// tasks is the table of tasks.
func (p *page) tasks(t *author.Tasks, flag string) {
	rows := t.List()
	var out table
	own := 0
	for i := range rows {
		r := &rows[i]
		shown, status, mark := r.Name, r.Status, "read-only"
		if f, err := t.Find(r.Name); err != nil || f.Ambiguous {
			shown = r.Qualified
		}
		if status == "active" {
			status = ""
		}
		if r.Writable {
			mark = ""
			own++
		}
		out.row(cell{ext.Escape(shown), p.bold}, cell{ext.Escape(r.Extension), p.dim}, cell{status, p.status}, cell{mark, p.dim}, cell{bounded(r.Description), nil})
	}
	out.write(p)
	switch {
	case len(rows) == 0:
		p.line("There are no tasks yet. mortise %stask new NAME makes one.", flag)
	case own < len(rows):
		p.line("%s, %d of them yours to edit; mortise %stask show NAME says why another is not.", count(len(rows), "task"), own, flag)
	default:
		p.line("%s, all yours to edit.", count(len(rows), "task"))
	}
	if t.Disabled > 0 {
		p.line("Disabled, and not listed: %s.", count(t.Disabled, "task"))
	}
}

// task is one task.
func (p *page) task(s *author.Shown) {
	p.line("%s  %s", p.bold(ext.Escape(s.Title)), p.dim(ext.Escape(s.Qualified)))
	p.ambiguous(s.Ambiguous, s.Candidates)
	if s.Description != "" {
		p.line("%s", bounded(s.Description))
	}
	var t table
	if s.Status != "active" {
		t.row(cell{"status", p.dim}, cell{s.Status, p.status})
	}
	t.row(cell{"file", p.dim}, cell{ext.Escape(s.Path) + after(" of ", p.call.directoryShown(s.Root)), nil})
	if !s.Writable {
		t.row(cell{"read-only", p.dim}, cell{safe(s.Reason), nil})
	}
	if s.Schedule != "" {
		t.row(cell{"schedule", p.dim}, cell{line(s.Schedule), nil})
	}
	if len(s.Tools) > 0 {
		t.row(cell{"tools", p.dim}, cell{line(join(s.Tools)), nil})
	}
	for i, in := range s.Inputs {
		head := ""
		if i == 0 {
			head = "inputs"
		}
		t.row(cell{head, p.dim}, cell{input(in), nil})
	}
	for i, f := range s.Files {
		head := ""
		if i == 0 {
			head = "files"
		}
		t.row(cell{head, p.dim}, cell{ext.Escape(f.Path) + " (" + count(int(f.Size), "byte") + ")", nil})
	}
	t.full(p)
	for _, f := range s.Faults {
		p.line("%s %s", p.red("error:"), safe(f))
	}
	p.gap()
	p.call.out.WriteString(ext.EscapeText(s.Instructions))
}

// input is one input in a line.
func input(in author.Input) string {
	text := ext.Escape(in.Name)
	if in.Required {
		text += " (required)"
	}
	if in.Description != "" {
		text += ": " + line(in.Description)
	}
	if in.Default != "" {
		text += " [" + line(in.Default) + "]"
	}
	return text
}

// ambiguous says which of several a short name was taken for.
func (p *page) ambiguous(is bool, candidates []string) {
	if !is {
		return
	}
	var names []string
	for _, n := range candidates {
		names = append(names, ext.Escape(n))
	}
	p.line("%s that name is several tasks', and the first of these is meant: %s.", p.yellow("Ambiguous:"), join(names))
}
