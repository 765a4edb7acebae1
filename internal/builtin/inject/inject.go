// Package inject is the generic way to put a credential into requests: every row
// [[inject]] of the configuration is an axis off/on, a rule for the egress proxy, and a
// secret that is wanted while the axis is on. It is compiled in, and says nothing where
// there is no row.
package inject

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/box"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Table is the array of tables of the configuration.
const Table = "inject"

// Daemon is what enforces the axes.
const Daemon = "egress-proxy"

// name is that of every implementation.
const name = "inject"

// Hooks answer for the rows.
func Hooks() []inproc.Hook {
	return []inproc.Hook{
		{Hook: axis.Axes.Name, Name: name, Answer: each(axes)},
		{Hook: proxy.Rules.Name, Name: name, Answer: each(rules)},
		{Hook: proxy.HeldCredentials.Name, Name: name, Answer: each(held)},
		{Hook: secret.Wanted.Name, Name: name, Answer: each(secrets)},
		{Hook: box.Arguments.Name, Name: name, Answer: standIns},
		{Hook: check.Doctor.Name, Name: name, Answer: each(checks)},
	}
}

// answer is an answer with the row that it is of.
type answer[T any] struct {
	row  proxy.Row
	when surface.Condition
	out  T
}

// MarshalJSON writes what is answered, with the row and the condition beside it.
func (a answer[T]) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(a.out)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	members["from_row"] = a.row
	if a.when != nil {
		members["when"] = a.when
	}
	return json.Marshal(members)
}

// each answers with what every row comes to.
func each[T any](of func(i *proxy.Injection, q *surface.Question) []answer[T]) func(context.Context, surface.Question) (any, error) {
	return func(_ context.Context, q surface.Question) (any, error) {
		all, err := read(&q)
		out := []answer[T]{}
		for i := range all {
			out = append(out, of(&all[i], &q)...)
		}
		return out, err
	}
}

// read are the rows. They were checked.
func read(q *surface.Question) ([]proxy.Injection, error) {
	var rows []proxy.Injection
	if raw := q.Tables[Table]; raw != nil {
		if err := json.Unmarshal(raw, &rows); err != nil {
			return nil, fmt.Errorf("read [[inject]]: %w", err)
		}
	}
	return rows, nil
}

// label is what people are shown of a row.
func label(i *proxy.Injection) string {
	if i.Label != "" {
		return i.Label
	}
	return i.Host
}

func axes(i *proxy.Injection, _ *surface.Question) []answer[axis.Axis] {
	a := axis.Axis{
		Name: i.Axis, Levels: []string{proxy.Off, proxy.On}, Daemon: Daemon,
		Blurb: map[string]string{proxy.Off: "no credential for " + label(i), proxy.On: "requests to " + i.Host + i.PathPrefix + " carry the credential"},
	}
	if i.Emergency {
		a.Emergency = []string{proxy.On}
	}
	return []answer[axis.Axis]{{row: i.Row, out: a}}
}

func rules(i *proxy.Injection, _ *surface.Question) []answer[proxy.Rule] {
	return []answer[proxy.Rule]{{row: i.Row, out: i.Rule()}}
}

// held are the stand-ins that programs in the box carry while the axis rests.
func held(i *proxy.Injection, _ *surface.Question) []answer[proxy.Held] {
	var out []answer[proxy.Held]
	seen := map[string]bool{}
	for _, variable := range slices.Sorted(maps.Keys(i.BoxEnv)) {
		dummy := i.BoxEnv[variable]
		if seen[dummy] {
			continue
		}
		seen[dummy] = true
		out = append(out, answer[proxy.Held]{row: i.Row, out: proxy.Held{
			Axis: i.Axis, Host: i.Host, PathPrefix: i.PathPrefix, Header: i.Header, QueryParam: i.QueryParam, Dummy: dummy, AnyScheme: i.Header != "",
		}})
	}
	return out
}

func secrets(i *proxy.Injection, _ *surface.Question) []answer[secret.Secret] {
	return []answer[secret.Secret]{{
		row: i.Row, when: surface.Condition{i.Axis: {proxy.On}},
		out: secret.Secret{Variable: i.Secret(), Label: "the credential for " + label(i), How: i.How, Pattern: i.Pattern},
	}}
}

// standIns are the variables of the box. They are there whatever the level, so that a
// level that changes needs no new box.
func standIns(_ context.Context, q surface.Question) (any, error) {
	all, err := read(&q)
	out := []answer[box.Argument]{}
	baked := map[string]bool{}
	for n := range all {
		i := &all[n]
		for _, variable := range slices.Sorted(maps.Keys(i.BoxEnv)) {
			if baked[variable] { // rows that agree
				continue
			}
			baked[variable] = true
			out = append(out, answer[box.Argument]{row: i.Row, out: box.Argument{Kind: box.Env, Name: variable, Value: i.BoxEnv[variable]}})
		}
	}
	return out, err
}

// checks say whether the credential is there: what a level that is on lacks is a failure,
// and what one at rest would lack is said.
func checks(i *proxy.Injection, q *surface.Question) []answer[check.Check] {
	c := check.Check{
		Name: "credential of " + i.Axis, Try: &check.Test{Variable: i.Secret()},
		Good: "the variable " + i.Secret() + " holds one", Bad: "the variable " + i.Secret() + " is not set: " + howTo(i), Else: check.Warn,
	}
	if q.Mode[i.Axis] == proxy.On {
		c.Else = check.Fail
	}
	return []answer[check.Check]{{row: i.Row, out: c}}
}

func howTo(i *proxy.Injection) string {
	if i.How != "" {
		return i.How
	}
	return "export it where Mortise is started"
}
