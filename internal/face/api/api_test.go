package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/face/api"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

const token = "a-token-of-this-test"

// fleet are running servers, made of a list.
type fleet struct {
	status    []call.Status
	restarted []string
}

func (*fleet) Run(*session.Session, func(ext.Name) ext.Tree) {}
func (f *fleet) Status() []call.Status                       { return f.status }
func (*fleet) Close() error                                  { return nil }

func (f *fleet) Restart(name string) bool {
	for _, s := range f.status {
		if s.Name == name {
			f.restarted = append(f.restarted, name)
			return true
		}
	}
	return false
}

// serving is a host of a small workspace that serves, with servers of the
// test's.
func serving(t *testing.T) (*host.Host, *fleet) {
	t.Helper()
	dir := golden.Dir(t, golden.Files("mortise.toml", "", ".mortise/commands/go.md", "Go <there>.", ".mortise/mcp.json", `{"mcpServers": {"search": {"command": "s"}}}`))
	ws, err := config.FindWorkspace(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{status: []call.Status{{Name: "owner:search", Target: "secret target", Transport: "stdio", State: call.Ready, Pid: 12, Tools: 3}}}
	place := host.Place{Workspace: ws, Paths: config.Paths{User: filepath.Join(t.TempDir(), "config.toml")}}
	begun := make(chan struct{})
	h := host.New(host.Options{
		Specs: catalog.Specs, Catalogue: catalog.Digest(), Configure: place.Configure, Sources: catalog.Sources, Store: memstore.New(),
		Serve: func(host.Hooks) host.Servers {
			close(begun)
			return f
		},
	})
	if _, err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	<-begun
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for h.Servers() == nil { // set once Serve goes on
		if t.Context().Err() != nil {
			t.Fatal("the host does not serve")
		}
	}
	return h, f
}

// ask makes a request and returns its status and its document.
func ask(t *testing.T, handler http.Handler, method, path string, change func(*http.Request)) (int, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	path, form, _ := strings.Cut(path, " ")
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if change != nil {
		change(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode < 400 && (res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Cache-Control") != "no-store") {
		t.Errorf("%s: got the headers %v, want JSON that nobody keeps", path, res.Header)
	}
	return res.StatusCode, string(body)
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// TestGeneration wants the document to be the listing, whole.
func TestGeneration(t *testing.T) {
	h, _ := serving(t)
	want, err := json.Marshal(h.Now().Listing())
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range map[string]http.Handler{"public": api.Public(h), "control": api.Control(h, token)} {
		status, body := ask(t, handler, http.MethodGet, "/api/generation", nil)
		var got, expected any
		if status != http.StatusOK || json.Unmarshal([]byte(body), &got) != nil || json.Unmarshal(want, &expected) != nil {
			t.Fatalf("%s: got %d and %s", name, status, body)
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s: the document is not the listing (-want +got):\n%s", name, diff)
		}
	}
	for _, c := range []struct{ method, path string }{{http.MethodPost, "/api/generation"}, {http.MethodGet, "/api/servers"}, {http.MethodPost, "/api/refresh"}, {http.MethodPost, "/api/servers/restart"}, {http.MethodGet, "/"}} {
		if status, body := ask(t, api.Public(h), c.method, c.path, bearer(token)); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			t.Errorf("public %s %s: got %d and %s, want nothing there", c.method, c.path, status, body)
		}
	}
}

// TestPagesAreRefused wants neither another name of this machine nor another
// origin to reach anything.
func TestPagesAreRefused(t *testing.T) {
	h, _ := serving(t)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:7777": 200, "127.0.0.1": 200, "127.9.9.9:1": 200, "[::1]": 200, "[::1]:80": 200,
		"example.com": 403, "example.com:7777": 403, "localhost.example.com": 403, "127.0.0.1.example.com": 403, "0.0.0.0": 403, "10.0.0.1": 403,
	} {
		status, body := ask(t, api.Public(h), http.MethodGet, "/api/generation", func(r *http.Request) { r.Host = host })
		if status != want {
			t.Errorf("Host %s: got %d and %s, want %d", host, status, body, want)
		}
	}
	if status, _ := ask(t, api.Public(h), http.MethodPost, "/api/generation", func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }); status != http.StatusForbidden {
		t.Errorf("another origin: got %d, want 403", status)
	}
}

// TestChangesNeedTheToken wants what changes something refused without the token,
// and nothing done.
func TestChangesNeedTheToken(t *testing.T) {
	h, f := serving(t)
	before := h.Now()
	for name, change := range map[string]func(*http.Request){
		"none": nil, "another": bearer("another"), "a longer one": bearer(token + "x"), "a part": bearer(token[:5]), "empty": bearer(""),
		"basic": func(r *http.Request) { r.SetBasicAuth("x", token) }, "bare": func(r *http.Request) { r.Header.Set("Authorization", token) },
	} {
		for _, path := range []string{"/api/refresh", "/api/servers/restart name=owner:search", "/api/servers/restart?token=" + token + " name=owner:search"} {
			if status, body := ask(t, api.Control(h, token), http.MethodPost, path, change); status != http.StatusUnauthorized || !strings.Contains(body, "token") || strings.Contains(body, token) {
				t.Errorf("%s with the token %s: got %d and %s, want 401", path, name, status, body)
			}
		}
	}
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/refresh", nil)
	bearer("")(r)
	if api.Control(h, "").ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
		t.Errorf("a host without a token: got %d, want 401: nobody can have it", w.Code)
	}
	if h.Now() != before || len(f.restarted) != 0 {
		t.Errorf("something was done: generation %d, restarted %v", h.Now().Number, f.restarted)
	}
}

