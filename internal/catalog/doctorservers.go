package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// tryPatience is how long a server has to answer. server test gives more.
const tryPatience = 30 * time.Second

// servers looks how far each declared server comes: that it is declared, may run, starts,
// answers and offers something are different things. Those that are switched off are left
// out. None is started or contacted but with --deep.
func (x *examined) servers() []doctor.Check {
	if x.g == nil {
		return nil
	}
	values := map[string]*compose.Typed[server.Server]{}
	all := x.g.Session(false).Servers
	for i := range all {
		values[all[i].Qualified] = &all[i]
	}
	doing := map[string]call.Status{}
	var out []doctor.Check
	for _, e := range x.listing.Entries {
		if e.Surface != "server" || e.Status == "disabled" {
			continue
		}
		if out == nil {
			doing = x.doing()
		}
		out = append(out, doctor.Check{
			Name: "server " + e.Qualified, From: ext.Name(e.Extension), At: where(e.Path, e.Line), Limit: 2 * tryPatience, Beside: true,
			Do: func(ctx context.Context, say func(doctor.Row)) error {
				row := x.server(ctx, &e, values[e.Qualified], doing)
				row.Name = "server " + e.Qualified
				say(row)
				return nil
			},
		})
	}
	return out
}

func (x *examined) server(ctx context.Context, e *host.EntryRow, v *compose.Typed[server.Server], doing map[string]call.Status) doctor.Row {
	switch {
	case e.Status == "refused":
		return doctor.Row{Status: check.Fail, Detail: "declared, and refused", Fix: "mend what the findings say of it"}
	case e.Status == "shadowed":
		return doctor.Row{Status: check.OK, Detail: "declared, and another stands in its place"}
	case v == nil:
		return doctor.Row{Status: check.Warn, Detail: "declared, and not in use: it is " + e.Status, Fix: "mortise explain " + e.Qualified + " says why"}
	}
	if st, ok := doing[e.Qualified]; ok && st.State == call.Failed {
		return doctor.Row{Status: check.Fail, Detail: fmt.Sprintf("declared; the host that runs gave it up after %d starts: %s", st.Starts, st.Error), Fix: "mortise server logs " + e.Qualified + " shows what it printed"}
	}
	stdio := v.Value.Command != ""
	if stdio {
		if why := x.startable(v); why != nil {
			return doctor.Row{Status: check.Fail, Detail: "declared; does not start: " + why.Error(), Fix: "mend its declaration, or install the program"}
		}
	}
	if x.deep {
		return x.tried(ctx, e.Qualified, stdio)
	}
	known := x.known(e.Qualified)
	switch st, ok := doing[e.Qualified]; {
	case ok && st.State == call.Ready:
		return doctor.Row{Status: check.OK, Detail: fmt.Sprintf("declared; starts; answers in the host that runs: %d tools", st.Tools)}
	case stdio:
		return doctor.Row{Status: check.OK, Detail: "declared; its program is there; whether it starts and answers is tried with --deep" + known}
	}
	return doctor.Row{Status: check.OK, Detail: "declared; whether it answers is tried with --deep" + known}
}

// startable is why the program of a server would not be started.
func (x *examined) startable(v *compose.Typed[server.Server]) error {
	dir, ok := x.g.InUse(v.Extension)
	if !ok {
		return nil // who starts it tells
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	t := (&servers{place: x.place}).target(v.Value, ext.Tree{Extension: v.Extension, Leads: dir})
	_, err := mcp.Found(t, x.place.Env)
	return err
}

// known says what is remembered of a server.
func (x *examined) known(name string) string {
	n := x.tools(name)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; it had %d tools when it last ran", n)
}

func (x *examined) tools(name string) (n int) {
	for _, e := range x.listing.Entries {
		if e.Surface == "tool" && len(e.Qualified) > len(name) && e.Qualified[:len(name)+1] == name+"/" {
			n++
		}
	}
	return n
}

// tried starts or contacts a server once, and says how far it came.
func (x *examined) tried(ctx context.Context, name string, stdio bool) doctor.Row {
	t, err := Try(ctx, x.place, name, tryPatience)
	if err != nil {
		return doctor.Row{Status: check.Fail, Detail: "declared; cannot be tried: " + err.Error(), Fix: "mortise server test " + name + " says more"}
	}
	st, reached := &t.Status, "declared; "
	if stdio {
		reached += "starts; "
	}
	switch {
	case !t.Answered() && stdio && st.Starts == 0:
		return doctor.Row{Status: check.Fail, Detail: "declared; does not start: " + st.Error, Fix: "mend its declaration, or install the program"}
	case !t.Answered():
		return doctor.Row{Status: check.Fail, Detail: reached + "does not answer: " + st.Error, Fix: "mortise server test " + name + " shows what it printed"}
	case st.Tools+st.Prompts+st.Resources == 0:
		return doctor.Row{Status: check.Warn, Detail: reached + "answers; offers nothing that could be used", Fix: "mortise server test " + name + " shows what it says"}
	}
	row := doctor.Row{Status: check.OK, Detail: fmt.Sprintf("%sanswers; offers %d tools, %d prompts, %d resources", reached, st.Tools, st.Prompts, st.Resources)}
	if n := x.g.Unapproved()[name]; n > 0 {
		row.Status, row.Fix = check.Warn, "mortise approve shows them, and approves them"
		row.Detail += fmt.Sprintf("; %d of them changed, and are not usable until you approve", n)
	}
	return row
}

// doing is how servers are doing in a host that runs; nothing where none says so.
func (x *examined) doing() map[string]call.Status {
	out := map[string]call.Status{}
	all, err := instance.Find(runDir(x.place), x.place.Workspace.Dir)
	if err != nil { // has a row of its own
		return out
	}
	for _, r := range all {
		for _, st := range serversOf(r) {
			if _, newer := out[st.Name]; !newer {
				out[st.Name] = st
			}
		}
	}
	return out
}

func serversOf(r instance.Record) []call.Status {
	const patience, most = 5 * time.Second, 16 << 20
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, instance.BaseURL+"/api/servers", nil)
	if err != nil {
		return nil
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	client := instance.Client(r)
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	var got struct {
		Servers []call.Status `json:"servers"`
	}
	if json.NewDecoder(io.LimitReader(res.Body, most)).Decode(&got) != nil {
		return nil
	}
	return got.Servers
}
