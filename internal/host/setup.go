package host

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/prepare"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

var (
	// SetupDue is a set-up step that did not run, or did not end well.
	SetupDue = &ext.Check{
		Code: "setup-due", Severity: ext.Warning,
		Doc: "A set-up step of a plugin was never run for what the plugin is now, or failed: what the plugin runs may lack what it depends on.",
		Fix: "Run mortise plugin setup with the plugin's name.",
	}
	// SetupUndeclared is a plugin that depends on packages and declares nothing that installs
	// them.
	SetupUndeclared = &ext.Check{
		Code: "setup-undeclared", Severity: ext.Info,
		Doc: "An installed plugin has something that runs, and a file of a package manager says what that depends on; it declares no set-up step, and nothing is installed for it.",
		Fix: "Run the command that the finding names, if you want to. What is in the plugin's data directory, the plugin has to look for there.",
	}
)

// Setup is one set-up step of a plugin, with its directories.
type Setup struct {
	Extension ext.Name
	Name      string
	Origin    ext.Origin
	Digest    ext.Digest // of the step, and of the code that it names
	Content   ext.Digest // of the plugin's directory
	Root      string     // its directory, links resolved
	Data      string     // its data directory, which may not be there yet
	Step      surface.Step
	State     prepare.State
	Outcome   prepare.Outcome // of the last run; zero: none is known
	Waits     bool            // for its person's consent
	granting  bool            // for a grant, and for nothing else
}

// Qualified is EXTENSION:NAME.
func (s *Setup) Qualified() string { return ext.Qualified(s.Extension, s.Name) }

// Expanded is what would run.
func (s *Setup) Expanded() surface.Step { return s.Step.Expanded(s.Root, s.Data) }

// Setups are the set-up steps of the plugins of a generation that are in use, or wait for
// consent, each plugin's in the order in which they run.
func (g *Generation) Setups() []Setup { return slices.Clone(g.setups) }

// setupsOf are the set-up steps of plugins that are in use or wait for consent: neither
// refused nor disabled.
func (h *Host) setupsOf(ds []admit.Decision) (out []Setup) {
	for i := range ds {
		d := &ds[i]
		if t := d.Tree(); h.options.Data == nil || t.Origin.Trust != ext.Plugin || t.Describes != nil || t.Leads == "" || d.Content() == (ext.Digest{}) {
			continue
		}
		if d.Status() == admit.Admitted || d.Status() == admit.Pending {
			out = append(out, h.setupsIn(d)...)
		}
	}
	return out
}

// setupsIn are the set-up steps of one plugin, with what is known of them.
func (h *Host) setupsIn(d *admit.Decision) (out []Setup) {
	t := d.Tree()
	data := h.options.Data(t)
	for i := range d.Contributions() {
		c := &d.Contributions()[i]
		v, ok := c.Value.(surface.Preparing)
		if !ok || c.Status != admit.Active && c.Status != admit.EntryPending {
			continue
		}
		out = append(out, Setup{
			Extension: t.Extension, Name: c.Name, Origin: c.Origin, Digest: c.Digest, Content: d.Content(), Root: t.Leads, Data: data, Step: v.Prepares(),
			Waits: c.Status != admit.Active, granting: d.Status() == admit.Admitted && c.Reason == admit.WaitsForGrant,
		})
	}
	if len(out) == 0 {
		return nil
	}
	known, err := h.options.Prepared.Load(data)
	for i := range out {
		s := &out[i]
		if s.Outcome = known[s.Name]; err != nil {
			s.Outcome.Why = err.Error()
		}
		s.State = s.Outcome.Of(s.Digest, s.Content)
	}
	return out
}

// setupsWith are the set-up steps that adopting what was proposed would let run.
func (h *Host) setupsWith(proposed []admit.Decision) []Setup {
	return slices.DeleteFunc(h.setupsOf(proposed), func(s Setup) bool { return s.Waits && !s.granting })
}

