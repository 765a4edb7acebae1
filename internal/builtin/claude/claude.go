// Package claude is what a worktree needs for Claude Code in its box: a stand-in for its
// credential and the rule that puts in the real one, the hosts it would reach, and
// checks. It is compiled in; without claude.keyless it recommends hosts to nobody and has
// no axis.
package claude

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/box"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/env"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Table is the table of the configuration.
const Table = "claude"

const (
	name = "claude" // of every implementation, and of the axis
	host = "api.anthropic.com"
	on   = "on"
)

// kind is how the client proves who it is.
type kind struct {
	variable, header, prefix, secret, label, how, pattern, dummy string
}

// kinds are those of claude.keyless, beside off. The variables and headers are those that
// Claude Code's own documentation names.
var kinds = map[string]kind{
	"api-key": {
		variable: "ANTHROPIC_API_KEY", header: "x-api-key", secret: "MORTISE_CLAUDE_API_KEY", label: "the API key of Claude",
		how: "make one in the console of Anthropic", pattern: "sk-ant-*", dummy: "sk-ant-stand-in-of-mortise",
	},
	"oauth": {
		variable: "CLAUDE_CODE_OAUTH_TOKEN", header: "Authorization", prefix: "Bearer ", secret: "MORTISE_CLAUDE_OAUTH_TOKEN", label: "the token of Claude Code",
		how: "run claude setup-token on this machine", pattern: "sk-ant-oat*", dummy: "sk-ant-oat-stand-in-of-mortise",
	},
}

// Hooks answer for the table.
func Hooks() []inproc.Hook {
	return []inproc.Hook{
		{Hook: axis.Axes.Name, Name: name, Answer: keyless(func(k kind, _ *surface.Question) []any {
			return []any{axis.Axis{
				Name: name, Levels: []string{"off", on}, Daemon: "egress-proxy",
				Blurb: map[string]string{"off": "Claude Code in the box has no credential", on: "requests of Claude Code carry " + k.label},
			}}
		})},
		{Hook: env.Derived.Name, Name: name, Answer: keyless(func(_ kind, q *surface.Question) []any {
			return []any{env.Variable{Name: "CLAUDE_INJECT", Value: q.Mode[name]}}
		})},
		{Hook: proxy.Rules.Name, Name: name, Answer: keyless(func(k kind, _ *surface.Question) []any {
			return []any{proxy.Rule{Axis: name, Host: host, Header: k.header, ValuePrefix: k.prefix, Secret: k.secret, Label: "Claude"}}
		})},
		{Hook: proxy.HeldCredentials.Name, Name: name, Answer: keyless(func(k kind, _ *surface.Question) []any {
			return []any{proxy.Held{
				Axis: name, Host: host, Header: k.header, Dummy: k.dummy, AnyScheme: k.prefix != "",
				Body: json.RawMessage(`{"type":"error","error":{"type":"authentication_error","message":"mortise mode claude=on puts the credential in"}}`),
			}}
		})},
		{Hook: secret.Wanted.Name, Name: name, Answer: keyless(func(k kind, q *surface.Question) []any {
			if q.Mode[name] != on {
				return nil
			}
			return []any{secret.Secret{Variable: k.secret, Label: k.label, How: k.how, Pattern: k.pattern}}
		})},
		{Hook: box.Arguments.Name, Name: name, Answer: keyless(func(k kind, _ *surface.Question) []any {
			return []any{box.Argument{Kind: box.Env, Name: k.variable, Value: k.dummy}}
		})},
		{Hook: check.Doctor.Name, Name: name, Answer: keyless(func(k kind, q *surface.Question) []any {
			c := check.Check{
				Name: "credential of claude", Try: &check.Test{Variable: k.secret}, Else: check.Warn,
				Good: "the variable " + k.secret + " holds one", Bad: "the variable " + k.secret + " is not set: " + k.how + ", and export it where Mortise is started",
			}
			if q.Mode[name] == on {
				c.Else = check.Fail
			}
			return []any{c, check.Check{
				Name: "program claude", Try: &check.Test{Program: "claude"}, Else: check.Warn,
				Good: "it is in the PATH", Bad: "it is not in the PATH of this machine: install Claude Code, or use it in the box alone",
			}}
		})},
	}
}

// keyless answers where claude.keyless names a kind.
func keyless(of func(kind, *surface.Question) []any) func(context.Context, surface.Question) (any, error) {
	return func(_ context.Context, q surface.Question) (any, error) {
		var table struct {
			Keyless string `json:"keyless"`
		}
		if raw := q.Tables[Table]; raw != nil {
			if err := json.Unmarshal(raw, &table); err != nil {
				return nil, fmt.Errorf("read [claude]: %w", err)
			}
		}
		k, ok := kinds[table.Keyless]
		if !ok {
			return nil, nil
		}
		return of(k, &q), nil
	}
}
