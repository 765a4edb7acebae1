package config

import "github.com/mortise-dev/mortise/ext"

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
