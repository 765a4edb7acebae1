// Package proxy holds the hooks for the network of a worktree: what the egress proxy puts
// into requests, what it answers itself, and where programs go without it.
package proxy

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Rule has a credential put into the requests to a host, while an axis is at a level at
// which its owner wants that.
type Rule struct {
	Axis        string   `json:"axis" doc:"The axis at whose level it holds."`
	Host        string   `json:"host" doc:"The host, without a port."`
	PathPrefix  string   `json:"path_prefix,omitzero" doc:"How the path of a request begins; all of the host without."`
	Header      string   `json:"header,omitzero" doc:"The header that the credential is put into. Exactly one of header and query_param."`
	QueryParam  string   `json:"query_param,omitzero" doc:"The query parameter that the credential is put into."`
	ValuePrefix string   `json:"value_prefix,omitzero" doc:"What stands before the credential, such as \"Bearer \"."`
	Secret      string   `json:"secret,omitzero" doc:"The variable that holds the credential. Exactly one of secret and command."`
	Command     []string `json:"command,omitempty" doc:"The command that makes a credential: it prints {\"value\": …, \"ttl\": seconds}."`
	Replay      bool     `json:"replay_on_401,omitzero" doc:"A request that is answered 401 is made once more with a new credential."`
	Label       string   `json:"label,omitzero" doc:"What people are shown."`
}

// Held is a credential that is none, which programs in the box have while an axis is at
// rest: a request that carries it is answered, and the answer says what would let it through.
type Held struct {
	Axis       string          `json:"axis" doc:"The axis that would let the request through."`
	Host       string          `json:"host" doc:"The host, without a port."`
	PathPrefix string          `json:"path_prefix,omitzero" doc:"How the path of a request begins."`
	Header     string          `json:"header,omitzero" doc:"The header that carries it. Exactly one of header and query_param."`
	QueryParam string          `json:"query_param,omitzero" doc:"The query parameter that carries it."`
	Dummy      string          `json:"dummy" doc:"What is carried: no secret."`
	Body       json.RawMessage `json:"body,omitempty" doc:"What the answer holds, in the shape of the provider's own."`
	AnyScheme  bool            `json:"any_scheme,omitzero" doc:"It may stand behind one word, such as Bearer."`
}

// Direct is a host that programs go to without the proxy.
type Direct struct {
	Host string `json:"host" doc:"The host."`
}

// Recommendation is a host that an extension would reach. It allows nothing.
type Recommendation struct {
	Host string `json:"host" doc:"The host, and perhaps a port."`
	Why  string `json:"why" doc:"What for."`
}

var (
	// Rules are what is put into requests.
	Rules = surface.DefineHook(surface.HookDef[surface.Question, Rule]{
		Name:  "proxy_rules",
		Doc:   "Credentials that the egress proxy puts into requests, of levels that are on.",
		Needs: ext.Project, Merge: surface.Append, Valid: (*Rule).check,
	})
	// HeldCredentials are what is answered, of levels that are at rest.
	HeldCredentials = surface.DefineHook(surface.HookDef[surface.Question, Held]{
		Name:  "held_credentials",
		Doc:   "Stand-ins for credentials, of levels that are at rest: a request with one is answered, and told what to switch on.",
		Needs: ext.Project, Merge: surface.Append, Valid: (*Held).check,
	})
	// NoProxy are hosts that programs go to directly. They are baked into the box, so that
	// they are the same in every mode.
	NoProxy = surface.DefineHook(surface.HookDef[surface.Question, Direct]{
		Name:  "no_proxy_hosts",
		Doc:   "Hosts that programs in the box go to without the proxy.",
		Needs: ext.Project, Merge: surface.Unique, Fixed: true,
		Key:   func(d Direct) string { return Fold(d.Host) },
		Valid: func(d *Direct) error { return hostFault(d.Host) },
	})
	// Recommended are hosts that a person is offered to allow.
	Recommended = surface.DefineHook(surface.HookDef[surface.Question, Recommendation]{
		Name:  "egress_recommend",
		Doc:   "Hosts that a person is offered to allow, and what for. It allows nothing.",
		Needs: ext.Project, Merge: surface.Unique, Fixed: true,
		Key: func(r Recommendation) string { return Fold(r.Host) },
		Valid: func(r *Recommendation) error {
			if r.Why = strings.TrimSpace(r.Why); r.Why == "" {
				return fmt.Errorf("recommends %s and does not say why", ext.Quote(r.Host))
			}
			host, port, given := strings.Cut(r.Host, ":")
			if n, err := strconv.ParseUint(port, 10, 16); given && (err != nil || n == 0) {
				return fmt.Errorf("recommends %s, whose port is none", ext.Quote(ext.Shorten(r.Host, 200)))
			}
			return hostFault(host)
		},
	})
)

// Fold is a host as it is compared: hosts know no case, and no dot at the end.
func Fold(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

func hostFault(host string) error {
	if bare := strings.TrimSuffix(host, "."); !surface.Plain(bare, 253, "_.-") || strings.HasSuffix(bare, "-") || strings.HasSuffix(bare, ".") {
		return fmt.Errorf("has the host %s, expected a name without scheme, port, path and '*'", ext.Quote(ext.Shorten(host, 200)))
	}
	return nil
}

// token reports whether s can be the name of a header (RFC 9110, section 5.6.2).
func token(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("!#$%&'*+.^_`|~-", r) && !surface.Plain(string(r), 4, "")
	}) < 0
}

// place is what is wrong with where a credential is put or found.
func place(header, parameter, prefix string) error {
	switch {
	case (header == "") == (parameter == ""):
		return fmt.Errorf("needs exactly one of \"header\" and \"query_param\"")
	case header != "" && !token(header):
		return fmt.Errorf("has the header %s, which is none", ext.Quote(ext.Shorten(header, 80)))
	case strings.ContainsAny(parameter, "&=#\x00\n\r "):
		return fmt.Errorf("has the query parameter %s, which is none", ext.Quote(ext.Shorten(parameter, 80)))
	case prefix != "" && !strings.HasPrefix(prefix, "/"):
		return fmt.Errorf("has the path %s, expected one that begins with '/'", ext.Quote(ext.Shorten(prefix, 80)))
	}
	return nil
}

func (r *Rule) check() error {
	switch {
	case r.Axis == "":
		return fmt.Errorf("names no axis")
	case strings.ContainsAny(r.ValuePrefix, "\r\n\x00"):
		return fmt.Errorf("has a \"value_prefix\" that holds the end of a line")
	case (r.Secret == "") == (len(r.Command) == 0):
		return fmt.Errorf("needs exactly one of \"secret\" and \"command\"")
	case len(r.Command) > 0 && r.Command[0] == "":
		return fmt.Errorf("has a \"command\" without a program")
	}
	if err := hostFault(r.Host); err != nil {
		return err
	}
	return place(r.Header, r.QueryParam, r.PathPrefix)
}

func (h *Held) check() error {
	switch {
	case h.Axis == "":
		return fmt.Errorf("names no axis")
	case h.Dummy == "":
		return fmt.Errorf("says not what is carried (\"dummy\")")
	}
	if err := hostFault(h.Host); err != nil {
		return err
	}
	return place(h.Header, h.QueryParam, h.PathPrefix)
}

// Overlap reports whether some request would be of both rules: their hosts are one, and
// one path begins with the other.
func Overlap(a, b Rule) bool {
	return Fold(a.Host) == Fold(b.Host) && (strings.HasPrefix(a.PathPrefix, b.PathPrefix) || strings.HasPrefix(b.PathPrefix, a.PathPrefix))
}
