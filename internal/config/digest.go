package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Effect is one thing that the workspace's own files decide.
type Effect struct {
	Key    string // of the configuration, or "plugins" for their order
	Text   string // the value as it is written
	Origin ext.Origin
}

// Effects are what the workspace's own files decide about where text and code
// come from and how strictly they are admitted: what a person who adopts the
// workspace consents to. What the person's own configuration says is not among
// them, nor is what only changes how things are shown or bounded.
func (c *Config) Effects() []Effect {
	var out []Effect
	for _, key := range c.Keys() {
		v := c.values[key]
		table, _, _ := strings.Cut(key, ".")
		if v.Layer.workspace() && slices.Contains([]string{"owner", "plugins", "trust", "stack", "claude"}, table) && !v.repeats() {
			out = append(out, Effect{Key: key, Text: v.Text, Origin: v.Origin})
		}
	}
	for _, r := range c.rows {
		if r.Layer.workspace() {
			out = append(out, Effect{Key: "[[" + r.Table + "]]", Text: spell(r.Doc), Origin: r.Origin})
		}
	}
	for _, p := range c.declared {
		if !p.Own {
			out = append(out, Effect{Key: "plugins." + string(p.Name), Text: "built in", Origin: p.Origin})
		}
	}
	var order, refused []string
	for _, p := range c.Plugins {
		if !p.Own { // in load order
			order = append(order, string(p.Name))
		}
		if p.Refused && !p.Own {
			refused = append(refused, string(p.Name))
		}
	}
	for key, names := range map[string][]string{"plugins": order, "plugins at fault": refused} {
		if len(names) > 0 {
			out = append(out, Effect{Key: key, Text: strings.Join(names, ", ")})
		}
	}
	slices.SortStableFunc(out, func(a, b Effect) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// repeats reports whether a value of the workspace's says what would hold
// without the workspace's files.
func (v Value) repeats() bool {
	s, ok := v.otherwise()
	return ok && s.Text == v.Text && (v.node.form != "place" || s.Layer == Default)
}

// otherwise is what would hold without the workspace's files, for a value that
// is theirs. ok is false when nothing would.
func (v Value) otherwise() (s Said, ok bool) {
	i := slices.IndexFunc(v.Shadowed, func(s Said) bool { return !s.Layer.workspace() && s.Ignored == "" })
	if i < 0 {
		return Said{}, false
	}
	return v.Shadowed[i], true
}

// sum hashes the effective values as they are written. What a relative path is
// relative to is a word, not a directory.
func (c *Config) sum() ext.Digest {
	h := ext.NewHash("configuration")
	for _, key := range c.Keys() {
		v := c.values[key]
		h.Text(key, v.Text)
		if v.node.form == "place" && !absolute(v.Text) {
			h.Text(v.Layer.base())
		}
	}
	for _, r := range c.rows {
		h.Text(r.Table, spell(r.Doc))
	}
	for _, p := range c.declared {
		h.Text("built in", string(p.Name))
	}
	for _, p := range c.Plugins {
		h.Text(string(p.Name))
		if p.Refused {
			h.Text("refused")
		}
	}
	return h.Sum()
}
