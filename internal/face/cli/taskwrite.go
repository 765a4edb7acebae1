package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

// writtenTask is the JSON document of what was made, edited or copied.
type writtenTask struct {
	author.Shown
	Changed bool   `json:"changed"`        // false: it was so before
	From    string `json:"from,omitempty"` // qualified name of what was copied
}

func (c *call) taskNew() *cobra.Command {
	var title, description, file string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a task in the owner's directory",
		Long: `Make the task NAME in the owner's directory, with instructions to be filled in, or
with the text of a file. NAME is of letters, digits, '_', '-' and '.'.`,
		Example: "mortise task new tidy-up --description \"Remove what nobody uses.\"\nmortise task new tidy-up --file draft.md",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if file != "" && (title != "" || description != "") {
				return usage("--file has the whole text, so that --title and --description go without it")
			}
			text := blankTask(args[0], title, description)
			if file != "" {
				var err error
				if text, err = c.textOf(file); err != nil {
					return err
				}
			}
			s, err := c.writeTask(cmd.Context(), func(ctx context.Context, h *host.Host) (author.Shown, error) { return h.NewTask(ctx, args[0], text) })
			if err != nil {
				return err
			}
			return c.wroteTask(writtenTask{Shown: s, Changed: true}, "Made")
		},
	}
	cmd.Flags().StringVar(&title, "title", "", "the title, as `TEXT`")
	cmd.Flags().StringVar(&description, "description", "", "what it does, as `TEXT`")
	cmd.Flags().StringVar(&file, "file", "", "take the whole text from this `FILE`; - is standard input")
	return cmd
}

// blankTask is the text of a new task.
func blankTask(name, title, description string) []byte {
	var b bytes.Buffer
	b.WriteString("---\n")
	if title != "" {
		fmt.Fprintf(&b, "title: %s\n", quoted(title))
	}
	if description == "" {
		description = "Say here in a sentence what " + name + " does."
	}
	fmt.Fprintf(&b, "description: %s\n---\n\nSay here, step by step, what is to be done.\n", quoted(description))
	return b.Bytes()
}

// quoted is a text as YAML.
func quoted(text string) []byte {
	raw, err := ext.EncodeJSON(text)
	if err != nil {
		panic(err) // texts always can be written
	}
	return raw
}

func (c *call) taskEdit() *cobra.Command {
	var file, was string
	cmd := &cobra.Command{
		Use:   "edit NAME",
		Short: "Edit a task of the owner's directory",
		Long: `Edit a task of the owner's directory: its TASK.md is opened with $VISUAL or $EDITOR on
a terminal; otherwise the new text is read from standard input, or with --file from a
file. The new text replaces what was read, and nothing else: where the task was changed
meanwhile it stays as it is, and the new text is kept beside it.

` + taskNameLong,
		Example: "mortise task edit tidy-up\nmortise task edit tidy-up --file draft.md\nmortise task edit tidy-up < draft.md",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runTaskEdit(cmd.Context(), args[0], file, was)
		},
		ValidArgsFunction: c.completes(taskNames),
	}
	cmd.Flags().StringVar(&file, "file", "", "take the new text from this `FILE`; - is standard input")
	cmd.Flags().StringVar(&was, "was", "", "the `DIGEST` of the text that this edit was made from, as show --json tells it; without it what is there now")
	return cmd
}

func (c *call) runTaskEdit(ctx context.Context, name, file, was string) error {
	var before author.Shown
	err := c.tasks(ctx, func(_ *config.Config, t *author.Tasks) (err error) {
		if _, err = t.Own(name); err == nil {
			before, err = t.Show(name)
		}
		return err
	})
	if err != nil {
		return err
	}
	if was == "" {
		was = before.Digest
	}
	var text []byte
	draft := ""
	switch {
	case file != "":
		text, err = c.textOf(file)
	case c.Asked:
		text, draft, err = c.edited(ctx, []byte(before.Text))
	default:
		text, err = c.textOf("-")
	}
	if err != nil {
		return err
	}
	now := before
	if string(text) != before.Text || was != before.Digest {
		now, err = c.writeTask(ctx, func(ctx context.Context, h *host.Host) (author.Shown, error) {
			return h.EditTask(ctx, before.Qualified, was, text)
		})
	}
	if err != nil {
		if draft != "" {
			err = fmt.Errorf("%w; what you wrote is in %s: mend it, then mortise %stask edit %s --file %s", err, ext.Quote(draft), c.placeFlag(), word(before.Qualified), word(draft))
		}
		return err
	}
	if draft != "" {
		c.discard(draft)
	}
	now.Ambiguous, now.Candidates = before.Ambiguous, before.Candidates
	return c.wroteTask(writtenTask{Shown: now, Changed: now.Digest != before.Digest}, "Edited")
}

func (c *call) taskRemove() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a task of the owner's directory, with its files",
		Long: `Remove a task of the owner's directory, with all its files, which are listed first and
asked about. Where one of them changes meanwhile, nothing is removed.

` + taskNameLong,
		Args:              one("NAME"),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.runTaskRemove(cmd.Context(), args[0], yes) },
		ValidArgsFunction: c.completes(taskNames),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "remove it without asking")
	return cmd
}

