package cli

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"

	"golang.org/x/net/netutil"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// door is where clients come in over HTTP: an address, the token that each request
// needs there, and the certificate that is shown.
type door struct {
	net.Listener
	token *instance.Token // nil: nobody is asked for one
	tls   *tls.Config     // nil: plain HTTP
}

// exposed reports whether other machines may reach an address. One that is not
// understood is taken to be such.
func exposed(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return !ok || !tcp.IP.IsLoopback()
}

// tokenDir is the folder of the tokens of a person's workspaces.
func tokenDir(p host.Place) string { return filepath.Join(p.Paths.State, "tokens") }

// open is the door of a workspace. Where other machines reach it, it has the
// token of the workspace, which is made the first time.
func (c *call) open(p host.Place, o serveOptions, secure *tls.Config) (*door, error) {
	l, err := instance.Open(instance.PortsIn(c.running(p)), p.Workspace.Dir, o.http, firstPort)
	if err != nil {
		return nil, err
	}
	d, err := newDoor(l, tokenDir(p), p.Workspace.Dir, secure)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return d, nil
}

func newDoor(l net.Listener, dir, workspace string, secure *tls.Config) (*door, error) {
	d := &door{Listener: l, tls: secure}
	if !exposed(l.Addr()) {
		return d, nil
	}
	t, err := instance.TokenOf(dir, workspace)
	if err != nil {
		return nil, err
	}
	d.token = &t
	return d, nil
}

// serve serves at the door until ctx ends: all that comes in, whatever it asks for,
// shows the token first.
func (d *door) serve(ctx context.Context, h http.Handler, tell func(error)) error {
	l := netutil.LimitListener(d.Listener, connections())
	if d.tls != nil {
		l = tls.NewListener(l, d.tls)
	}
	if d.token != nil {
		h = asking(*d.token, h)
	}
	return serveHTTP(ctx, l, h, tell)
}

// file is where the token lies; "" without one.
func (d *door) file() string {
	if d.token == nil {
		return ""
	}
	return d.token.File
}

// asking answers requests that show the token, and no other.
func asking(t instance.Token, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given, shown := shownToken(r); !shown || !t.Is(given) {
			unauthorized(w, shown)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// shownToken is what a request shows as its token: by one header, so that no proxy
// before us and we see different ones.
func shownToken(r *http.Request) (given string, shown bool) {
	all := r.Header.Values("Authorization")
	if len(all) != 1 {
		return "", false
	}
	scheme, given, ok := strings.Cut(all[0], " ")
	return strings.TrimSpace(given), ok && strings.EqualFold(scheme, "Bearer")
}

// unauthorized says what is missing, and not where it lies: who asks may be anybody.
func unauthorized(w http.ResponseWriter, shown bool) {
	challenge, text := `Bearer realm="mortise"`, "each request needs the token of this host, as Authorization: Bearer TOKEN; mortise serve said where it lies"
	if shown {
		challenge += `, error="invalid_token"`
		text = "this is not the token of this host; mortise serve said where it lies"
	}
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text}) // who asked is gone
}

// exposure says on standard error who reaches the door and what they need. The
// token itself is for the eyes of a person at a terminal: what is no terminal is
// kept by somebody.
func (c *call) exposure(d *door) {
	if d.token == nil {
		return
	}
	c.complain(fmt.Errorf("other machines may reach %s; each request there needs the token in %s, as Authorization: Bearer TOKEN", d.Addr(), d.token.File))
	if d.tls == nil {
		c.complain(errors.New("the token and all else go over the network as they are; --tls-cert and --tls-key encrypt them, --http 127.0.0.1:PORT keeps them to this machine"))
	}
	if c.Watched {
		c.complain(fmt.Errorf("the token is %s", d.token.Secret()))
	}
}

// tokenFile is where the token lies that is needed at the address of a running
// host; "" where none is.
func tokenFile(p host.Place, r instance.Record) string {
	at, err := netip.ParseAddrPort(r.Address)
	if err == nil && !exposed(net.TCPAddrFromAddrPort(at)) {
		return ""
	}
	return instance.TokenFile(tokenDir(p), r.Workspace)
}