// prepared tells which set-up steps of what is in use are still to be run.
func (p *pass) prepared(g *Generation) (found ext.Findings) {
	for i := range g.setups {
		s := &g.setups[i]
		if s.Waits || s.State == prepare.Done {
			continue
		}
		found.Add(SetupDue.At(s.Origin, "the set-up step %s %s", ext.Quote(s.Qualified()), ext.Escape(s.still())).
			With("Run mortise plugin setup %s: it shows %s, and runs it once you agree.", s.Extension, ext.Escape(ext.Shorten(s.Expanded().String(), 300))))
	}
	return found
}

// still says why a step is to be run.
func (s *Setup) still() string {
	o := &s.Outcome
	switch {
	case s.State == prepare.Failed:
		return "failed: " + o.Why
	case o.State == "" && o.Why != "":
		return "is not known to have run: " + o.Why
	case o.State == "":
		return "was never run"
	case o.Digest != s.Digest || o.Content != s.Content:
		return "was not run since the plugin's content changed"
	}
	return "was begun, and nobody saw it end"
}

// undeclared tells what installed plugins depend on that declare no set-up step.
func (p *pass) undeclared(ds []admit.Decision) (found ext.Findings) {
	if p.host.options.Data == nil {
		return nil
	}
	in := roster.In(p.state.Roster, p.id())
	for i := range ds {
		d := &ds[i]
		t := d.Tree()
		installed := slices.ContainsFunc(in, func(l state.Installed) bool { return l.Name == t.Extension })
		configured := slices.ContainsFunc(p.config.Plugins, func(c config.Plugin) bool { return c.Name == t.Extension })
		if !installed || configured || t.Describes != nil || t.Leads == "" || d.Status() != admit.Admitted || !runsUnprepared(d) {
			continue
		}
		for _, u := range prepare.Missing(t.Leads, p.host.options.Data(t)) {
			found.Add(SetupUndeclared.At(t.Origin.At(u.File, 0), "its %s names what it depends on, and it declares no set-up step: nothing is installed for it", u.File).
				With("To install that into the plugin's data directory, where the plugin has to look for it: %s", ext.Escape(u.Command)))
		}
	}
	return found
}

// runsUnprepared reports whether a plugin has something that runs, and no set-up step,
// whatever its status.
func runsUnprepared(d *admit.Decision) bool {
	runs := false
	for i := range d.Contributions() {
		c := &d.Contributions()[i]
		if _, ok := c.Value.(surface.Preparing); ok {
			return false
		}
		runs = runs || c.Spec.Runs && c.Status != admit.EntryDisabled && c.Status != admit.EntryRefused
	}
	return runs
}

// SetUp writes into the history how a set-up step ended, and has other hosts look anew.
func (h *Host) SetUp(ctx context.Context, by string, s *Setup, o *prepare.Outcome) error {
	text := strings.TrimSpace(string(o.State) + " " + ext.Shorten(o.Why, 300))
	return h.change(ctx, state.Event{Kind: "set up", Subject: s.Qualified(), Text: text, By: by}, func(*state.Snapshot) {})
}

// MakeData makes the data directory of a plugin. What is in its place and is no directory,
// a link also, is an error: what is prepared would lie elsewhere.
func (s *Setup) MakeData() error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return fmt.Errorf("make its data directory: %w; make it writable for this user, or move away what is in its place", err)
	}
	info, err := os.Lstat(s.Data)
	if err == nil && !info.IsDir() { // a link
		err = fmt.Errorf("its data directory %s is a link, and a directory should be there; move it away", ext.Quote(s.Data))
	}
	return err
}

// SettingUp is how a set-up step is run.
type SettingUp struct {
	Again  bool      // also when it ran already
	Output io.Writer // gets what it writes, as it comes; nil: nobody does
	Waits  func()    // is told when another process runs one of the plugin's
}

// setUp marks extensions with how their set-up steps stand: as the one does that needs
// somebody most.
func (l *Listing) setUp(all []Setup) {
	needs := []string{string(prepare.Done), string(prepare.Due), string(prepare.Failed), "waits"}
	for i := range all {
		s := &all[i]
		state := string(s.State)
		if s.Waits {
			state = "waits"
		}
		for j := range l.Extensions {
			if x := &l.Extensions[j]; x.Name == string(s.Extension) && slices.Index(needs, state) > slices.Index(needs, x.Setup) {
				x.Setup = state
			}
		}
	}
}
