package roster_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/roster"
)

// module has a repository hold another one at a path, at a commit, and is its commit then.
func (r *repo) module(path string, of *repo, commit string) string {
	r.t.Helper()
	write(r.t, filepath.Join(r.dir, ".gitmodules"), fmt.Sprintf("[submodule %q]\n\tpath = %s\n\turl = %s\n", path, path, of.dir))
	r.git("add", ".gitmodules")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+commit+","+path)
	r.git("commit", "-q", "-m", "module")
	return r.git("rev-parse", "HEAD")
}

// withModule is a plugin's repository that has a submodule at vendor/lib.
func withModule(t *testing.T) (r, lib *repo) {
	t.Helper()
	lib = newRepo(t, map[string]string{"x": "1"})
	r = newRepo(t, map[string]string{"a": "1"})
	r.module("vendor/lib", lib, lib.git("rev-parse", "HEAD"))
	return r, lib
}

// What was asked for once holds for what comes after: updates, going back, fetching again.
func TestSubmodules(t *testing.T) {
	r, lib := withModule(t)
	b := newBench(t)
	var told []string
	b.Note = func(err error) { told = append(told, err.Error()) }
	plain := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, As: "plain"})
	if plain.Submodules || b.read(&plain, "vendor/lib/x") != "" || len(told) != 1 || !strings.Contains(told[0], `"vendor/lib"`) || !strings.Contains(told[0], "--submodules") {
		t.Errorf("without: got %+v, and was told %q, want it named, with what to do", plain, told)
	}
	first := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, Submodules: true})
	if !first.Submodules || b.read(&first, "vendor/lib/x") != "1" || b.read(&first, "a") != "1" || first.Digest == plain.Digest || len(told) != 1 {
		t.Fatalf("with: got %+v, %q and %q", first, b.read(&first, "vendor/lib/x"), told)
	}

	moved := lib.commit(map[string]string{"x": "2"})
	second := r.module("vendor/lib", lib, moved)
	now, err := b.update("tools")
	if err != nil || now.Commit != second || !now.Submodules || b.read(&now, "vendor/lib/x") != "2" {
		t.Fatalf("update: got %+v, %v, and %q, want what the submodule is now", now, err, b.read(&now, "vendor/lib/x"))
	}
	changes, err := b.Changes(t.Context(), &now, "")
	if err != nil || len(changes) != 1 || changes[0].Path != "vendor/lib/x" {
		t.Errorf("what differs: got %+v, %v, want vendor/lib/x", changes, err)
	}
	_, back, err := b.Rollback(t.Context(), roster.Key{Name: key})
	if err != nil || back.Commit != first.Commit || b.read(&back, "vendor/lib/x") != "1" {
		t.Errorf("gone back: got %+v, %v, and %q", back, err, b.read(&back, "vendor/lib/x"))
	}
	if swept, err := b.Sweep(t.Context()); err != nil || len(swept.Removed)+len(swept.Kept) > 0 {
		t.Errorf("Sweep: got %+v, %v, want all left, which are used", swept, err)
	}
	if err := os.RemoveAll(roster.Dir(b.Checkouts.Dir, &back)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.update("tools"); err != nil || b.read(&back, "vendor/lib/x") != "1" {
		t.Errorf("fetched again: got %v, and %q, want it as it was", err, b.read(&back, "vendor/lib/x"))
	}
	all, err := b.Examine(t.Context())
	for _, c := range all {
		if c.Err != nil {
			t.Errorf("%s: %v", c.Line.Name, c.Err)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// One name at one commit, in one scope with its submodules and in another without, are two.
func TestSubmodulesInOneScope(t *testing.T) {
	r, _ := withModule(t)
	b := newBench(t)
	with := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, Submodules: true})
	without := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, Scope: "w"})
	if b.read(&with, "vendor/lib/x") != "1" || b.read(&without, "vendor/lib/x") != "" {
		t.Errorf("got %q and %q", b.read(&with, "vendor/lib/x"), b.read(&without, "vendor/lib/x"))
	}
	if _, _, _, err := b.Remove(t.Context(), roster.Key{Name: key, Scope: "w"}, nil); err != nil || b.read(&with, "vendor/lib/x") != "1" {
		t.Errorf("one is removed: got %v, want the other whole", err)
	}
}

