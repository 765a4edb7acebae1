package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/face/api"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// taskHost is a host of a workspace with a task of its owner's and one of a plugin.
func taskHost(t *testing.T) (*host.Host, state.Store) {
	t.Helper()
	dir := golden.Dir(t, golden.Files(
		"mortise.toml", "[plugins.acme]\npath = \"./acme\"\n", ".mortise/tasks/own/TASK.md", "---\ndescription: Mine.\n---\nDo.\n",
		"acme/tasks/deploy/TASK.md", "---\ndescription: Put it there.\n---\nRun it.\n", "acme/tasks/own/TASK.md", "---\ndescription: Another's.\n---\nDo.\n",
	))
	ws, err := config.FindWorkspace(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	place := host.Place{Workspace: ws, Paths: config.Paths{User: filepath.Join(t.TempDir(), "config.toml")}}
	s := memstore.New()
	h := host.New(host.Options{
		Specs: catalog.Specs, Catalogue: catalog.Digest(), Configure: place.Configure, Sources: catalog.Sources, Store: s, Locks: filepath.Join(t.TempDir(), "locks"),
	})
	p, _, err := h.Propose(t.Context())
	if err == nil {
		err = h.Adopt(t.Context(), "ada", p)
	}
	if err == nil {
		_, err = h.Refresh(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return h, s
}

// form asks with a form and the token, and reads the answer.
func form[T any](t *testing.T, h *host.Host, method, path string, want int, values ...string) (out T) {
	t.Helper()
	v := url.Values{}
	for i := 0; i < len(values); i += 2 {
		v.Set(values[i], values[i+1])
	}
	status, body := ask(t, api.Control(h, token), method, path+" "+v.Encode(), bearer(token))
	if err := json.Unmarshal([]byte(body), &out); err != nil || status != want {
		t.Fatalf("%s %s: got %d, %s, want %d", method, path, status, body, want)
	}
	return out
}

// TestTasksOverHTTP wants the API to do what the commands do: read everywhere,
// write in the owner's directory alone, and say of the rest why not and what to do.
func TestTasksOverHTTP(t *testing.T) {
	h, store := taskHost(t)
	const text = "---\ndescription: New.\n---\nDo it.\n"
	list := form[author.Listed](t, h, http.MethodGet, "/api/tasks", 200)
	if len(list.Tasks) != 3 || !list.Tasks[0].Writable || list.Tasks[1].Writable || !strings.Contains(list.Tasks[1].Reason, "mortise task copy acme:deploy") {
		t.Errorf("the listing: got %+v, want each to say whether it is writable, and why not", list)
	}
	if s := form[author.Shown](t, h, http.MethodGet, "/api/tasks/own", 200); !s.Ambiguous || strings.Join(s.Candidates, " ") != "owner:own acme:own" || s.Qualified != "owner:own" {
		t.Errorf("a name that two have: got %+v, want the owner's and both candidates", s)
	}
	for _, c := range []struct{ method, path string }{{http.MethodPut, "/api/tasks/acme:deploy"}, {http.MethodDelete, "/api/tasks/deploy"}} {
		if f := form[api.Fault](t, h, c.method, c.path, 403, "text", text, "digest", ext.Sum(nil).String()); !strings.Contains(f.Error, "mortise task copy acme:deploy") {
			t.Errorf("%s %s: got %q, want the command that copies it", c.method, c.path, f.Error)
		}
	}
	made := form[author.Shown](t, h, http.MethodPost, "/api/tasks", 200, "name", "new", "text", text)
	if made.Text != text || made.Digest != ext.Sum([]byte(text)).String() || !made.Writable {
		t.Errorf("made: got %+v", made)
	}
	edited := form[author.Shown](t, h, http.MethodPut, "/api/tasks/new", 200, "digest", made.Digest, "text", text+"More.\n")
	if edited.Instructions != "Do it.\nMore.\n" {
		t.Errorf("edited: got %+v", edited)
	}
	f := form[api.ChangedFault](t, h, http.MethodPut, "/api/tasks/new", 409, "digest", made.Digest, "text", text+"Less.\n")
	if f.Digest != edited.Digest || !strings.Contains(f.Kept, "conflict") {
		t.Errorf("an edit of what is not there any more: got %+v, want the digest of what is and where the text is kept", f)
	}
	form[api.Fault](t, h, http.MethodPut, "/api/tasks/new", 400, "digest", edited.Digest, "text", "nothing")
	form[api.Fault](t, h, http.MethodPost, "/api/tasks", 404, "name", "../x", "text", text)
	form[api.Fault](t, h, http.MethodPost, "/api/tasks", 403, "name", "acme:x", "text", text)
	form[api.Fault](t, h, http.MethodGet, "/api/tasks/nobody", 404)
	form[api.Fault](t, h, http.MethodDelete, "/api/tasks/new", 404)
	form[api.ChangedFault](t, h, http.MethodDelete, "/api/tasks/new?whole="+edited.Whole, 409) // what could not be written is kept there
	whole := form[author.Shown](t, h, http.MethodGet, "/api/tasks/new", 200).Whole
	if gone := form[api.Removed](t, h, http.MethodDelete, "/api/tasks/new?whole="+whole, 200); gone.Removed.Qualified != "owner:new" {
		t.Errorf("removed: got %+v", gone)
	}
	copied := form[author.Shown](t, h, http.MethodPost, "/api/tasks/deploy/copy", 200, "as", "mine")
	if copied.Qualified != "owner:mine" || copied.Instructions != "Run it.\n" {
		t.Errorf("copied: got %+v", copied)
	}
	events, err := store.Events(t.Context(), state.Query{Kinds: []string{host.TaskCopied}})
	var c host.Copied
	if err != nil || len(events) != 1 || events[0].Subject != "owner:mine" || json.Unmarshal([]byte(events[0].Text), &c) != nil || c.From != "acme:deploy" || filepath.Base(c.Place) != "mine" || c.Whole.String() != copied.Whole {
		t.Errorf("the history: got %+v and error %v, want the copy with what it is of and what it holds", events, err)
	}
}

// TestTaskChangesNeedTheToken wants nothing to be written without it, and nothing to
// be had at the public address but looking.
func TestTaskChangesNeedTheToken(t *testing.T) {
	h, _ := taskHost(t)
	for _, c := range []struct{ method, path string }{
		{http.MethodPost, "/api/tasks name=x&text=y"}, {http.MethodPut, "/api/tasks/own text=y"}, {http.MethodDelete, "/api/tasks/own"}, {http.MethodPost, "/api/tasks/deploy/copy"},
	} {
		for _, given := range []func(*http.Request){nil, bearer("another")} {
			if status, body := ask(t, api.Control(h, token), c.method, c.path, given); status != http.StatusUnauthorized {
				t.Errorf("%s %s: got %d and %s, want 401", c.method, c.path, status, body)
			}
		}
		if status, body := ask(t, api.Public(h), c.method, c.path, bearer(token)); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			t.Errorf("public %s %s: got %d and %s, want nothing there", c.method, c.path, status, body)
		}
	}
	if status, body := ask(t, api.Public(h), http.MethodGet, "/api/tasks/own", nil); status != http.StatusOK || !strings.Contains(body, `"writable":true`) {
		t.Errorf("public GET /api/tasks/own: got %d and %s", status, body)
	}
}
