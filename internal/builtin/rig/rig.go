// Package rig is a mechanism to try things with: an axis whose credential is none, one
// that depends on it, and a probe that a file switches. It is compiled in, and in use
// where the configuration has the table [plugins.rig] alone.
package rig

import (
	"context"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/daemon"
	"github.com/mortise-dev/mortise/internal/hook/env"
	"github.com/mortise-dev/mortise/internal/hook/panel"
	"github.com/mortise-dev/mortise/internal/hook/probe"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Name is what the extension is called.
const Name ext.Name = "rig"

const name = "rig" // of every implementation

// Toggle is the file, below the workspace, by which the probe fails.
const Toggle = ".mortise-rig-down"

// Extension is the rig.
func Extension() *inproc.Extension {
	data := func(of func(q *surface.Question) []any) func(context.Context, surface.Question) (any, error) {
		return func(_ context.Context, q surface.Question) (any, error) { return of(&q), nil }
	}
	return &inproc.Extension{Name: Name, Hooks: []inproc.Hook{
		{Hook: axis.Axes.Name, Name: name, Answer: data(axes)},
		{Hook: env.Derived.Name, Name: name, Answer: data(func(q *surface.Question) []any {
			return []any{env.Variable{Name: "RIG_LEVEL", Value: q.Mode["rig"]}}
		})},
		{Hook: proxy.Rules.Name, Name: name, Answer: data(func(*surface.Question) []any {
			return []any{proxy.Rule{Axis: "rig", Host: "rig.invalid", Header: "X-Rig", Secret: "RIG_CREDENTIAL"}}
		})},
		{Hook: daemon.Daemons.Name, Name: name, Answer: data(func(q *surface.Question) []any {
			if q.Mode["rig"] == "off" {
				return nil
			}
			return []any{daemon.Daemon{Name: "rig", Label: "the rig's token service", Command: []string{"sleep", "infinity"}}}
		})},
		{Hook: probe.Probes.Name, Name: name, Answer: data(func(q *surface.Question) []any {
			return []any{probe.Probe{Axis: "rig", Name: "rig", Interval: 2, Command: []string{"test", "!", "-e", filepath.Join(q.Workspace, Toggle)}}}
		})},
		{Hook: panel.Panels.Name, Name: name, Answer: data(func(q *surface.Question) []any {
			return []any{panel.Panel{
				ID: "rig", Title: "Rig", Summary: "what the rig is at", Columns: []string{"axis", "level"},
				Rows: [][]string{{"rig", q.Mode["rig"]}, {"rig-dependent", q.Mode["rig-dependent"]}},
			}}
		})},
		{Hook: check.Doctor.Name, Name: name, Answer: data(func(*surface.Question) []any {
			return []any{check.Check{Name: "rig", Status: check.OK, Detail: "the rig is declared: nothing of it is real"}}
		})},
	}}
}

func axes(*surface.Question) []any {
	return []any{
		axis.Axis{
			Name: "rig", Levels: []string{"off", "on", "user"}, Daemon: "rig", Emergency: []string{"user"},
			Blurb: map[string]string{"off": "no credential", "on": "a made-up credential", "user": "a made-up credential of a person"},
		},
		axis.Axis{
			Name: "rig-dependent", Levels: []string{"off", "on"},
			Blurb:    map[string]string{"off": "at rest", "on": "at work, which needs the rig"},
			Requires: []axis.Requirement{{When: axis.Levels{"on"}, Axis: "rig", Accepts: axis.Levels{"on", "user"}}},
		},
	}
}
