package proxy

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Injection is one row [[inject]] of the configuration: an axis off/on, and the
// credential that is put into requests while it is on. The credential itself is in a
// variable whose name follows from the axis; no configuration chooses it.
type Injection struct {
	Axis        string            `json:"axis,omitzero"`
	Switch      string            `json:"switch,omitzero"` // another word for axis
	Host        string            `json:"host,omitzero"`
	Header      string            `json:"header,omitzero"`
	QueryParam  string            `json:"query_param,omitzero"`
	PathPrefix  string            `json:"path_prefix,omitzero"`
	ValuePrefix string            `json:"value_prefix,omitzero"`
	Label       string            `json:"label,omitzero"`
	How         string            `json:"how,omitzero"`
	Pattern     string            `json:"pattern,omitzero"`
	Emergency   bool              `json:"emergency,omitzero"`
	Replay      bool              `json:"replay_on_401,omitzero"`
	BoxEnv      map[string]string `json:"box_env,omitempty"` // variables of the box, each with its stand-in
	Disabled    bool              `json:"disabled,omitzero"`
	Row         Row               `json:"from_row,omitzero"`
}

// Row is where a row of the configuration stands.
type Row struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// SecretPrefix begins the variables that hold the credentials of injections.
const SecretPrefix = "MORTISE_INJECT_"

// Levels of the axis of an injection.
const (
	Off = "off"
	On  = "on"
)

// Secret is the variable that holds the credential. Axes that differ in case or in what is
// no letter or digit have the same one.
func (i *Injection) Secret() string {
	return SecretPrefix + strings.Map(func(r rune) rune {
		if surface.Plain(string(r), 1, "") {
			return unicode.ToUpper(r)
		}
		return '_'
	}, i.Axis)
}

// Rule is what the row has the proxy do while the axis is on.
func (i *Injection) Rule() Rule {
	return Rule{
		Axis: i.Axis, Host: i.Host, Header: i.Header, QueryParam: i.QueryParam, PathPrefix: i.PathPrefix, ValuePrefix: i.ValuePrefix,
		Secret: i.Secret(), Replay: i.Replay, Label: i.Label,
	}
}

// Check is what is wrong with a row; nil when nothing is. It replaces other words that
// were used.
func (i *Injection) Check() error {
	if i.Axis == "" {
		i.Axis = i.Switch
	}
	i.Switch = ""
	if i.Header == "" && i.QueryParam == "" {
		i.Header = "Authorization"
	}
	if i.Host == "" {
		return fmt.Errorf("names no host")
	}
	r := i.Rule()
	if err := r.check(); err != nil {
		return err
	}
	for name, dummy := range i.BoxEnv {
		switch {
		case !surface.VariableName(name):
			return fmt.Errorf("has the variable %s in \"box_env\", expected letters, digits and '_'", ext.Quote(ext.Shorten(name, 80)))
		case led(name):
			return fmt.Errorf("has the variable %s in \"box_env\", which Mortise or the box itself sets", name)
		case dummy == "":
			return fmt.Errorf("has the variable %s in \"box_env\" without a stand-in", name)
		}
	}
	return nil
}

// led reports whether a variable of the box is set by others: those of the proxy and of
// certificates, which would otherwise lead requests around it.
func led(name string) bool {
	up := strings.ToUpper(name)
	if strings.HasPrefix(up, "MORTISE_") || strings.HasPrefix(up, "LD_") {
		return true
	}
	switch up {
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "PATH", "HOME", "USER", "SHELL",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO":
		return true
	}
	return false
}
