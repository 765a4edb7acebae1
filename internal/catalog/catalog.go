// Package catalog lists what this build contains. The order of a list is the
// order in which it is read and shown.
package catalog

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/hook/asset"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/box"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/hook/daemon"
	"github.com/mortise-dev/mortise/internal/hook/env"
	"github.com/mortise-dev/mortise/internal/hook/overlay"
	"github.com/mortise-dev/mortise/internal/hook/panel"
	"github.com/mortise-dev/mortise/internal/hook/probe"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/market"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
	"github.com/mortise-dev/mortise/internal/source/roots"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/affordance"
	"github.com/mortise-dev/mortise/internal/surface/agent"
	"github.com/mortise-dev/mortise/internal/surface/agentclass"
	"github.com/mortise-dev/mortise/internal/surface/app"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/dependency"
	"github.com/mortise-dev/mortise/internal/surface/deployment"
	"github.com/mortise-dev/mortise/internal/surface/executable"
	"github.com/mortise-dev/mortise/internal/surface/languageserver"
	"github.com/mortise-dev/mortise/internal/surface/mission"
	"github.com/mortise-dev/mortise/internal/surface/monitor"
	"github.com/mortise-dev/mortise/internal/surface/notification"
	"github.com/mortise-dev/mortise/internal/surface/outputstyle"
	"github.com/mortise-dev/mortise/internal/surface/policy"
	"github.com/mortise-dev/mortise/internal/surface/profile"
	"github.com/mortise-dev/mortise/internal/surface/prompt"
	"github.com/mortise-dev/mortise/internal/surface/resource"
	"github.com/mortise-dev/mortise/internal/surface/rule"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/setting"
	"github.com/mortise-dev/mortise/internal/surface/setup"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/task"
	"github.com/mortise-dev/mortise/internal/surface/theme"
	"github.com/mortise-dev/mortise/internal/surface/tool"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
	"github.com/mortise-dev/mortise/internal/surface/workflow"
)

// Specs are the surfaces and hooks.
var Specs = []*surface.Spec{
	skill.Surface.Spec,
	agent.Surface.Spec,
	command.Surface.Spec,
	rule.Surface.Spec,
	outputstyle.Surface.Spec,
	prompt.Surface.Spec,
	task.Surface.Spec,
	affordance.Surface.Spec,
	notification.Surface.Spec,
	server.Surface.Spec,
	tool.Surface.Spec,
	resource.Surface.Spec,
	agentclass.Surface.Spec,
	deployment.Surface.Spec,
	toolspec.Surface.Spec,
	profile.Surface.Spec,
	mission.Surface.Spec,
	languageserver.Surface.Spec,
	theme.Surface.Spec,
	monitor.Surface.Spec,
	workflow.Surface.Spec,
	app.Surface.Spec,
	setting.Surface.Spec,
	executable.Surface.Spec,
	dependency.Surface.Spec,
	setup.Surface.Spec,
	policy.Surface.Spec,
	toolcall.Before.Spec,
	clientevent.On.Spec,
	axis.Axes.Spec,
	axis.Issues.Spec,
	daemon.Daemons.Spec,
	daemon.Services.Spec,
	env.Derived.Spec,
	env.Defaults.Spec,
	overlay.Overlays.Spec,
	asset.Staged.Spec,
	check.Doctor.Spec,
	check.Fixes.Spec,
	check.Box.Spec,
	check.Verify.Spec,
	box.Arguments.Spec,
	box.Bootstrap.Spec,
	panel.Panels.Spec,
	proxy.Rules.Spec,
	proxy.HeldCredentials.Spec,
	proxy.NoProxy.Spec,
	proxy.Recommended.Spec,
	secret.Wanted.Spec,
	probe.Probes.Spec,
}

// planned are the hooks that plans ask.
func planned() []string {
	var out []string
	for _, s := range Specs {
		if s.Answers != nil {
			out = append(out, s.Name)
		}
	}
	return out
}

// Formats are the formats of extensions, the preferred ones first, then those
// without a manifest.
var Formats = append(bridge.Formats[:len(bridge.Formats):len(bridge.Formats)], bridge.Loose)

// CheckGroup is what one part of the program can find.
type CheckGroup struct {
	Part   string
	Checks []*ext.Check
}

// Checks are everything that can be found.
func Checks() []CheckGroup {
	groups := []CheckGroup{
		{"The pass", host.Checks},
		{"Configuration", config.Checks},
		{"Files and links", discover.Checks},
		{"Finding extensions", slices.Concat(roots.Checks, dir.Checks, live.Checks, monorepo.Checks, []*ext.Check{CheckoutGone})},
		{"Formats and manifests", bridge.Checks},
		{"Marketplaces", slices.Concat(host.MarketChecks, market.Checks)},
		{"JSON, YAML and TOML", doc.Checks},
		{"Front matter", frontmatter.Checks},
		{"Fields", surface.FieldChecks},
	}
	hooks := CheckGroup{"Hooks", surface.HookChecks}
	for _, s := range Specs {
		if !s.Hook && len(s.Checks) > 0 {
			groups = append(groups, CheckGroup{"Surface " + s.Name, s.Checks})
		}
	}
	return append(groups, hooks, CheckGroup{"Admission", admit.Checks}, CheckGroup{"Composition", compose.Checks}, CheckGroup{"Plans and modes", plan.Checks}, CheckGroup{"Stack and box", host.StackChecks}, CheckGroup{"Other formats' own", conform.Checks})
}

// Digest covers what the specs mean to the outcome: names, places, rules.
func Digest() ext.Digest {
	h := ext.NewHash("catalogue")
	for _, s := range Specs {
		h.Text(s.Name, s.Dir, s.Files, s.Merge.String()).Int(int(s.Needs))
	}
	for _, f := range Formats {
		h.Text(f.Name, f.Marker)
	}
	return h.Sum()
}