// A submodule that cannot be fetched leaves what is in use, and nothing else.
func TestSubmoduleIsGone(t *testing.T) {
	r, lib := withModule(t)
	b := newBench(t)
	was := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, Submodules: true})
	r.module("vendor/lib", lib, strings.Repeat("a", 40))
	news, err := b.Look(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Fetch(t.Context(), &news[0], nil); err == nil || !strings.Contains(err.Error(), `submodule "vendor/lib"`) {
		t.Errorf("got %v, want which submodule", err)
	}
	if got := b.lines(); len(got) != 1 || got[0] != was || b.read(&was, "vendor/lib/x") != "1" {
		t.Errorf("the roster: got %+v, want it as it was", got)
	}
	if all, err := b.Checkouts.List(); err != nil || len(all) != 1 {
		t.Errorf("there are %+v, %v, want the one", all, err)
	}
	if stages, _ := filepath.Glob(filepath.Join(b.Checkouts.Dir, "*", ".new-*")); len(stages) > 0 {
		t.Errorf("left is %q, want nothing", stages)
	}
}

// The rules are asked about every submodule, by whichever way its address is written, and
// later as well.
func TestRulesAboutSubmodules(t *testing.T) {
	r, lib := withModule(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Symlink(lib.dir, elsewhere); err != nil {
		t.Skip("links take a privilege")
	}
	behind := newRepo(t, map[string]string{"a": "1"})
	behind.module("lib", &repo{t, elsewhere}, lib.git("rev-parse", "HEAD"))
	b := newBench(t)
	deny := func(what string, from *repo, want string) {
		t.Helper()
		_, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: from.source()}, Submodules: true})
		if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "submodule") {
			t.Errorf("%s: got %v, want a refusal with %q", what, err, want)
		}
	}
	b.ruled(roster.Rule{Name: "games", From: lib.dir, Block: true})
	deny("blocked", r, "is blocked by the rule")
	deny("blocked, through a link", behind, "is blocked by the rule")
	b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, As: "plain"}) // it is left out

	b.ruled(roster.Rule{Name: "team", From: r.dir, Allow: true})
	deny("not allowed", r, "is covered by no rule that allows it")
	b.ruled(roster.Rule{Name: "team", From: r.dir, Allow: true}, roster.Rule{Name: "lib", From: lib.dir, Allow: true})
	b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, Submodules: true})

	lib.git("config", "uploadpack.allowAnySHA1InWant", "true")
	loose := lib.git("commit-tree", "-m", "proposed by a stranger", "HEAD^{tree}")
	r.module("vendor/lib", lib, loose)
	news, err := b.Look(t.Context(), "", []string{"tools"})
	if err != nil || news[0].Err != nil {
		t.Fatal(err, news[0].Err)
	}
	if _, err := b.Fetch(t.Context(), &news[0], nil); err == nil || !strings.Contains(err.Error(), "no branch and no tag") {
		t.Errorf("an update to a commit that nothing leads to: got %v, want it told", err)
	}
	b.ruled(roster.Rule{Name: "games", From: lib.dir, Block: true})
	if _, err := b.Fetch(t.Context(), &news[0], nil); ext.KindOf(err) != ext.Refused {
		t.Errorf("an update once it is blocked: got %v, want a refusal", err)
	}
	b.Rules = func() ([]roster.Rule, error) { return nil, errors.New("at fault") }
	if _, err := b.Fetch(t.Context(), &news[0], nil); err == nil || !strings.Contains(err.Error(), "at fault") {
		t.Errorf("rules at fault: got %v, want it told", err)
	}
}

