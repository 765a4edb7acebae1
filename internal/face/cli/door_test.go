package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// An address that other machines reach asks for a token, and so does one that
// nobody understands.
func TestExposed(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": false, "127.8.8.8": false, "::1": false, "0.0.0.0": true, "::": true, "192.0.2.1": true, "fe80::1": true,
	} {
		if got := exposed(&net.TCPAddr{IP: net.ParseIP(address), Port: 7777}); got != want {
			t.Errorf("exposed(%s): got %v, want %v", address, got, want)
		}
	}
	if !exposed(&net.UnixAddr{Name: "x", Net: "unix"}) {
		t.Error("an address of another kind: got one that this machine alone reaches, want it taken for exposed")
	}
}

// elsewhere is a listener of this machine that says that it listens at an address
// which others reach.
type elsewhere struct{ net.Listener }

func (elsewhere) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7777} }

// opened is a door over real TCP, which serves until the test ends, and its URL.
func opened(t *testing.T, outside bool, secure *tls.Config) (*door, string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if secure != nil {
		url = "https://" + l.Addr().String()
	}
	if outside {
		l = elsewhere{l}
	}
	d, err := newDoor(l, filepath.Join(t.TempDir(), "tokens"), "/srv/a", secure)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "in: %s", r.URL.Path) })
	go func() { ended <- d.serve(ctx, h, func(error) {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return d, url
}

// said is an answer to one request.
type said struct {
	status    int
	challenge string
	body      string
	tls       bool
}

func ask(t *testing.T, client *http.Client, method, url string, authorization ...string) said {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != nil {
		req.Header["Authorization"] = authorization
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return said{res.StatusCode, res.Header.Get("WWW-Authenticate"), string(body), res.TLS != nil}
}

// Nothing is to be had from outside without the token: no path and no method, and
// the answer helps nobody to it.
func TestDoorAsksForTheToken(t *testing.T) {
	d, url := opened(t, true, nil)
	secret := d.token.Secret()
	for _, c := range []struct {
		name  string
		given []string
		want  int
	}{
		{"the token", []string{"Bearer " + secret}, 200},
		{"another spelling of the scheme", []string{"bearer  " + secret}, 200},
		{"nothing", nil, 401},
		{"no token", []string{"Bearer "}, 401},
		{"the scheme alone", []string{"Bearer"}, 401},
		{"another token", []string{"Bearer " + strings.Repeat("0", len(secret))}, 401},
		{"the beginning of it", []string{"Bearer " + secret[:len(secret)-1]}, 401},
		{"more than it", []string{"Bearer " + secret + "0"}, 401},
		{"without a scheme", []string{secret}, 401},
		{"another scheme", []string{"Basic " + secret}, 401},
		{"twice", []string{"Bearer " + secret, "Bearer " + secret}, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, "ODD"} {
				for _, path := range []string{"/mcp", "/api/generation", "/", "/.well-known/oauth-protected-resource"} {
					got := ask(t, http.DefaultClient, method, url+path, c.given...)
					if got.status != c.want {
						t.Errorf("%s %s: got %d, want %d", method, path, got.status, c.want)
					}
					if (c.want == 401) != strings.HasPrefix(got.challenge, "Bearer ") {
						t.Errorf("%s %s: got the challenge %q, want one with 401 alone", method, path, got.challenge)
					}
					if c.want == 401 && (strings.Contains(got.body+got.challenge, secret) || strings.Contains(got.body, d.token.File) || strings.Contains(got.body, "in:")) {
						t.Errorf("%s %s: the refusal tells too much: %q", method, path, got.body)
					}
				}
			}
		})
	}
}

// The server would answer OPTIONS * by itself, whoever asks.
func TestDoorAsksWhereTheServerAnswers(t *testing.T) {
	_, url := opened(t, true, nil)
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	send(t, c, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 401 ") {
		t.Errorf("got %q, %v, want 401", answer, err)
	}
}

// On this machine nobody is asked, and no token is made.
func TestDoorOfThisMachineAsksNobody(t *testing.T) {
	d, url := opened(t, false, nil)
	if got := ask(t, http.DefaultClient, http.MethodGet, url+"/mcp"); got.status != 200 || got.body != "in: /mcp" {
		t.Errorf("got %+v, want it let in", got)
	}
	if d.token != nil || d.file() != "" {
		t.Errorf("got %v, want no token", d.token)
	}
}

// The token is for the eyes of a person: what keeps what it reads is told where it
// lies, and no more.
func TestExposureIsTold(t *testing.T) {
	for _, c := range []struct{ outside, secure, watched bool }{
		{false, false, true}, {true, false, false}, {true, false, true}, {true, true, false}, {true, true, true},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			var secure *tls.Config
			if c.secure {
				secure = &tls.Config{} //nolint:gosec // nothing is asked
			}
			d, _ := opened(t, c.outside, secure)
			var errs bytes.Buffer
			(&call{App: &App{Err: &errs, Watched: c.watched}}).exposure(d)
			told := errs.String()
			if !c.outside {
				if told != "" {
					t.Errorf("got %q, want nothing said of what this machine alone reaches", told)
				}
				return
			}
			if !strings.Contains(told, d.token.File) || !strings.Contains(told, "Authorization: Bearer TOKEN") {
				t.Errorf("got %q, want where the token lies and how it is sent", told)
			}
			if got := strings.Contains(told, d.token.Secret()); got != c.watched {
				t.Errorf("the token in %q: got %v, want %v", told, got, c.watched)
			}
			if got := strings.Contains(told, "--tls-cert"); got == c.secure {
				t.Errorf("advice of TLS in %q: got %v, want %v", told, got, !c.secure)
			}
		})
	}
}

