package assets_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/face/assets"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

const skill = "---\ndescription: D.\n---\nDo.\n"

// opened is a host of a workspace with plugins that have assets, adopted or not.
func opened(t *testing.T, adopt bool) (*host.Host, string) {
	t.Helper()
	dir := golden.Dir(t, golden.Files(
		"mortise.toml", "[plugins.acme]\npath = \"./acme\"\n[plugins.beta]\npath = \"./beta\"\n[plugins.broken]\npath = \"./broken\"\n", "secret.txt", "secret",
		"acme/skills/s/SKILL.md", skill, "acme/secret.txt", "secret", "acme/assets/logo.png", "png", "acme/assets/deep/Photo.JPG", "jpg", "acme/assets/page.html", "<script>1</script>", "acme/assets/draw.svg", "<svg/>",
		"acme/assets/app.js", "1", "acme/assets/data", "data", "acme/assets/.env", "secret", "acme/assets/.git/config", "secret", "acme/assets/read.md", "# Read",
		"acme/assets/out.png -> ../../secret.txt", "", "acme/assets/up.png -> ../secret.txt", "", "acme/assets/same.png -> logo.png", "", "acme/assets/all -> ../..", "",
		"beta/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "beta"}`, "beta/assets/b.gif", "gif", "beta/skills/s/SKILL.md", skill,
		"broken/plugin.json", `{"$schema": 1}`, "broken/assets/x.png", "png",
	))
	ws, err := config.FindWorkspace(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	place := host.Place{Workspace: ws, Paths: config.Paths{User: filepath.Join(t.TempDir(), "config.toml")}}
	h := host.New(host.Options{Specs: catalog.Specs, Catalogue: catalog.Digest(), Configure: place.Configure, Sources: catalog.Sources, Store: memstore.New()})
	if adopt {
		p, _, err := h.Propose(t.Context())
		if err == nil {
			err = h.Adopt(t.Context(), "ada", p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h, dir
}

// answer is what came back, but for the body.
type answer struct {
	StatusCode    int
	Status        string
	Header        http.Header
	ContentLength int64
}

// get asks for a path as it stands, which no client of Go's tidies.
func get(t *testing.T, h assets.Host, method, path string, change func(*http.Request)) (answer, string) {
	t.Helper()
	server := httptest.NewServer(assets.Handler(h))
	defer server.Close()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.URL.Opaque = path
	if change != nil {
		change(req)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Status, res.Header, res.ContentLength}, string(body)
}

// TestTypes wants each asset with its type, and what a browser could run to be
// saved instead, none to be guessed at, and no page of ours to be its origin.
func TestTypes(t *testing.T) {
	h, _ := opened(t, true)
	for _, c := range []struct{ path, body, kind, disposition string }{
		{"/assets/acme/logo.png", "png", "image/png", ""}, {"/assets/acme/deep/Photo.JPG", "jpg", "image/jpeg", ""}, {"/assets/acme/same.png", "png", "image/png", ""},
		{"/assets/acme/read.md", "# Read", "text/plain; charset=utf-8", ""}, {"/assets/beta/b.gif", "gif", "image/gif", ""},
		{"/assets/acme/page.html", "<script>1</script>", "application/octet-stream", "attachment"}, {"/assets/acme/app.js", "1", "application/octet-stream", "attachment"},
		{"/assets/acme/draw.svg", "<svg/>", "image/svg+xml", "attachment"}, {"/assets/acme/data", "data", "application/octet-stream", "attachment"},
	} {
		res, body := get(t, h, http.MethodGet, c.path, nil)
		head := res.Header
		if res.StatusCode != http.StatusOK || body != c.body || head.Get("Content-Type") != c.kind || head.Get("Content-Disposition") != c.disposition {
			t.Errorf("%s: got %s, %q of %s, %s, want %q of %s, %s", c.path, res.Status, body, head.Get("Content-Type"), head.Get("Content-Disposition"), c.body, c.kind, c.disposition)
		}
		if head.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(head.Get("Content-Security-Policy"), "sandbox") || head.Get("Cross-Origin-Resource-Policy") != "same-site" {
			t.Errorf("%s: got the headers %v, want nothing to be guessed at or run", c.path, head)
		}
	}
	res, _ := get(t, h, http.MethodGet, "/assets/acme/logo.png", nil)
	again, body := get(t, h, http.MethodGet, "/assets/acme/logo.png", func(r *http.Request) { r.Header.Set("If-None-Match", res.Header.Get("ETag")) })
	if again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("what is known: got %s, want 304", again.Status)
	}
	if res, body := get(t, h, http.MethodHead, "/assets/acme/logo.png", nil); res.StatusCode != http.StatusOK || body != "" || res.ContentLength != 3 {
		t.Errorf("HEAD: got %s and %d bytes", res.Status, res.ContentLength)
	}
}

// TestNothingElseIsServed wants nothing outside the directory of assets, no listing,
// nothing hidden, and nothing of what is not in use; and no answer to tell which.
func TestNothingElseIsServed(t *testing.T) {
	h, _ := opened(t, true)
	for _, path := range []string{
		"/assets/acme/", "/assets/acme", "/assets/", "/assets/acme/deep", "/assets/acme/deep/", "/assets/acme/none.png", "/assets/none/logo.png", "/assets/broken/x.png", "/assets/mortise/x", "/assets/owner/x",
		"/assets/acme/.env", "/assets/acme/.git/config", "/assets/acme/out.png", "/assets/acme/up.png", "/assets/acme/all/secret.txt", "/assets/acme/all/acme/secret.txt",
		"/assets/acme/%2e%2e/secret.txt", "/assets/acme/..%2fsecret.txt", "/assets/acme/%2e%2e%2fsecret.txt", "/assets/acme/..%5csecret.txt", "/assets/acme/deep/..%2f..%2fsecret.txt", "/assets/acme//etc/passwd", "/assets/acme/%2fetc%2fpasswd",
		"/assets/acme/logo.png%00", "/assets/acme/logo.png::$DATA", "/assets/../secret.txt", "/assets/acme/../../secret.txt", "/assets/..%2facme/logo.png", "/assets/%2e%2e/secret.txt", "/assets/acme%2fassets/logo.png",
	} {
		if res, body := get(t, h, http.MethodGet, path, nil); res.StatusCode == http.StatusOK || strings.Contains(body, "secret") && !strings.Contains(path, "secret") || strings.Contains(body, "<a href=\"logo") {
			t.Errorf("%s: got %s and %q, want nothing", path, res.Status, body)
		}
	}
	if res, _ := get(t, h, http.MethodPost, "/assets/acme/logo.png", nil); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: got %s", res.Status)
	}
	if res, _ := get(t, h, http.MethodGet, "/assets/acme/logo.png", func(r *http.Request) { r.Host = "evil.example" }); res.StatusCode != http.StatusForbidden {
		t.Errorf("another name for this machine: got %s, want 403", res.Status)
	}
	h, _ = opened(t, false)
	if res, _ := get(t, h, http.MethodGet, "/assets/acme/logo.png", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("a workspace that is not adopted: got %s, want 404", res.Status)
	}
}

// TestServedInPlace wants an asset to be what the plugin has now, and a disabled
// plugin to have none.
func TestServedInPlace(t *testing.T) {
	h, dir := opened(t, true)
	if err := os.WriteFile(filepath.Join(dir, "acme", "assets", "logo.png"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, body := get(t, h, http.MethodGet, "/assets/acme/logo.png", nil); body != "new" {
		t.Errorf("after an update: got %q, want what is there now", body)
	}
	if _, err := h.Disable(t.Context(), host.Change{Subject: "acme", Reason: "no", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if res, _ := get(t, h, http.MethodGet, "/assets/acme/logo.png", nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("of a disabled plugin: got %s, want 404", res.Status)
	}
}
