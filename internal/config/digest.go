package config

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Effects is over what the workspace's own files decide about where text and
// code come from and how strictly they are admitted: what a person who adopts
// the workspace consents to. What the person's own configuration says is not
// part of it, nor is what only changes how things are shown or bounded.
func (c *Config) Effects() ext.Digest {
	h := ext.NewHash("configuration effects")
	for _, key := range c.Keys() {
		v := c.values[key]
		table, _, _ := strings.Cut(key, ".")
		if v.Layer.workspace() && slices.Contains([]string{"owner", "plugins", "trust"}, table) && !v.repeats() {
			h.Text(key, v.Text)
		}
	}
	for _, p := range c.Plugins {
		if !p.Own { // in load order
			h.Text("plugin", string(p.Name))
		}
		if p.Refused && !p.Own {
			h.Text("refused", string(p.Name))
		}
	}
	return h.Sum()
}

// repeats reports whether a value of the workspace's says what would hold
// without the workspace's files.
func (v Value) repeats() bool {
	for _, s := range v.Shadowed {
		if !s.Layer.workspace() && s.Ignored == "" {
			return s.Text == v.Text && (v.node.form != "place" || s.Layer == Default)
		}
	}
	return false
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
	for _, p := range c.Plugins {
		h.Text(string(p.Name))
		if p.Refused {
			h.Text("refused")
		}
	}
	return h.Sum()
}