func TestRefresh(t *testing.T) {
	h, _ := serving(t)
	before := h.Now().Number
	status, body := ask(t, api.Control(h, token), http.MethodPost, "/api/refresh", bearer(token))
	var got api.Refreshed
	if status != http.StatusOK || json.Unmarshal([]byte(body), &got) != nil {
		t.Fatalf("refresh: got %d and %s", status, body)
	}
	l := h.Now().Listing()
	if want := (api.Refreshed{before + 1, l.Digest, l.Found, l.Admitted, l.Refused, l.Disabled, l.Pending}); got != want || got.Found == 0 {
		t.Errorf("refresh: got %+v, want %+v", got, want)
	}
}

func TestServers(t *testing.T) {
	h, f := serving(t)
	status, body := ask(t, api.Control(h, token), http.MethodGet, "/api/servers", nil)
	var got api.Servers
	if status != http.StatusOK || json.Unmarshal([]byte(body), &got) != nil || len(got.Servers) != 1 || got.Servers[0].Name != "owner:search" || got.Servers[0].Pid != 12 {
		t.Errorf("servers: got %d and %s, want the one that runs", status, body)
	}
	if strings.Contains(body, "secret target") {
		t.Errorf("servers: got %s, want no word of how they are reached inside", body)
	}
	restart := func(name string) (int, string) {
		return ask(t, api.Control(h, token), http.MethodPost, "/api/servers/restart "+url.Values{"name": {name}}.Encode(), bearer(token))
	}
	if status, body := restart("owner:serch"); status != http.StatusNotFound || !strings.Contains(body, `did you mean \"owner:search\"`) {
		t.Errorf("an unknown server: got %d and %s, want 404 and the nearest", status, body)
	}
	if status, _ := restart(""); status != http.StatusNotFound || len(f.restarted) != 0 {
		t.Errorf("no server: got %d and %v restarted, want 404 and none", status, f.restarted)
	}
	if status, body := restart(strings.Repeat("x", 1<<20)); status != http.StatusNotFound || len(body) > 1000 {
		t.Errorf("a large form: got %d and %d bytes, want it not read", status, len(body))
	}
	if status, body := restart("owner:search"); status != http.StatusOK || len(f.restarted) != 1 || !strings.Contains(body, `"owner:search"`) {
		t.Errorf("restart: got %d and %s, want it restarted once", status, body)
	}
}

// broken is a host of which everything fails.
type broken struct {
	api.Host
	err error
}

func (b broken) Current(context.Context) (*host.Generation, error) { return nil, b.err }
func (b broken) Refresh(context.Context) (*host.Generation, error) { return nil, b.err }

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{errors.New("the disk is on fire"), http.StatusInternalServerError},
		{ext.AsRefused(errors.New("the disk is on fire")), http.StatusForbidden},
	} {
		h := broken{err: c.err}
		for _, r := range []struct{ method, path string }{{http.MethodGet, "/api/generation"}, {http.MethodPost, "/api/refresh"}} {
			status, body := ask(t, api.Control(h, token), r.method, r.path, bearer(token))
			var f api.Fault
			if status != c.want || json.Unmarshal([]byte(body), &f) != nil || f.Error != "the disk is on fire" {
				t.Errorf("%s: got %d and %s, want %d and why", r.path, status, body, c.want)
			}
		}
	}
}
