package mortise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"testing/fstest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/notification"
	"github.com/mortise-dev/mortise/internal/surface/policy"
	"github.com/mortise-dev/mortise/internal/surface/prompt"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// specs are the surfaces that a contribution can hold entries of.
var specs = append([]*surface.Spec{prompt.Surface.Spec, notification.Surface.Spec, server.Surface.Spec, tool.Surface.Spec, policy.Surface.Spec, toolcall.Before.Spec}, planHooks...)

// Checks on contributions, beside those on the files that they are laid out as.
var (
	checkName = &ext.Check{
		Code: "contribution-name", Severity: ext.Error,
		Doc: "A name in a contribution is not of 1 to 64 letters, digits, '_' and '-'.",
		Fix: "Rename it.",
	}
	checkTwice = &ext.Check{
		Code: "contribution-twice", Severity: ext.Error,
		Doc: "A contribution holds two entries of one kind and one name, or two lifecycle hooks of one phase and one name.",
		Fix: "Rename one of them.",
	}
	checkFunction = &ext.Check{
		Code: "contribution-function", Severity: ext.Error,
		Doc: "A tool, a guard, a hook or a lifecycle hook of a contribution is not a function that can be called.",
		Fix: "Make tools with NewTool, of a function that takes a struct, and give each guard its Judge, each hook its Answer and each lifecycle hook its Run.",
	}
	checkValue = &ext.Check{
		Code: "contribution-value", Severity: ext.Error,
		Doc: "A value of a contribution cannot be written down.",
		Fix: "Correct the value.",
	}
	checkHook = &ext.Check{
		Code: "contribution-hook", Severity: ext.Error,
		Doc: "A contribution answers a hook that no plan asks: nobody would hear it.",
		Fix: "Name one of the hooks of plans: docs/points.md lists them.",
	}
	checkPhase = &ext.Check{
		Code: "contribution-phase", Severity: ext.Error,
		Doc: "A lifecycle hook of a contribution is of a phase that there is not: nobody would run it.",
		Fix: "Give it the phase Install or Teardown.",
	}
)

// Checks are what composing can find in a contribution itself. What the files that
// it is laid out as can be found to be at fault for is the same as for any other
// extension.
var Checks = []*ext.Check{checkName, checkTwice, checkFunction, checkValue, checkHook, checkPhase}

// part is one contribution, laid out and read.
type part struct {
	name      ext.Name
	files     fstest.MapFS
	entries   int // in the files
	candidate discover.Candidate
	driver    *inproc.Driver    // of its tools and hooks
	guards    map[ext.Ref]Guard // of what reaches them
	servers   map[string]Server // by name
	lifecycle []LifecycleHook
	bridge    *bridged  // the plugin it is of; nil for a provider's
	holds     Extension // counts
}

// layout lays a contribution out as files.
type layout struct {
	origin ext.Origin
	part
	tools    []inproc.Tool
	hooks    []inproc.Hook
	findings ext.Findings
}

// newPart lays a contribution out and reads it as any other extension is read. It
// is judged with all others: what is returned as findings are errors of the
// contribution itself.
func newPart(c *Contribution, name ext.Name, trust ext.Trust) (*part, ext.Findings) {
	l := layout{
		origin: ext.Origin{Extension: name, Source: sourceName, Trust: trust},
		part:   part{name: name, files: fstest.MapFS{}, guards: map[ext.Ref]Guard{}, servers: map[string]Server{}},
	}
	l.holds = Extension{Name: string(name), Trust: trust, Tools: len(c.Tools), Fragments: len(c.Fragments), Policies: len(c.Policies), Guards: len(c.Guards), Servers: len(c.Servers), Notifications: len(c.Notifications), Hooks: len(c.Hooks), Lifecycle: len(c.Lifecycle)}
	for i := range c.Tools {
		l.tool(&c.Tools[i])
	}
	for i := range c.Fragments {
		l.fragment(&c.Fragments[i])
	}
	for i := range c.Policies {
		l.policy(&c.Policies[i])
	}
	for i := range c.Guards {
		l.guard(&c.Guards[i])
	}
	for i := range c.Servers {
		l.server(&c.Servers[i])
	}
	l.serverFile()
	for i := range c.Notifications {
		l.notification(&c.Notifications[i])
	}
	for i := range c.Lifecycle {
		l.hook(&c.Lifecycle[i])
	}
	for i := range c.Hooks {
		l.answers(&c.Hooks[i])
	}
	if l.findings.Failed() {
		return nil, l.findings
	}
	made := l.read()
	made.holds.Digest = c.digest(made.candidate.Digest())
	return made, nil
}

// sourceName is what origins call this way in.
const sourceName = "compiled in"

// read reads what was laid out.
func (l *layout) read() *part {
	x := &inproc.Extension{Name: l.name, Files: l.files, Tools: l.tools, Hooks: l.hooks}
	t := ext.Tree{
		Extension: l.name, Label: string(l.name), Format: sourceName,
		Origin: l.origin, FS: x.Describe(), Own: true,
	}
	bridge.Loose.Lay(&t, source.Manifest{}, source.Env{Specs: specs, Limits: ext.DefaultLimits})
	c, err := discover.Scan(context.Background(), t, discover.Options{Specs: specs, Limits: ext.DefaultLimits, Enabled: true})
	if err != nil {
		panic(err) // nothing ends that context
	}
	l.candidate, l.driver = c, inproc.New(x)
	return &l.part
}

