package bridge

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// among is what a client's own settings hold, beside much that is the client's
// alone. A file that cannot be read stands for what it would hold.
func (l *layer) among(surfaceName, file string) *ext.Doc {
	d, fault := l.read(file)
	if fault != nil {
		l.lost(surfaceName, file, fault)
		return nil
	}
	return d
}

// hooksAmong lays the hooks of a client's settings.
func (l *layer) hooksAmong(file string) {
	l.hooked[l.real(file)] = true
	d := l.among("client_event", file)
	inner := d.Get("hooks")
	if inner == nil {
		return
	}
	own := *inner
	if l.client == "gemini-cli" && l.switches(d, &own) {
		l.note(HookOff, l.of(inner), "all hooks of the settings are switched off")
		return
	}
	l.hooks(&ext.Doc{Kind: ext.Map, File: inner.File, Line: inner.Line, Map: []ext.Pair{{Key: "hooks", Line: inner.Line, Value: own}}})
	l.off = nil
}

// switches takes out of Gemini CLI's hooks what is none: whether hooks are used
// at all, and the names of those that are not. Both stand in an object of their
// own since some version.
func (l *layer) switches(d, hooks *ext.Doc) (off bool) {
	l.off = map[string]bool{}
	for _, of := range []*ext.Doc{hooks, d.Get("hooksConfig")} {
		if enabled := of.Get("enabled"); enabled != nil && enabled.Kind == ext.Bool && enabled.Text == "false" {
			off = true
		}
		if names := of.Get("disabled"); names != nil && names.Kind == ext.List {
			for _, name := range texts(names) {
				l.off[name] = name != ""
			}
		}
	}
	hooks.Map = slices.DeleteFunc(slices.Clone(hooks.Map), func(p ext.Pair) bool {
		return slices.Contains(dialects[l.client].switches, p.Key)
	})
	return off
}

// isOff reports whether the settings switch a handler off, by its name or by
// what it runs.
func (l *layer) isOff(d *ext.Doc) bool {
	return l.off[d.Word("name")] || l.off[d.Word("command")]
}

// serversAmong lays the servers of a client's settings.
func (l *layer) serversAmong(file, key string) {
	if d := l.among("server", file).Get(key); d != nil {
		l.servers(d)
	}
}
