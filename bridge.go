package mortise

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mortise-dev/mortise/ext"
)

// bridged is the one bridge of a plugin object: what it said of itself when it was
// first seen, as a part of a composition.
type bridged struct {
	plugin LegacyPlugin
	seen   uint64 // number of the latest reading that met it; the host's lock guards it
	pinned int    // by how many it is being loaded; likewise

	once  sync.Once
	built atomic.Bool // what follows is there, and does not change any more

	name    string // as it was first said; "" when it was not
	part    *part  // nil: it cannot be bridged
	refused []Refusal
	found   ext.Findings
}

// String is the plugin for people: its name, or its type where that is not known.
func (b *bridged) String() string {
	if b.built.Load() && b.name != "" {
		return ext.Escape(ext.Shorten(b.name, 80))
	}
	return typeOf(b.plugin)
}

// construct asks a plugin for its name and its tools, once.
func (b *bridged) construct() {
	b.once.Do(func() {
		b.build()
		b.built.Store(true)
	})
}

// failed reports whether it was found that the plugin cannot be bridged.
func (b *bridged) failed() bool { return b.built.Load() && b.part == nil }

func (b *bridged) build() {
	if why := unidentified(b.plugin); why != "" {
		b.refuse(Unbridgeable, why, "Pass a pointer to it.")
		return
	}
	name, err := safely(b.plugin.Name)
	if err != nil {
		b.refuse(Unbridgeable, "its Name failed: "+err.Error(), "")
		return
	}
	b.name = name
	tools, err := safely(b.plugin.Tools)
	if err != nil {
		b.refuse(Unbridgeable, "its Tools failed: "+err.Error(), "")
		return
	}
	c := Contribution{Extension: name}
	for i, t := range tools {
		if t.Call == nil {
			b.refuse(Unbridgeable, fmt.Sprintf("its tool %s has no function Call", ext.Quote(ext.Shorten(t.Name, 80))), "")
			return
		}
		c.Tools = append(c.Tools, newRawTool(tools[i].About, tools[i].Input, tools[i].Call))
	}
	p, found, refused := partOf(&c, typeOf(b.plugin), ext.Plugin)
	if b.found = found; p == nil {
		b.refused = refused
		return
	}
	p.bridge, b.part = b, p
}

func (b *bridged) refuse(cause Cause, reason, fix string) {
	of := b.name
	if of == "" {
		of = typeOf(b.plugin)
	}
	b.refused = append(b.refused, Refusal{Extension: of, Cause: cause, Reason: reason, Fix: fix})
}

// standing is why a plugin that was bridged is not what it was; nil when it is.
func (b *bridged) standing() []Refusal {
	if b.part == nil {
		return b.refused
	}
	now, err := safely(b.plugin.Name)
	switch {
	case err != nil:
		return []Refusal{{Extension: b.name, Cause: Unbridgeable, Reason: "its Name failed: " + err.Error()}}
	case now != b.name:
		return []Refusal{{
			Extension: b.name, Cause: Renamed, Reason: fmt.Sprintf("it calls itself %s now", ext.Quote(ext.Shorten(now, 80))),
			Fix: "Forget it and load it anew, by its new name.",
		}}
	}
	return nil
}

// veto is what a plugin has against a call: nil for one that vetoes nothing, and for
// one that has no veto at all.
func veto(ctx context.Context, p LegacyPlugin, action Action) error {
	v, ok := p.(LegacyValidator)
	if !ok {
		return nil
	}
	return v.ValidateAction(ctx, action)
}

// unidentified says why an object cannot be known by its identity; "" when it can.
func unidentified(p LegacyPlugin) string {
	switch {
	case nothing(p):
		return "the plugin is nil"
	case !reflect.ValueOf(p).Comparable():
		return fmt.Sprintf("a value of %s has no identity", typeOf(p))
	case p != p: //nolint:staticcheck // a number in it that is none
		return fmt.Sprintf("this value of %s is not equal to itself", typeOf(p))
	}
	return ""
}

// same reports whether two are one object. What has no identity is no other's same.
func same(a, b LegacyPlugin) bool { return unidentified(a) == "" && unidentified(b) == "" && a == b }

// alike reports whether two are one object, or have no identity and are of one type.
func alike(a, b LegacyPlugin) bool {
	return same(a, b) || a != nil && b != nil && unidentified(a) != "" && unidentified(b) != "" && reflect.TypeOf(a) == reflect.TypeOf(b)
}

// has reports whether an object stands in a list.
func has(list []LegacyPlugin, p LegacyPlugin) bool {
	return slices.ContainsFunc(list, func(q LegacyPlugin) bool { return same(p, q) })
}
