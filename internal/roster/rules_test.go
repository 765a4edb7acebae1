package roster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/roster"
)

// ruled has rules hold in a roster.
func (b *bench) ruled(rules ...roster.Rule) {
	for n := range rules {
		rules[n].Name, rules[n].Where = "rule", "config.toml:1"
	}
	b.Rules = func() ([]roster.Rule, error) { return rules, nil }
}

// refuses wants a refusal by a rule.
func refuses(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "rule") {
		t.Errorf("%s: got %v, want a refusal by the rule", what, err)
	}
}

// TestRulesAboutDirectories: neither a link in the rule nor one in what is added leads past
// it, and no part of an allowed directory that lies elsewhere is allowed.
func TestRulesAboutDirectories(t *testing.T) {
	b := newBench(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	evil, good := filepath.Join(top, "evil"), filepath.Join(top, "good")
	write(t, filepath.Join(evil, "a"), "a")
	write(t, filepath.Join(good, "a"), "a")
	link := filepath.Join(top, "link")
	if err := os.Symlink(evil, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(evil, filepath.Join(good, "sub")); err != nil {
		t.Fatal(err)
	}
	b.ruled(roster.Rule{From: link, Block: true})
	for _, source := range []string{evil, link, "file://" + evil, "file://" + link} {
		_, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: source}, As: "evil"})
		refuses(t, source, err)
	}
	b.ruled(roster.Rule{From: good, Allow: true})
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: good, Within: "sub"}, As: "sub"}); err == nil || !strings.Contains(err.Error(), "name that directory") {
		t.Errorf("a link in what is allowed: got %v, want it refused", err)
	}
	b.add(roster.Wish{Offer: roster.Offer{Source: good}, As: "good"})
}

// TestRulesHoldLater: what was installed before a rule is not gone back to, and not updated
// or fetched again without what the rule wants.
func TestRulesHoldLater(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	r.commit(map[string]string{"a": "2"})
	if _, err := b.update("tools"); err != nil {
		t.Fatal(err)
	}
	b.ruled(roster.Rule{From: "*", Block: true})
	_, _, err := b.Rollback(t.Context(), roster.Key{Name: key})
	refuses(t, "rollback", err)
	news, err := b.Look(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	refuses(t, "update", news[0].Err)
	b.ruled(roster.Rule{From: "*", Signed: roster.SignedNote, Signers: filepath.Join(t.TempDir(), "none")})
	if err := os.RemoveAll(b.Checkouts.Path(checkout.Key{Name: key, Commit: b.lines()[0].Commit})); err != nil {
		t.Fatal(err)
	}
	_, err = b.update("tools")
	refuses(t, "fetched again without a note", err)
	if got := b.lines(); got[0].Before != first.Commit {
		t.Errorf("the roster: got %+v, want it as it was", got)
	}
}

// TestAllowedMeansPublished: who allows a source means what its branches and tags have, and
// not whatever lies in its repository.
func TestAllowedMeansPublished(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	loose := r.git("commit-tree", "-m", "proposed by a stranger", "HEAD^{tree}")
	b.ruled(roster.Rule{From: r.dir, Allow: true})
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source(), Ref: loose}}); err == nil {
		t.Error("a commit that no branch has: got no error")
	}
	b.add(roster.Wish{Offer: roster.Offer{Source: r.source(), Ref: r.git("rev-parse", "HEAD")}})
}

// TestLockTakesReservedName: a lock file gives nothing a name of the host's.
func TestLockTakesReservedName(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	for _, name := range ext.Reserved {
		err := b.Settle(t.Context(), roster.Drift{Name: name, Want: &roster.Locked{Name: name, Kind: "git", Source: r.source(), Commit: first.Commit, Digest: first.Digest}}, "w", nil)
		if err == nil {
			t.Errorf("%s: got no error, want a refusal", name)
		}
	}
}

// TestLockAsksItsSource: what was fetched from one source is not taken for another's.
func TestLockAsksItsSource(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	err := b.Settle(t.Context(), roster.Drift{Name: first.Name, Want: &roster.Locked{Name: first.Name, Kind: "git", Source: "https://good.invalid/acme/tools", Commit: first.Commit, Digest: first.Digest}}, "w", nil)
	if err == nil {
		t.Errorf("installed as %+v, want that it is asked of good.invalid", b.lines())
	}
}

// TestArchiveMoves: the archive of a marketplace's next version is not fetched from another
// host, and no redirect leads to one that a rule blocks.
func TestArchiveMoves(t *testing.T) {
	b := newBench(t)
	serve := func(text string) (string, string) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "p", "a"), text)
		write(t, filepath.Join(dir, "p", "plugin.json"), `{"name":"tools"}`)
		out := filepath.Join(dir, "x.tar.gz")
		if said, err := exec.Command("tar", "czf", out, "-C", dir, "p").CombinedOutput(); err != nil {
			t.Fatal(string(said))
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }))
		t.Cleanup(s.Close)
		sum := sha256.Sum256(data)
		return s.URL + "/x.tar.gz", hex.EncodeToString(sum[:])
	}
	one, sum1 := serve("good")
	two, sum2 := serve("evil")
	o := roster.Offer{Market: "tools@team", Name: "tools", Source: one, SHA256: sum1}
	b.Offers = func(context.Context, string) (roster.Offer, error) { return o, nil }
	b.add(roster.Wish{Offer: o})
	o.Source, o.SHA256 = two, sum2
	news, err := b.Look(t.Context(), "", nil)
	if err != nil || news[0].Newer() || ext.KindOf(news[0].Err) != ext.Refused {
		t.Errorf("another host: got %+v, %v, want a refusal", news, err)
	}
	s := httptest.NewServer(http.RedirectHandler(two, http.StatusFound))
	defer s.Close()
	b.ruled(roster.Rule{From: strings.TrimPrefix(strings.TrimSuffix(two, "/x.tar.gz"), "http://"), Block: true})
	_, err = b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: s.URL + "/x.tar.gz", SHA256: sum2}, As: "other"})
	if err == nil || !strings.Contains(err.Error(), "is blocked by the rule") {
		t.Errorf("sent to a blocked host: got %v, want it refused", err)
	}
	for _, double := range []string{s.URL + "/ok/%252e%252e/x.zip", s.URL + "/ok/%2e%2e/x.zip"} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: double, SHA256: sum2}, As: "other"}); err == nil || !strings.Contains(err.Error(), "more than one thing") {
			t.Errorf("%s: got %v, want it refused", double, err)
		}
	}
}

// TestWithinMoves: a plugin whose marketplace says another directory of the same commit is
// newer, and there is nothing to go back to then: what was before lies elsewhere.
func TestWithinMoves(t *testing.T) {
	r, b := newRepo(t, map[string]string{"p/a": "1", "q/b": "1"}), newBench(t)
	w := roster.Offer{Source: r.source(), Within: "p", Market: "tools@team", Name: "tools"}
	b.Offers = func(context.Context, string) (roster.Offer, error) { return w, nil }
	b.add(roster.Wish{Offer: w})
	w.Within = "q"
	now, err := b.update("tools")
	if err != nil || now.Within != "q" || b.read(&now, "b") != "1" {
		t.Errorf("got %+v, %v, want the other directory", now, err)
	}
	if _, _, err := b.Rollback(t.Context(), roster.Key{Name: "tools"}); err == nil || !strings.Contains(err.Error(), "nothing to go back to") {
		t.Errorf("rollback: got %v", err)
	}
}
