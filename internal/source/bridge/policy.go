package bridge

import (
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// policyEvent is what Gemini CLI asks policies about.
const policyEvent = "BeforeTool"

// conditions are the keys of a policy that say which calls it is about, in the
// order in which they are shown; policyKeys are the others.
var (
	conditions = []string{"mcpName", "commandPrefix", "commandRegex", "argsPattern", "toolAnnotations", "subagent", "modes", "interactive"}
	policyKeys = []string{"priority", "denyMessage", "allowRedirection", "checker"}
)

// geminiPolicies lays the rules of policies that may refuse a call, as guards.
// What a policy would allow is told: an extension only narrows.
func (l *layer) geminiPolicies(dir string) {
	for _, e := range l.list("client_event", dir) {
		file := path.Join(dir, e.Name())
		switch ending := path.Ext(e.Name()); {
		case ending == ".toml":
			l.policyFile(file)
		case strings.EqualFold(ending, ".toml"):
			l.note(source.NearMiss, l.at(file, 0), "the file's ending is %s, expected .toml", ext.Quote(ending))
		default:
			l.note(source.Stray, l.at(file, 0), "it is not read: policies are files in TOML")
		}
	}
}

func (l *layer) policyFile(file string) {
	d, fault := l.read(file)
	if fault != nil {
		l.lost("client_event", file, fault)
		return
	}
	for i := range d.Map {
		p := &d.Map[i]
		at := p.Value
		at.Line = max(at.Line, p.Line)
		switch {
		case p.Key != "rule" && p.Key != "safety_checker":
			l.note(ManifestIgnored, l.at(file, p.Line), "key %s of a policy has no meaning here", ext.Quote(p.Key))
			continue
		case at.Kind != ext.Map && at.Kind != ext.List:
			l.malformed(&at, "%s of a policy must be a list, found %s", ext.Quote(p.Key), at.Kind)
			continue
		}
		for _, r := range at.Items() {
			l.policy(r, p.Key == "safety_checker")
		}
	}
}

// policy lays a rule, or a checker that is asked as well.
func (l *layer) policy(d *ext.Doc, checker bool) {
	if d.Kind != ext.Map {
		l.malformed(d, "a rule of a policy must be an object, found %s", d.Kind)
		return
	}
	h := handler{kind: "policy"}
	decision := d.Word("decision")
	switch {
	case checker:
		decision = strings.TrimSpace("check " + d.Get("checker").Word("name"))
	case decision == "allow" || decision == "yolo":
		l.note(source.NotRead, l.of(d), "a policy allows something; an extension allows nothing here, nor in its client")
		return
	case decision == "":
		h.odd = append(h.odd, `"decision" is missing`)
		decision = "decide"
	}
	names := words(d.Get("toolName"))
	if len(names) == 0 && (d.Get("commandPrefix") != nil || d.Get("commandRegex") != nil) {
		names = []string{"run_shell_command"} // which those two are short for
	}
	if len(names) > 0 {
		h.matches = []ext.Doc{textAt(d, strings.Join(names, "|"))}
	}
	h.target = strings.Join(append([]string{decision}, names...), " ")
	for _, key := range conditions {
		if v := d.Get(key); v != nil {
			h.target += "; " + key + " " + strings.Join(words(v), ", ")
		}
	}
	h.rest(d)
	l.handler(policyEvent, &h, d)
}

// rest keeps what a policy says beside its decision and its conditions.
func (h *handler) rest(d *ext.Doc) {
	for i := range d.Map {
		switch p := &d.Map[i]; {
		case p.Key == "decision" || p.Key == "toolName" || slices.Contains(conditions, p.Key):
		case slices.Contains(policyKeys, p.Key):
			h.keep(p)
		default:
			h.strange(p, "key "+ext.Quote(p.Key))
		}
	}
}

// words are those of a value that may be one or a list.
func words(d *ext.Doc) (out []string) {
	for _, item := range d.Items() {
		out = append(out, shown(item))
	}
	return out
}
