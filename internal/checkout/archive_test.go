package checkout

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// packed is one thing in an archive.
type packed struct {
	name, text string
	mode       fs.FileMode
	kind       byte // of tar
}

func tarOf(t *testing.T, entries ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: int64(e.mode.Perm()), Size: int64(len(e.text))}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag != tar.TypeReg {
			h.Linkname, h.Size = e.text, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			w.Write([]byte(e.text))
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, entries ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		mode := e.mode
		switch e.kind {
		case tar.TypeSymlink:
			mode |= fs.ModeSymlink
		case tar.TypeChar:
			mode |= fs.ModeDevice
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(e.text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var manifests = []string{"plugin.json", ".claude-plugin/plugin.json"}

func unpackBytes(t *testing.T, data []byte, change ...func(*Archive)) (dir string, err error) {
	t.Helper()
	top := t.TempDir()
	a := Archive{File: filepath.Join(top, "release"), Sum: ext.Sum(data), Manifests: manifests}
	if err := os.WriteFile(a.File, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range change {
		c(&a)
	}
	stage := filepath.Join(top, "stage")
	if err := os.Mkdir(stage, 0o700); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(stage, "tree")
	err = Unpack(t.Context(), a, dir)
	if there, _ := os.ReadDir(top); len(there) != 2 {
		t.Errorf("there is %v beside", there)
	}
	return dir, err
}

// INS-12: the root of a plugin is found at the top of an archive, or one directory below.
func TestField_INS12_theRootIsFoundByItsManifest(t *testing.T) {
	for form, pack := range map[string]func(*testing.T, ...packed) []byte{"tar.gz": tarOf, "zip": zipOf} {
		for name, c := range map[string]struct {
			entries []packed
			want    string // in the error; "" is none
		}{
			"at the top":         {[]packed{{name: "plugin.json", text: "{}"}, {name: "bin/run", text: "x", mode: 0o755}}, ""},
			"with a dot":         {[]packed{{name: "./plugin.json", text: "{}"}, {name: "./bin/run", text: "x", mode: 0o755}}, ""},
			"one below":          {[]packed{{name: "acme-1.0/plugin.json", text: "{}"}, {name: "acme-1.0/bin/run", text: "x", mode: 0o755}}, ""},
			"one below, another": {[]packed{{name: "acme/.claude-plugin/plugin.json", text: "{}"}, {name: "acme/bin/run", text: "x", mode: 0o755}, {name: "docs/x", text: "x"}}, ""},
			"two below":          {[]packed{{name: "a/b/plugin.json", text: "{}"}}, "no manifest"},
			"several":            {[]packed{{name: "a/plugin.json", text: "{}"}, {name: "b/plugin.json", text: "{}"}}, "several plugins"},
		} {
			t.Run(form+" "+name, func(t *testing.T) {
				dir, err := unpackBytes(t, pack(t, c.entries...))
				if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || ext.KindOf(err) != ext.Refused) {
					t.Fatalf("got %v, want %q", err, c.want)
				}
				if err != nil {
					return
				}
				if info, err := os.Stat(filepath.Join(dir, "bin/run")); err != nil || info.Mode()&0o100 == 0 {
					t.Errorf("bin/run: %v, %v, want it to be executable", info, err)
				}
				if there, _ := os.ReadDir(filepath.Dir(dir)); len(there) != 1 {
					t.Errorf("there is %v, want the tree alone", there)
				}
			})
		}
	}
}

// Archives that lead outside, hold what is no file, or are bombs are refused.
func TestHostileArchives(t *testing.T) {
	manifest := packed{name: "plugin.json", text: "{}"}
	zeros := strings.Repeat("\x00", 32<<20)
	for name, c := range map[string]struct {
		data   []byte
		change func(*Archive)
		want   string
	}{
		"tar: up":                    {tarOf(t, manifest, packed{name: "../x", text: "x"}), nil, "upwards"},
		"tar: absolute":              {tarOf(t, manifest, packed{name: "/tmp/x", text: "x"}), nil, "absolute"},
		"tar: link out":              {tarOf(t, manifest, packed{name: "l", text: "../..", kind: tar.TypeSymlink}), nil, "leaves"},
		"tar: through a link":        {tarOf(t, manifest, packed{name: "l", text: "/tmp", kind: tar.TypeSymlink}, packed{name: "l/x", text: "x"}), nil, "twice"},
		"tar: hard link":             {tarOf(t, manifest, packed{name: "l", text: "/etc/passwd", kind: tar.TypeLink}), nil, "no file"},
		"tar: device":                {tarOf(t, manifest, packed{name: "d", kind: tar.TypeChar}), nil, "no file"},
		"tar: pipe":                  {tarOf(t, manifest, packed{name: "d", kind: tar.TypeFifo}), nil, "no file"},
		"tar: git":                   {tarOf(t, manifest, packed{name: ".git/hooks/x", text: "x"}), nil, "git"},
		"tar: case":                  {tarOf(t, manifest, packed{name: "PLUGIN.json", text: "x"}), nil, "one name"},
		"tar: cut":                   {tarOf(t, manifest, packed{name: "x", text: strings.Repeat("abc", 1000)})[:100], nil, "damaged"},
		"tar: bomb":                  {tarOf(t, manifest, packed{name: "x", text: zeros}), nil, "times as many"},
		"tar: bytes":                 {tarOf(t, manifest, packed{name: "x", text: "abcdefgh"}), func(a *Archive) { a.Bounds = unpack.Bounds{File: 7} }, "8 bytes"},
		"tar: entries":               {tarOf(t, manifest, packed{name: "x"}, packed{name: "y"}), func(a *Archive) { a.Bounds = unpack.Bounds{Entries: 2} }, "more than 2"},
		"zip: up":                    {zipOf(t, manifest, packed{name: "a/../../x", text: "x"}), nil, "upwards"},
		"zip: absolute":              {zipOf(t, manifest, packed{name: "/x", text: "x"}), nil, "absolute"},
		"zip: backslash":             {zipOf(t, manifest, packed{name: `..\x`, text: "x"}), nil, `\`},
		"zip: link out":              {zipOf(t, manifest, packed{name: "l", text: "../..", kind: tar.TypeSymlink}), nil, "leaves"},
		"zip: device":                {zipOf(t, manifest, packed{name: "l", kind: tar.TypeChar}), nil, "no file"},
		"zip: twice":                 {zipOf(t, manifest, manifest), nil, "twice"},
		"zip: bomb":                  {zipOf(t, manifest, packed{name: "x", text: zeros}), nil, "times as many"},
		"zip: cut":                   {zipOf(t, manifest)[:40], nil, "damaged"},
		"no archive":                 {[]byte("hello, this is a text and nothing else"), nil, "damaged"},
		"nothing":                    {nil, nil, "no archive"},
		"another sum":                {tarOf(t, manifest), func(a *Archive) { a.Sum = ext.Sum(nil) }, "not the release"},
		"no sum":                     {tarOf(t, manifest), func(a *Archive) { a.Sum = ext.Digest{} }, "which SHA-256"},
		"more bytes than are taken":  {tarOf(t, manifest), func(a *Archive) { a.Bounds = unpack.Bounds{Bytes: 10} }, "more than"},
		"a link to what is not here": {tarOf(t, manifest, packed{name: "l", text: "x", kind: tar.TypeSymlink}), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			change := c.change
			if change == nil {
				change = func(*Archive) {}
			}
			_, err := unpackBytes(t, c.data, change)
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || ext.KindOf(err) != ext.Refused) {
				t.Errorf("got %v, want a refusal with %q", err, c.want)
			}
		})
	}
}

// What an archive holds becomes a checkout like any other, and one that is refused
// leaves nothing.
func TestArchiveBecomesACheckout(t *testing.T) {
	s := newStore(t)
	data := tarOf(t, packed{name: "acme/plugin.json", text: "{}"})
	file := filepath.Join(t.TempDir(), "release.tar.gz")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	k := Key{Name: "acme", Commit: strings.TrimPrefix(ext.Sum(data).String(), "sha256:")}
	fill := func(sum ext.Digest) func(ctx context.Context, dir string) error {
		return func(ctx context.Context, dir string) error {
			return Unpack(ctx, Archive{File: file, Sum: sum, Manifests: manifests}, dir)
		}
	}
	if _, err := s.Make(t.Context(), k, fill(ext.Sum(nil))); ext.KindOf(err) != ext.Refused {
		t.Errorf("another sum: got %v, want it refused", err)
	}
	c, err := s.Make(t.Context(), k, fill(ext.Sum(data)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "plugin.json")); err != nil {
		t.Error(err)
	}
	if got := below(t, s); len(got) != 2 {
		t.Errorf("got %q, want the checkout and its record", got)
	}
}
