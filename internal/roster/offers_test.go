package roster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

// TestMarketSwapsTheSource: a marketplace that names another source than the one that was
// seen when its plugin was installed is not followed (docs/security.md, 26); one that names
// another commit of the same is.
func TestMarketSwapsTheSource(t *testing.T) {
	r, other, b := newRepo(t, map[string]string{"a": "1"}), newRepo(t, map[string]string{"a": "evil"}), newBench(t)
	first := r.git("rev-parse", "HEAD")
	offer := roster.Offer{Market: "tools@team", Name: "tools", Source: r.source(), Ref: first}
	b.Offers = func(context.Context, string) (roster.Offer, error) { return offer, nil }
	b.add(roster.Wish{Offer: offer})
	second := r.commit(map[string]string{"a": "2"})
	if news, err := b.Look(t.Context(), "", nil); err != nil || news[0].Newer() {
		t.Errorf("while the marketplace says the first commit: got %+v, %v, want nothing newer", news, err)
	}
	offer.Ref = second
	now, err := b.update("tools")
	if err != nil || now.Commit != second || now.Ref != second || b.read(&now, "a") != "2" {
		t.Errorf("once it says the second: got %+v, %v", now, err)
	}
	offer.Source, offer.Ref = other.source(), ""
	news, err := b.Look(t.Context(), "", []string{"tools"})
	if err != nil || ext.KindOf(news[0].Err) != ext.Refused || !strings.Contains(news[0].Err.Error(), "was installed from") {
		t.Errorf("once it says another source: got %+v, %v, want a refusal", news, err)
	}
}

// TestArchiveByAddress: an archive is what its sum says, wherever the address leads; one
// that leads away from https is not followed.
func TestArchiveByAddress(t *testing.T) {
	file := zipped(t, "plugin.json", `{"name":"acme"}`)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/acme.zip":
			_, _ = w.Write(file)
		case "/moved.zip":
			http.Redirect(w, r, "/acme.zip", http.StatusFound)
		case "/away.zip":
			http.Redirect(w, r, "http://example.invalid/acme.zip", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	sum := sha256.Sum256(file)
	good := hex.EncodeToString(sum[:])
	b := newBench(t)
	for address, want := range map[string]string{
		s.URL + "/none.zip": "404", s.URL + "/away.zip": "is fetched by https", "http://example.org/acme.zip": "is fetched by https",
		"https://me:secret@example.org/acme.zip": "holds a login",
	} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: address, SHA256: good}, As: "acme"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", address, err, want)
		}
	}
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: s.URL + "/acme.zip", SHA256: strings.Repeat("1", 64)}, As: "acme"}); err == nil {
		t.Error("another sum: got no error")
	}
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: s.URL + "/acme.zip"}, As: "acme"}); err == nil || !strings.Contains(err.Error(), "--sha256") {
		t.Errorf("no sum: got %v, want that it is needed", err)
	}
	i := b.add(roster.Wish{Offer: roster.Offer{Source: s.URL + "/moved.zip", SHA256: good}, As: "acme"})
	if i.Kind != state.Archive || b.read(&i, "plugin.json") != `{"name":"acme"}` {
		t.Errorf("got %+v with %q, want the plugin", i, b.read(&i, "plugin.json"))
	}
}