// What has no submodules cannot be asked for them.
func TestSubmodulesOfNoRepository(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plugin.json"), "{}")
	for _, o := range []roster.Offer{{Source: dir}, {Source: "https://h.invalid/x.zip", SHA256: strings.Repeat("a", 64)}} {
		if _, err := b.Add(t.Context(), roster.Wish{Offer: o, Submodules: true}); ext.KindOf(err) != ext.Usage || !strings.Contains(err.Error(), "--submodules is for repositories") {
			t.Errorf("%s: got %v, want a usage error", o.Source, err)
		}
	}
}

// A lock file says that submodules belong to a plugin, and another machine gets them.
func TestSubmodulesInLock(t *testing.T) {
	r, _ := withModule(t)
	one := newBench(t)
	with := one.add(roster.Wish{Offer: roster.Offer{Source: r.source()}, Scope: "w", Submodules: true})
	dir := t.TempDir()
	locked, _ := roster.Lockable(one.lines(), "w", nil)
	if _, err := roster.WriteLock(dir, locked); err != nil {
		t.Fatal(err)
	}
	read, err := roster.ReadLock(dir)
	if err != nil || len(read) != 1 || !read[0].Submodules {
		t.Fatalf("the lock file: got %+v, %v, want its submodules in it", read, err)
	}
	for what, had := range map[string]*roster.Wish{"nothing": nil, "it without them": {Offer: roster.Offer{Source: r.source()}, Scope: "w"}} {
		two := newBench(t)
		if had != nil {
			two.add(*had)
		}
		drifts, err := two.Drifts(t.Context(), read, "w")
		if err != nil || len(drifts) != 1 || had != nil && !strings.Contains(drifts[0].String(), "without its submodules") {
			t.Fatalf("there was %s: got %+v, %v, want that it differs", what, drifts, err)
		}
		if err := two.Settle(t.Context(), drifts[0], "w", nil); err != nil {
			t.Fatalf("there was %s: %v", what, err)
		}
		is := two.lines()[0]
		if !is.Submodules || is.Digest != with.Digest || is.Before != "" || two.read(&is, "vendor/lib/x") != "1" {
			t.Errorf("there was %s: got %+v and %q", what, is, two.read(&is, "vendor/lib/x"))
		}
		if drifts, err := two.Drifts(t.Context(), read, "w"); err != nil || len(drifts) > 0 {
			t.Errorf("there was %s: still differs %+v, %v", what, drifts, err)
		}
	}
	three := newBench(t)
	read[0].Submodules = false // somebody took that out: what comes has another digest
	if err := three.Settle(t.Context(), roster.Drift{Name: key, Want: &read[0]}, "w", nil); ext.KindOf(err) != ext.Refused || len(three.lines()) > 0 {
		t.Errorf("without them: got %v, want a refusal", err)
	}
	for text, want := range map[string]string{
		`submodules = "yes"`: "is true or false",
		"submodules = true\nsha256 = \"" + strings.Repeat("a", 64) + "\"": "which has no submodules",
	} {
		commit := "commit = \"" + strings.Repeat("a", 40) + "\"\nsource = \"acme/tools\"\n"
		if strings.Contains(text, "sha256") {
			commit = "source = \"https://h.invalid/x.zip\"\n"
		}
		write(t, filepath.Join(dir, roster.LockFile), "version = 1\n[plugins.tools]\n"+commit+"digest = \"sha256:"+strings.Repeat("1", 64)+"\"\n"+text+"\n")
		if _, err := roster.ReadLock(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// A signature that is demanded is that of the plugin's commit.
func TestSubmodulesOfWhatMustBeSigned(t *testing.T) {
	r, _ := withModule(t)
	b := newBench(t)
	b.ruled(roster.Rule{Name: "team", From: "*", Signed: roster.SignedCommit})
	_, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source()}, Submodules: true})
	if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "is not signed") || strings.Contains(err.Error(), "submodule") {
		t.Errorf("got %v, want that the plugin's commit is not signed", err)
	}
	if lines := b.lines(); lines != nil {
		t.Errorf("the roster: got %+v, want nothing", lines)
	}
}
