// Package ext holds the vocabulary that every other package speaks in: names,
// trust, origins, digests, documents, trees, findings and sources. It is
// values only and imports the standard library alone.
package ext

import (
	"context"
	"fmt"
	"iter"
	"strings"
)

// Trust says how far an origin is believed. Higher is more.
type Trust uint8

const (
	// Project is a workspace that its person has not adopted: read, listed and
	// checked, and nothing of it reaches an agent, runs or connects.
	Project Trust = iota + 1
	// Plugin is an extension installed from elsewhere.
	Plugin
	// Owner is what the person who adopted the workspace wrote.
	Owner
	// Builtin is compiled into this program.
	Builtin
)

var trustWords = [...]string{"none", "project", "plugin", "owner", "builtin"}

// String is the word for t used in listings and configuration.
func (t Trust) String() string {
	if int(t) < len(trustWords) {
		return trustWords[t]
	}
	return fmt.Sprintf("trust(%d)", uint8(t))
}

// Origin says where something came from. The zero value is nowhere.
type Origin struct {
	Extension Name   // "" for what belongs to no extension, such as a configuration file
	Source    string // the source that yielded it: "owner", "path:./plugins/acme", "builtin"
	Trust     Trust  // how far the source is believed
	Path      string // slash-separated, below the extension's root; "" is the root itself
	Line      int    // 1-based; 0 when no line applies
}

// At is o at another place of the same extension.
func (o Origin) At(path string, line int) Origin {
	o.Path, o.Line = path, line
	return o
}

// String is "extension:path:line", leaving out what is not known.
func (o Origin) String() string {
	s := string(o.Extension)
	if s == "" {
		s = o.Source
	}
	if o.Path != "" {
		if s != "" {
			s += ":"
		}
		s += o.Path
	}
	if o.Line > 0 {
		s += fmt.Sprintf(":%d", o.Line)
	}
	return s
}

// Ref names something callable: the driver that reaches it, the target that
// driver knows it by, and the name of the callee there.
type Ref struct {
	Driver string `json:"driver"`
	Target string `json:"target,omitempty"`
	Name   string `json:"name,omitempty"`
}

// String is the parts of r that are there, for people: "process ./bin/page page".
func (r Ref) String() string {
	return strings.TrimSpace(r.Driver + " " + r.Target + " " + r.Name)
}

// Mode is every axis at a level: axis name to level name. Nil is the mode in
// which every axis has its default level.
type Mode map[string]string

// Source offers extensions as trees. A source reads; it judges nothing.
type Source interface {
	// Name identifies the source in origins.
	Name() string
	// Trees yields every tree, in a fixed order. An error costs the one tree
	// it stands for and does not end the sequence.
	Trees(ctx context.Context) iter.Seq2[Tree, error]
}