// Where a running host asks for a token follows from its address.
func TestTokenFileOfARunningHost(t *testing.T) {
	p := host.Place{Paths: config.Paths{State: "/state"}}
	for address, want := range map[string]bool{"127.0.0.1:7777": false, "[::1]:7777": false, "0.0.0.0:7777": true, "[::]:7777": true, "192.0.2.1:7777": true} {
		got := tokenFile(p, instance.Record{Workspace: "/srv/a", Address: address})
		if (got != "") != want || want && got != instance.TokenFile(tokenDir(p), "/srv/a") {
			t.Errorf("tokenFile at %s: got %q, want one: %v", address, got, want)
		}
	}
}

// certified writes a certificate for 127.0.0.1 that signs itself, and its key.
func certified(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// With a certificate TLS is spoken, the token is asked for within it, and whoever
// speaks plainly is told.
func TestDoorWithTLS(t *testing.T) {
	dir := t.TempDir()
	cert, _ := certified(t, dir)
	c := &call{App: &App{Dir: dir}}
	secure, err := c.certificate(serveOptions{tlsCert: "cert.pem", tlsKey: "key.pem"})
	if err != nil {
		t.Fatal(err)
	}
	d, url := opened(t, true, secure)
	pool := x509.NewCertPool()
	data, err := os.ReadFile(cert)
	if err != nil || !pool.AppendCertsFromPEM(data) {
		t.Fatalf("read the certificate: %v", err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	if got := ask(t, client, http.MethodGet, url+"/mcp"); got.status != 401 {
		t.Errorf("without the token: got %+v, want 401", got)
	}
	if got := ask(t, client, http.MethodGet, url+"/mcp", "Bearer "+d.token.Secret()); got.status != 200 || got.body != "in: /mcp" || !got.tls {
		t.Errorf("with the token: got %+v, want it let in", got)
	}
	plain := strings.Replace(url, "https", "http", 1)
	if got := ask(t, http.DefaultClient, http.MethodGet, plain+"/mcp", "Bearer "+d.token.Secret()); got.status != 400 || strings.Contains(got.body, "in:") {
		t.Errorf("without TLS: got %+v, want it refused", got)
	}
}

// What cannot be served with is told of by the names that were given, and no key is
// in what is told.
func TestCertificateThatIsNone(t *testing.T) {
	dir := t.TempDir()
	_, key := certified(t, dir)
	data, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	certified(t, other)
	c := &call{App: &App{Dir: dir}}
	for name, o := range map[string]serveOptions{
		"no file":               {tlsCert: "none.pem", tlsKey: "key.pem"},
		"no key":                {tlsCert: "cert.pem", tlsKey: "none.pem"},
		"the other way around":  {tlsCert: "key.pem", tlsKey: "cert.pem"},
		"the key of another":    {tlsCert: "cert.pem", tlsKey: filepath.Join(other, "key.pem")},
		"the certificate twice": {tlsCert: "cert.pem", tlsKey: "cert.pem"},
	} {
		_, err := c.certificate(o)
		if err == nil || !strings.Contains(err.Error(), o.tlsCert) || !strings.Contains(err.Error(), o.tlsKey) {
			t.Errorf("%s: got %v, want an error that names both files", name, err)
		}
		if err != nil && strings.Contains(err.Error(), strings.Split(string(data), "\n")[1]) {
			t.Errorf("%s: the error holds the key: %v", name, err)
		}
	}
	if secure, err := c.certificate(serveOptions{}); secure != nil || err != nil {
		t.Errorf("none named: got %v, %v, want plain HTTP", secure, err)
	}
}
