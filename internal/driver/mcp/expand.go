package mcp

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

const (
	rootVariable = "${PLUGIN_ROOT}"
	dataVariable = "${PLUGIN_DATA}"
)

// refused is a reason for which a server is not started at all; trying again
// changes nothing.
type refused struct{ why string }

func (r *refused) Error() string { return "it was not started: " + r.why }

func refuse(format string, args ...any) error { return &refused{fmt.Sprintf(format, args...)} }

// expander replaces placeholders in a declaration's values, each once: what
// comes out is not looked at again.
type expander struct {
	root, data string
	host       []string
	claude     bool
	err        error // the first placeholder that stands for nothing
}

// placeholder is ${NAME} or ${NAME:-default}.
var placeholder = pattern.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// plugin replaces the plugin's two directories.
func (x *expander) plugin(s string) string {
	return strings.NewReplacer(rootVariable, x.root, dataVariable, x.data).Replace(s)
}

// hosts replaces every placeholder: the plugin's directories, and variables of
// the host. Where none of that is to be replaced, s stays as it is.
func (x *expander) hosts(where, s string) string {
	if !x.claude {
		return s
	}
	return placeholder.ReplaceAllStringFunc(s, func(p string) string {
		m := placeholder.FindStringSubmatch(p)
		switch p {
		case rootVariable:
			return x.root
		case dataVariable:
			return x.data
		}
		if v, ok := lookup(x.host, m[1]); ok {
			return v
		}
		if m[2] == "" && x.err == nil {
			x.err = refuse("%s uses the variable %s, which is not set: set it, or write ${%s:-default}", where, m[1], m[1])
		}
		return strings.TrimPrefix(m[2], ":-")
	})
}

// value is s with what is replaced in arguments and variables.
func (x *expander) value(where, s string) string {
	if x.claude {
		return x.hosts(where, s)
	}
	return x.plugin(s)
}

// expand is the target with every placeholder of its dialect replaced. The
// error names the variable and where it stands, never a value.
func expand(t *Target, host []string) (*Target, error) {
	x := &expander{root: t.Root, data: t.Data, claude: t.Claude, host: host}
	out := *t
	out.Args, out.Env, out.Headers = nil, nil, nil
	if rest, ok := strings.CutPrefix(t.Command, rootVariable+"/"); ok && t.Claude {
		out.Command = "./" + x.hosts("its command", rest) // a path below the root, to be checked as one
	} else {
		out.Command = x.hosts("its command", t.Command)
	}
	for i, a := range t.Args {
		out.Args = append(out.Args, x.value(fmt.Sprintf("argument %d", i+1), a))
	}
	for _, e := range t.Env {
		out.Env = append(out.Env, Pair{e.Name, x.value("the value of "+ext.Quote(e.Name)+" in its env", e.Value)})
	}
	out.Cwd = x.plugin(t.Cwd)
	out.URL = x.hosts("its url", t.URL)
	for _, h := range t.Headers {
		out.Headers = append(out.Headers, Pair{h.Name, x.hosts("its header "+ext.Quote(h.Name), h.Value)})
	}
	return &out, x.err
}
