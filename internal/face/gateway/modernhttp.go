package gateway

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Headers that say again what the body of a request says.
const (
	methodHeader = "Mcp-Method"
	nameHeader   = "Mcp-Name"
	paramHeader  = "Mcp-Param-"
)

// modernPost answers a message of a revision without a handshake over HTTP. It reports
// whether it was one.
func (g *Gateway) modernPost(w http.ResponseWriter, r *http.Request, f *rpc.Frame) bool {
	if !modern(f) && !statelessHeader(r.Header.Get(versionHeader)) {
		return false
	}
	switch f.Kind {
	case rpc.Notification: // there are none over HTTP in this revision that mean anything
		w.WriteHeader(http.StatusAccepted)
		return true
	case rpc.Response:
		bad(w, nil, -32600, "a client answers nothing in this revision of the protocol")
		return true
	}
	a := newWriting(w)
	a.finish(g.stateless(r.Context(), &visit{frame: f, out: a.emit, alive: a.comment, header: r.Header}))
	return true
}

// statelessHeader reports whether a request names a revision without a handshake.
func statelessHeader(version string) bool {
	return version != "" && !slices.Contains(shaking, version) && version > shaking[len(shaking)-1]
}

// finish writes an answer with the status that its error has in this revision.
func (a *writing) finish(said answer) {
	status := statusOf(said.code)
	if a.stream || said.raw == nil || status == http.StatusOK {
		a.end(said.raw)
		return
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(status)
	_ = a.write(said.raw) // a client that is gone needs none
}

func statusOf(code int) int {
	switch code {
	case codeMismatch, codeLacking, codeVersion, codeUnfit:
		return http.StatusBadRequest
	case codeUnknown:
		return http.StatusNotFound
	}
	return http.StatusOK
}

// mirrored says what headers say otherwise than the body does; nil: nothing.
func (v *visit) mirrored() *call.Error {
	f := v.frame
	if said := v.header.Get(methodHeader); said != f.Method {
		return mismatch(methodHeader, said, f.Method)
	}
	var at rpc.Span
	switch f.Method {
	case "tools/call", "prompts/get":
		at = f.Name
	case "resources/read":
		at = f.URI
	default:
		return nil
	}
	body, _ := rpc.Text(f.Bytes(at))
	said, ok := headerText(v.header.Values(nameHeader))
	if !ok || said != body {
		return mismatch(nameHeader, v.header.Get(nameHeader), body)
	}
	return nil
}

func mismatch(header, said, body string) *call.Error {
	message := "the header " + header + " says " + ext.Quote(ext.Shorten(said, 80)) + ", the body " + ext.Quote(ext.Shorten(body, 80))
	if said == "" {
		message = "the header " + header + " is missing: the body says " + ext.Quote(ext.Shorten(body, 80))
	}
	return &call.Error{Code: codeMismatch, Message: message}
}

// headerText is the text that a header says, which may be in Base64; false where it
// is not there once, or cannot be read.
func headerText(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	said := strings.Trim(values[0], " \t")
	coded, ok := strings.CutPrefix(said, "=?base64?")
	if !ok {
		return said, plain(said)
	}
	if coded, ok = strings.CutSuffix(coded, "?="); !ok {
		return said, plain(said)
	}
	text, err := base64.StdEncoding.Strict().DecodeString(coded)
	return string(text), err == nil
}

// plain reports whether text may stand in a header as it is.
func plain(s string) bool {
	for i := range len(s) {
		if (s[i] < ' ' && s[i] != '\t') || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