// put adds a file. It reports whether its name is one, and new.
func (l *layout) put(kind, dir, name, ending string, data []byte) bool {
	file := path.Join(dir, name+ending)
	switch {
	case !plainName(name):
		l.findings.Add(checkName.At(l.origin, "the name of the %s %s is not of 1 to 64 letters, digits, '_' and '-'", kind, ext.Quote(ext.Shorten(name, 80))))
		return false
	case l.files[file] != nil:
		l.findings.Add(checkTwice.At(l.origin.At(file, 1), "two of kind %s are called %s", kind, ext.Quote(name)))
		return false
	}
	l.files[file] = &fstest.MapFile{Data: data, Mode: 0o444}
	l.entries++
	return true
}

func plainName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= ext.MaxName
}

// value is v as JSON, which is YAML as well.
func (l *layout) value(kind, name string, v any) []byte {
	raw, err := ext.EncodeJSON(v)
	if err != nil {
		l.findings.Add(checkValue.At(l.origin, "%s %s cannot be written down: %s", kind, ext.Quote(ext.Shorten(name, 80)), ext.Escape(ext.Shorten(err.Error(), 200))))
	}
	return raw
}

func (l *layout) tool(t *Tool) {
	if t.make == nil {
		l.findings.Add(checkFunction.At(l.origin, "the tool %s was not made with NewTool of a function", ext.Quote(ext.Shorten(t.name, 80))))
		return
	}
	made, err := t.make(l.name)
	if err != nil {
		l.findings.Add(checkFunction.At(l.origin, "%s", ext.Escape(ext.Shorten(err.Error(), 300))))
		return
	}
	if l.put("tool", "tools", t.name, ".json", nil) { // the driver describes it
		l.tools = append(l.tools, made)
	}
}

func (l *layout) fragment(f *Fragment) {
	front := struct {
		Description string `json:"description,omitempty"`
		Tier        Tier   `json:"tier,omitempty"`
		Order       int    `json:"order,omitempty"`
	}{f.Description, f.Tier, f.Order}
	head := l.value("fragment", f.Name, front)
	l.put("fragment", "prompts", f.Name, ".md", fmt.Appendf(nil, "---\n%s\n---\n\n%s\n", head, f.Text))
}

func (l *layout) policy(p *Policy) {
	written := struct {
		Description string   `json:"description,omitempty"`
		Outcome     Verdict  `json:"outcome"`
		Message     string   `json:"message"`
		When        string   `json:"when,omitempty"`
		Tools       []string `json:"tools,omitempty"`
		Servers     []string `json:"servers,omitempty"`
		Extensions  []string `json:"extensions,omitempty"`
		On          string   `json:"on,omitempty"`
	}{p.Description, p.Outcome, p.Message, p.When, p.Tools, p.Servers, p.Extensions, p.On}
	l.put("policy", "policies", p.Name, ".yaml", l.value("policy", p.Name, written))
}

func (l *layout) guard(g *Guard) {
	if g.Judge == nil {
		l.findings.Add(checkFunction.At(l.origin, "the guard %s has no function Judge", ext.Quote(ext.Shorten(g.Name, 80))))
		return
	}
	timeout := g.Timeout
	if timeout > 0 {
		timeout = max(timeout, time.Millisecond) // the finest that can be written
	}
	ref := ext.Ref{Driver: inproc.Name, Target: string(l.name), Name: g.Name}
	written := struct {
		Ref     ext.Ref  `json:"ref"`
		Role    string   `json:"role"`
		Matches []string `json:"matches,omitempty"`
		Timeout int64    `json:"timeout_ms,omitempty"`
	}{ref, "guard", g.Tools, max(timeout, 0).Milliseconds()}
	if l.put("guard", toolcall.Before.Dir, g.Name, ".json", l.value("guard", g.Name, written)) {
		l.guards[ref] = *g
	}
}

// caller reaches the functions of guards.
type caller map[ext.Ref]Guard

// Call asks a guard. Its answer counts only while the call waits for it.
func (c caller) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	g, ok := c[ref]
	if !ok {
		return nil, fmt.Errorf("there is no guard %s", ext.Quote(ref.String()))
	}
	var asked toolcall.Call
	if err := json.Unmarshal(argument, &asked); err != nil {
		return nil, fmt.Errorf("read what is asked: %w", err)
	}
	o, err := g.Judge(ctx, Action{Tool: asked.Tool, Extension: string(asked.Extension), Server: asked.Server, Arguments: asked.Arguments, Session: asked.Session})
	if err == nil && ctx.Err() != nil {
		err = errors.New("it answered after its time was over")
	}
	if err != nil {
		return nil, told(err)
	}
	return ext.EncodeJSON(toolcall.Opinion{Verdict: toolcall.Verdict(o.Verdict), Reason: o.Reason})
}
