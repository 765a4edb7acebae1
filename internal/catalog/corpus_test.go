package catalog_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
)

// corpus is an unpacked directory of public plugin repositories: the one that
// MORTISE_CORPUS names, the one kept beside the build, or the archives beside
// this checkout. Without any of them the test is skipped, and says so.
func corpus(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("MORTISE_CORPUS"); dir != "" {
		return dir
	}
	if info, err := os.Stat("../../.cache/corpus"); err == nil && info.IsDir() {
		return "../../.cache/corpus"
	}
	script, err := filepath.Abs("../../../shared/corpus/unpack.sh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("no corpus: set MORTISE_CORPUS to a directory of plugin repositories to run this test")
	}
	dir := t.TempDir()
	if out, err := exec.Command("bash", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack the corpus: %v\n%s", err, out)
	}
	return dir
}

// TestCorpus reads what people really publish: nothing crashes, the totals add
// up, and every refusal has a cause that somebody can act on.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	look := func(index host.Index) *host.Listing {
		l, err := host.Look{Specs: catalog.Specs, Limits: ext.DefaultLimits, Workers: 2, Index: index}.Run(
			context.Background(), []ext.Source{catalog.Below(dir, ext.DefaultLimits, 2, index.Dir != "")})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := look(host.Index{})
	t.Logf("%d found, %d admitted, %d refused, %d of unknown format, %d entries, %d findings",
		l.Found, l.Admitted, l.Refused, l.UnknownFormat, len(l.Entries), len(l.Findings))
	totals(t, l)
	causes(t, l)

	index := host.Index{Dir: t.TempDir()}
	cold, warm := look(index), look(index)
	if !same(l, cold) || !same(cold, warm) {
		t.Error("a look that remembers gives another answer than one that does not")
	}
}

func same(a, b *host.Listing) bool {
	if a.Digest != b.Digest || len(a.Extensions) != len(b.Extensions) || len(a.Entries) != len(b.Entries) || len(a.Findings) != len(b.Findings) {
		return false
	}
	for i := range a.Extensions {
		if a.Extensions[i] != b.Extensions[i] {
			return false
		}
	}
	for i := range a.Entries {
		if !cmp.Equal(a.Entries[i], b.Entries[i]) {
			return false
		}
	}
	for i := range a.Findings {
		if a.Findings[i] != b.Findings[i] {
			return false
		}
	}
	return true
}

func totals(t *testing.T, l *host.Listing) {
	t.Helper()
	if l.Found != l.Admitted+l.Refused || l.Disabled != 0 || l.Pending != 0 || l.Found != len(l.Extensions) {
		t.Errorf("totals do not add up: %d found, %d admitted, %d refused, %d disabled, %d pending, %d listed",
			l.Found, l.Admitted, l.Refused, l.Disabled, l.Pending, len(l.Extensions))
	}
	entries, refused := map[string]int{}, map[string]int{}
	for _, e := range l.Entries {
		entries[e.Root]++
		if e.Status == "refused" {
			refused[e.Root]++
		}
	}
	for _, x := range l.Extensions {
		if x.Entries != entries[x.Root] {
			t.Errorf("%s counts %d entries and lists %d", x.Root, x.Entries, entries[x.Root])
		}
		if x.Status == "admitted" && x.Incomplete != refused[x.Root] {
			t.Errorf("%s says incomplete %d and lists %d refused", x.Root, x.Incomplete, refused[x.Root])
		}
	}
}

// causes holds every refusal to a finding with a fix, where a person can see it.
func causes(t *testing.T, l *host.Listing) {
	t.Helper()
	type place struct{ root, path string }
	at := map[place]bool{}
	errors := map[string]bool{}
	for _, f := range l.Findings {
		if f.Message == "" || f.Fix == "" || f.Code == "" {
			t.Errorf("a finding says too little: %+v", f)
		}
		if f.Severity != "info" {
			at[place{f.Root, f.Path}] = true
		}
		if f.Severity == "error" {
			errors[f.Root] = true
		}
		if strings.ContainsRune(f.Message, 0x1b) {
			t.Errorf("a finding holds an escape sequence: %q", f.Message)
		}
	}
	for _, e := range l.Entries {
		if e.Status == "refused" && !at[place{e.Root, e.Path}] && !errors[e.Root] {
			t.Errorf("%s %s in %s is refused and no finding says why", e.Surface, e.Qualified, e.Root)
		}
	}
	for _, x := range l.Extensions {
		if x.Status == "refused" && !errors[x.Root] {
			t.Errorf("%s is refused and no finding says why", x.Root)
		}
	}
}