func (c *call) runTaskRemove(ctx context.Context, name string, yes bool) error {
	var was author.Shown
	err := c.tasks(ctx, func(cfg *config.Config, t *author.Tasks) (err error) {
		if _, err = t.Own(name); err == nil {
			was, err = t.Show(name)
		}
		if err == nil && !c.json {
			c.page(cfg).removal(&was)
		}
		return err
	})
	if err != nil {
		return err
	}
	if !yes {
		if !c.Asked || c.json {
			c.out.Reset()
			return refuse("%s would be removed with %s; say --yes to do that: mortise %stask rm %s --yes", ext.Escape(was.Qualified), count(len(was.Files), "file"), c.placeFlag(), word(was.Qualified))
		}
		answer, err := c.answer(ctx, "Remove it? [y/N] ")
		if err != nil {
			return err
		}
		if answer != "y" {
			return refuse("nothing was removed")
		}
	}
	var gone author.Task
	err = c.changing(ctx, func(h *host.Host) (err error) {
		gone, err = h.RemoveTask(ctx, was.Qualified, was.Whole)
		return err
	})
	if err != nil {
		return err
	}
	if c.json {
		return c.document(struct {
			Removed author.Task   `json:"removed"`
			Files   []author.File `json:"files"`
		}{gone, was.Files})
	}
	c.page(nil).line("Removed %s.", ext.Escape(gone.Qualified))
	return nil
}

// removal lists what would be removed.
func (p *page) removal(s *author.Shown) {
	p.ambiguous(s.Ambiguous, s.Candidates)
	p.line("%s in %s:", p.bold(ext.Escape(s.Qualified)), p.call.directoryShown(s.Root))
	for _, f := range s.Files {
		p.line("  %s (%s)", ext.Escape(f.Path), count(int(f.Size), "byte"))
	}
}

func (c *call) taskCopy() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "copy NAME",
		Short: "Copy a task into the owner's directory, where it is yours",
		Long: `Copy a task with all its files into the owner's directory. The copy is yours: it does
not follow what becomes of the other one, and a short name means yours from then on.
That it was made is remembered.

` + taskNameLong,
		Example: "mortise task copy acme:tidy-up\nmortise task copy acme:tidy-up --as tidy",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var from author.Shown
			err := c.tasks(cmd.Context(), func(_ *config.Config, t *author.Tasks) (err error) {
				from, err = t.Show(args[0])
				return err
			})
			if err != nil {
				return err
			}
			s, err := c.writeTask(cmd.Context(), func(ctx context.Context, h *host.Host) (author.Shown, error) {
				return h.CopyTask(ctx, from.Qualified, as, c.Person())
			})
			if err != nil {
				return err
			}
			s.Ambiguous, s.Candidates = from.Ambiguous, from.Candidates
			return c.wroteTask(writtenTask{Shown: s, Changed: true, From: from.Qualified}, "Copied "+ext.Escape(from.Qualified)+" to")
		},
		ValidArgsFunction: c.completes(taskNames),
	}
	cmd.Flags().StringVar(&as, "as", "", "the `NAME` of the copy; without it that of the task")
	return cmd
}

// writeTask does something with a host that may change things.
func (c *call) writeTask(ctx context.Context, do func(context.Context, *host.Host) (author.Shown, error)) (s author.Shown, err error) {
	err = c.changing(ctx, func(h *host.Host) (err error) {
		s, err = do(ctx, h)
		return err
	})
	return s, err
}

func (c *call) changing(ctx context.Context, do func(*host.Host) error) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Changing, do)
}

// wroteTask says what was written, and what keeps it from agents.
func (c *call) wroteTask(w writtenTask, done string) error {
	if c.json {
		return c.document(w)
	}
	p, flag := c.page(nil), c.placeFlag()
	p.ambiguous(w.Ambiguous, w.Candidates)
	if !w.Changed {
		p.line("%s is as it was: nothing was changed.", ext.Escape(w.Qualified))
		return nil
	}
	p.line("%s %s: %s", done, p.bold(ext.Escape(w.Qualified)), c.shown(w.Root+"/"+w.Path))
	switch {
	case done == "Made":
		p.line("mortise %stask edit %s opens it.", flag, word(w.Name))
	case w.Status != "active":
		p.line("It is %s; mortise %sexplain %s says why.", w.Status, flag, word(w.Qualified))
	}
	return nil
}

// textOf reads a text that is given in a file; "-" is standard input.
func (c *call) textOf(file string) ([]byte, error) {
	if file == "-" {
		data, err := io.ReadAll(io.LimitReader(c.In, largestText+1))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return data, tooLarge(data)
	}
	at, err := c.from(file)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(at)
	if err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largestText+1))
	if err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	return data, tooLarge(data)
}

// largestText is the most that is read of a text; what a task may be is less.
const largestText = 16 << 20

func tooLarge(data []byte) error {
	if len(data) > largestText {
		return refuse("the text has more than %d bytes", largestText)
	}
	return nil
}
