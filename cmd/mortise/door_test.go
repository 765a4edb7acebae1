//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// showing shows a token with each request.
type showing struct {
	token string
	by    http.RoundTripper
}

func (s showing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+s.token)
	return s.by.RoundTrip(r)
}

// tokenFile waits until a program says where the token lies that it asks for.
func tokenFile(t *testing.T, p *process) string {
	t.Helper()
	m, err := p.said(p.stderr, `each request there needs the token in (\S+), as Authorization: Bearer TOKEN$`)
	if err != nil {
		t.Fatal(err)
	}
	return m[1]
}

// withToken is a way to what a program serves, with the token that it asks for.
func withToken(t *testing.T, run *process, by http.RoundTripper) http.RoundTripper {
	t.Helper()
	token, err := os.ReadFile(tokenFile(t, run))
	if err != nil {
		t.Fatal(err)
	}
	return showing{strings.TrimSpace(string(token)), by}
}

// status is what a request is answered with.
func status(t *testing.T, client *http.Client, method, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Error(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// Where other machines reach it, nothing is served without the token; with it all
// is, and a later start asks for the same one. It is printed nowhere.
func TestServeOutsideAsksForTheToken(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": one("good", mcptest.Normal)})
	p.must("trust", "--yes")
	var files, said []string
	var token string
	for range 2 {
		run := p.begin("serve", "--http", "0.0.0.0:0")
		m, err := run.said(run.stdout, `^Serving MCP at (http://\S+)$[\s\S]*^Ctrl-C`)
		if err != nil {
			t.Fatal(err)
		}
		url, file, by := m[1], tokenFile(t, run), withToken(t, run, http.DefaultTransport)
		for _, path := range []string{"/mcp", "/api/generation", "/api/servers", "/"} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				if got := status(t, http.DefaultClient, method, strings.TrimSuffix(url, "/mcp")+path); got != http.StatusUnauthorized {
					t.Errorf("%s %s without the token: got %d, want 401", method, path, got)
				}
			}
		}
		c := connectBy(t, url, by, nil)
		c.has("owner_good__echo")
		c.answers("owner_good__echo", map[string]any{"text": "hello"}, "hello")
		if got := status(t, &http.Client{Transport: by}, http.MethodGet, strings.TrimSuffix(url, "/mcp")+"/api/generation"); got != http.StatusOK {
			t.Errorf("GET /api/generation with the token: got %d, want 200", got)
		}
		again := p.must("serve", "--json")
		if doc := document[map[string]any](t, again); doc["token_file"] != file || doc["url"] != url {
			t.Errorf("serve --json of what is served: got %v at %v, want the file %s", doc["token_file"], doc["url"], file)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		token = strings.TrimSpace(string(data))
		said = append(said, again, p.must("serve"))
		served{run, url}.ends(t, syscall.SIGINT)
		files, said = append(files, file+" "+token), append(said, run.stdout.String(), run.stderr.String())
	}
	if files[0] != files[1] {
		t.Errorf("the token of a later start: got %s and then another, want the same", files[0][:len(files[0])-len(token)])
	}
	for _, text := range said {
		if strings.Contains(text, token) {
			t.Errorf("the token was printed: %s", strings.ReplaceAll(text, token, "TOKEN"))
		}
	}
	p.tellsNobody(token)
}

// tellsNobody looks through all that was written in the home for a token, which
// stands in its file alone.
func (p place) tellsNobody(token string) {
	p.Helper()
	err := filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".token") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), token) {
			p.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		p.Error(err)
	}
}

// The document names the file, and the file is the person's alone.
func TestServeOutsideJSON(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	run := p.begin("serve", "--http", "0.0.0.0:0", "--json")
	if _, err := run.said(run.stdout, `^}$`); err != nil {
		t.Fatal(err)
	}
	doc := document[struct {
		URL       string
		TokenFile string `json:"token_file"`
	}](t, run.stdout.String())
	info, err := os.Stat(doc.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || !strings.HasPrefix(doc.TokenFile, filepath.Join(p.home, "state")) {
		t.Errorf("token: got %s with mode %v, want 0600 in the state of the home", doc.TokenFile, info.Mode())
	}
	served{run, doc.URL}.ends(t, syscall.SIGINT)
}

// A token that others can read is not used: nothing is served with it.
func TestServeOutsideWithATokenThatIsKnown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	run := p.begin("serve", "--http", "0.0.0.0:0")
	if _, err := run.said(run.stdout, `^Ctrl-C`); err != nil {
		t.Fatal(err)
	}
	file := tokenFile(t, run)
	served{run, ""}.ends(t, syscall.SIGINT)
	if err := os.Chmod(file, 0o644); err != nil { //nolint:gosec // the case
		t.Fatal(err)
	}
	out, errs, code := p.run("serve", "--http", "0.0.0.0:0")
	if code != 3 || out != "" || !strings.Contains(errs, file) || !strings.Contains(errs, "remove the file to have another one made") {
		t.Errorf("got code %d, %q and %q, want 3, the file and what to do", code, out, errs)
	}
}

// certificate is a certificate for 127.0.0.1 that signs itself, and what trusts it.
func (p place) certificate() (cert, key string, by http.RoundTripper) {
	p.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		p.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		p.Fatal(err)
	}
	cert, key = filepath.Join(p.dir, "cert.pem"), filepath.Join(p.dir, "key.pem")
	for file, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(b), 0o600); err != nil {
			p.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))
	return cert, key, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
}

// Given a certificate, https is what is printed and what is spoken, on this machine
// and outside; who asks for it where it is served plainly hears so.
func TestServeTLS(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	_, _, by := p.certificate()
	for at, outside := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true} {
		run := p.begin("serve", "--http", at, "--tls-cert", "cert.pem", "--tls-key", "key.pem")
		m, err := run.said(run.stdout, `^Serving MCP at (https://127\.0\.0\.1:[0-9]+/mcp)$[\s\S]*^Ctrl-C`)
		if err != nil {
			t.Fatal(err)
		}
		way := by
		if outside {
			way = withToken(t, run, by)
			if got := status(t, &http.Client{Transport: by}, http.MethodPost, m[1]); got != http.StatusUnauthorized {
				t.Errorf("at %s without the token: got %d, want 401", at, got)
			}
		}
		if got := connectBy(t, m[1], way, nil).tools(); !slices.Equal(got, ours) {
			t.Errorf("tools at %s: got %q, want %q", at, got, ours)
		}
		if out := p.must("serve"); !strings.Contains(out, m[1]) {
			t.Errorf("serve of what is served: got %q, want %s", out, m[1])
		}
		served{run, m[1]}.ends(t, syscall.SIGINT)
		if errs := run.stderr.String(); strings.Contains(errs, "as they are") || strings.Contains(errs, "handshake") {
			t.Errorf("standard error at %s: got %q, want no advice of TLS, and nothing of our own looks", at, errs)
		}
	}
	s := p.serve()
	out, errs, code := p.run("serve", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
	if code != 1 || out != "" || !strings.Contains(errs, s.url+", without TLS") {
		t.Errorf("TLS of what is served plainly: got code %d, %q and %q, want 1, and where it is served", code, out, errs)
	}
}
