package plan

import (
	"encoding/json"
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/surface"
)

// injectTable is the array of tables that what is built in answers for.
const injectTable = "inject"

// inject hands the rows [[inject]] that are in order to what answers for them, each with
// where it stands. A row with a fault is told and left out, and so are all rows that would
// share the variable of a credential, or give one variable of the box two stand-ins:
// which of them was meant is not known.
func (r *Registry) inject() {
	var all []proxy.Injection
	var origins []ext.Origin
	for i := range r.in.Rows {
		row := &r.in.Rows[i]
		if row.Table != injectTable {
			continue
		}
		one := proxy.Injection{Row: proxy.Row{File: row.Origin.Path, Line: row.Origin.Line}}
		err := jsonv2.Unmarshal(surface.JSON(&row.Doc), &one, jsonv2.RejectUnknownMembers(true))
		if err == nil && one.Axis == "" && one.Switch == "" {
			r.findings.Add(RowFault.At(row.Origin, "[[inject]] names no axis"))
			continue
		}
		if err == nil {
			err = one.Check()
		}
		if err != nil {
			r.findings.Add(RowFault.At(row.Origin, "[[inject]] %s %s", ext.Quote(one.Axis+one.Switch), ext.Escape(err.Error())))
			continue
		}
		all, origins = append(all, one), append(origins, row.Origin)
	}
	all = r.distinct(all, origins)
	if len(all) == 0 {
		return
	}
	raw, err := json.Marshal(all)
	if err != nil {
		r.findings.Add(RowFault.At(ext.Origin{}, "[[inject]] cannot be handed on: %s", ext.Escape(err.Error())))
		return
	}
	if r.in.Tables == nil {
		r.in.Tables = map[string]json.RawMessage{}
	}
	r.in.Tables[injectTable] = raw
}

// distinct leaves out the rows that claim what another one claims too.
func (r *Registry) distinct(all []proxy.Injection, origins []ext.Origin) []proxy.Injection {
	bad := map[int]bool{}
	fault := func(i, j int, format string, args ...any) {
		for _, at := range []int{i, j} {
			if !bad[at] {
				bad[at] = true
				r.findings.Add(RowFault.At(origins[at], format, args...))
			}
		}
	}
	secrets := make([]string, len(all))
	for i := range all {
		secrets[i] = all[i].Secret()
		for j := range all[:i] {
			a, b := &all[j], &all[i]
			if secrets[j] == secrets[i] {
				fault(j, i, "[[inject]] %s (%s) and %s (%s) would have their credentials in one variable, %s", ext.Quote(a.Axis), origins[j], ext.Quote(b.Axis), origins[i], a.Secret())
			}
			if len(a.BoxEnv) == 0 || len(b.BoxEnv) == 0 {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(a.BoxEnv)) {
				if dummy, both := b.BoxEnv[name]; both && dummy != a.BoxEnv[name] {
					fault(j, i, "[[inject]] %s (%s) and %s (%s) give the variable %s of the box different stand-ins", ext.Quote(a.Axis), origins[j], ext.Quote(b.Axis), origins[i], name)
				}
			}
		}
	}
	var out []proxy.Injection
	for i := range all {
		if !bad[i] {
			out = append(out, all[i])
		}
	}
	return out
}
