package git

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// submodule is one as a commit has it: a section of .gitmodules, and what is at its path.
type submodule struct{ path, url, commit string }

// with are files and submodules, with the .gitmodules that git would write.
func with(modules []submodule, files ...file) []file {
	text := ""
	for n, m := range modules {
		text += section(fmt.Sprint("m", n), m.path, m.url)
		files = append(files, file{"160000", m.path, m.commit})
	}
	return append(files, file{"100644", ".gitmodules", text})
}

// section is one of a .gitmodules.
func section(name, path, url string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	return fmt.Sprintf("[submodule \"%s\"]\n\tpath = \"%s\"\n\turl = \"%s\"\n", quoted(name), quoted(path), quoted(url))
}

// hosts count who is asked for what.
type hosts struct {
	mu    sync.Mutex
	asked []string
}

func (h *hosts) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, strings.Split(r.URL.Path, "/")[1])
		h.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// were reports whether a repository was asked for.
func (h *hosts) were(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.asked, name)
}

// Submodules and theirs are written as they were committed, at the commits that are
// named, and are one tree with the rest.
func TestModules(t *testing.T) {
	h := &hosts{}
	s := serve(t, h.wrap)
	deep, deepSrc := s.repo("deep.git")
	deepCommit := deep.commit("main", file{"100755", "run", "deep"}, file{"100644", ".gitattributes", "* eol=crlf ident\n"})
	lib, _ := s.repo("lib.git")
	libCommit := lib.commit("main", with([]submodule{{"deep", s.URL + "/deep.git", deepCommit}}, file{"100644", "a", "lib\n"}, file{"120000", "up", "../../README"})...)
	lib.commit("next", file{"100644", "a", "later\n"})
	r, src := s.repo("a.git")
	commit := r.commit("main", with([]submodule{{"vendor/lib", "../lib.git", libCommit}, {"again", "../deep.git/", deepCommit}}, file{"100644", "README", "x"}, file{"120000", "link", "vendor/lib/deep/run"})...)
	top := t.TempDir()
	var permitted []string
	total := 0
	f, err := newGit(t).Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{
		Modules: &Modules{OnRef: true, Permit: func(s Source) error { permitted = append(permitted, s.Identity()); return nil }},
		Progress: func(p Progress) {
			if p.Phase == "writing" {
				total = p.Total
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lies(t, top) {
		if !strings.Contains(l, ".gitmodules") {
			got = append(got, l)
		}
	}
	want := []string{
		"tree/", `tree/README false "x"`, "tree/again/", `tree/again/.gitattributes false "* eol=crlf ident\n"`, `tree/again/run true "deep"`, "tree/link -> vendor/lib/deep/run", "tree/vendor/", "tree/vendor/lib/",
		`tree/vendor/lib/a false "lib\n"`, "tree/vendor/lib/deep/", `tree/vendor/lib/deep/.gitattributes false "* eol=crlf ident\n"`, `tree/vendor/lib/deep/run true "deep"`, "tree/vendor/lib/up -> ../../README",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var named []string
	for _, m := range f.Modules {
		named = append(named, m.Path)
		if !m.Fetched || m.At.Identity() == "" || m.URL == "" {
			t.Errorf("got %+v, want it fetched", m)
		}
	}
	if wanted := []string{"again", "vendor/lib", "vendor/lib/deep"}; !slices.Equal(named, wanted) || f.Files != total || total != 10 {
		t.Errorf("named are %q, with %d of %d files, want %q and 10", named, f.Files, total, wanted)
	}
	if deepID := deepSrc.Identity(); len(permitted) != 3 || permitted[0] != deepID || permitted[2] != deepID {
		t.Errorf("was asked about %q, want each", permitted)
	}

	// Without a word of it all are named, and nobody is asked for them.
	h.asked = nil
	f, err = newGit(t).Fetch(t.Context(), src, commit, filepath.Join(t.TempDir(), "tree"), Fetching{})
	if err != nil || len(f.Modules) != 2 || f.Modules[0].Fetched || f.Modules[0].URL != "../deep.git/" || h.were("lib.git") || h.were("deep.git") {
		t.Errorf("left out: got %+v, %v, and %q were asked, want two named", f, err, h.asked)
	}
}

// What may not be is refused whole, before anything is written, and nobody is contacted
// who should not be.
func TestModulesRefused(t *testing.T) {
	h := &hosts{}
	s := serve(t, h.wrap)
	lib, _ := s.repo("lib.git")
	c := lib.commit("main", file{"100644", "x", "x"})
	here := lib.dir
	r, src := s.repo("super.git")
	one := func(path, url string) []file { return with([]submodule{{path, url, c}}) }
	said := func(text string, more ...file) []file { return append(more, file{"100644", ".gitmodules", text}) }
	at := func(path string) file { return file{"160000", path, c} }
	var many []submodule
	for n := range mostModules + 1 {
		many = append(many, submodule{fmt.Sprintf("m/%d", n), "../lib.git", c})
	}
	for name, c := range map[string]struct {
		files []file
		want  string
	}{
		"an option":                {one("a", "--upload-pack=touch x"), "begins with -"},
		"an option, relative":      {one("a", "../-x"), "begins with -"},
		"ext::":                    {one("a", "ext::sh -c touch% x"), "names a program"},
		"file::":                   {one("a", "file::"+here), "names a program"},
		"git://":                   {one("a", "git://127.0.0.1/lib.git"), "git:// addresses"},
		"another protocol":         {one("a", "ftp://127.0.0.1/lib.git"), "ftp:// addresses"},
		"a password":               {one("a", "https://a:s3cret@h.invalid/x"), "password"},
		"a path of this machine":   {one("a", here), "path of this machine"},
		"a file of this machine":   {one("a", "file://"+here), "path of this machine"},
		"a short form":             {one("a", "acme/lib"), "neither a whole address"},
		"nowhere":                  {one("a", ".."), "neither a whole address"},
		"by a path of Windows":     {one("a", `..\lib`), "neither a whole address"},
		"out of the host":          {one("a", "../../lib.git"), "out of its host"},
		"up on its way":            {one("a", "../x/../lib.git"), ".."},
		"up in disguise":           {one("a", "../x/%2e%2e/lib.git"), ".."},
		"a reference":              {one("a", s.URL+"/lib.git#main"), "names a reference"},
		"a path that leaves":       {said(section("m", "../a", "../lib.git"), at("a")), "leads upwards"},
		"an absolute path":         {said(section("m", "/a", "../lib.git")+section("n", "a", "../lib.git"), at("a")), "absolute path"},
		"a path in .git":           {said(section("m", ".git/modules/x", "../lib.git")+section("n", "a", "../lib.git"), at("a")), "git's own directory"},
		"a path in .Git, of Mac":   {said(section("m", "x/.G\u200cit", "../lib.git")+section("n", "a", "../lib.git"), at("a")), "git's own directory"},
		"two at one path":          {said(section("m", "a", "../lib.git")+section("n", "a", "../evil.git"), at("a")), "at one path"},
		"said twice":               {said(section("m", "a", "../lib.git")+section("m", "a", "../evil.git"), at("a")), "says twice"},
		"no entry":                 {said(section("m", "b", "../lib.git"), at("a")), `"a" is a submodule, and .gitmodules does not say`},
		"no .gitmodules":           {[]file{at("a")}, "does not say where"},
		"no address":               {said("[submodule \"m\"]\n\tpath = a\n", at("a")), "does not say where"},
		"a .gitmodules at fault":   {said("[submodule \"m\n", at("a")), ".gitmodules"},
		"behind a link":            {said(section("m", "link/x", "../lib.git")+section("n", "a", "../lib.git"), at("a"), file{"120000", "link", "dir"}, file{"100644", "dir/x", "x"}), `lies behind the link "link"`},
		"case does not count":      {with([]submodule{{"a", "../lib.git", c}, {"A", "../lib.git", c}}), "one name"},
		"many":                     {with(many), "more than 32"},
		"itself":                   {one("a", "../super.git"), "within itself"},
		"itself, spelled elsehow":  {one("a", "../Super"), "within itself"},
		"a login and a port":       {one("a", "ssh://-oProxyCommand=x/y"), "name of a machine"},
		"a host that is an option": {one("a", "-oProxyCommand=x:y"), "begins with -"},
	} {
		t.Run(name, func(t *testing.T) {
			h.asked = nil
			commit := r.commit("main", c.files...)
			top := t.TempDir()
			g := newGit(t)
			g.loose = true // git's own checks see some of it, too
			_, err := g.Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{Modules: &Modules{}})
			if err == nil || ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("got %v, want a refusal with %q", err, c.want)
			}
			if left := lies(t, top); len(left) > 0 {
				t.Errorf("there is %q, want nothing", left)
			}
			if h.were("lib.git") || h.were("evil.git") {
				t.Errorf("%q were asked, want the first alone", h.asked)
			}
		})
	}
}

// Who was fetched from elsewhere is not let lead to this machine, in whatever spelling,
// and who lies here may name what lies here.
func TestModulesBelow(t *testing.T) {
	for _, c := range []struct{ from, address, want string }{
		{"https://h.example/acme/tools.git", "../lib.git", "https://h.example/acme/lib.git"},
		{"https://h.example/acme/tools", "./lib", "https://h.example/acme/tools/lib"},
		{"https://h.example:8443/acme/tools/", "../../other/lib/", "https://h.example:8443/other/lib"},
		{"https://h.example/acme/tools", "../a%20b", "https://h.example/acme/a%20b"},
		{"https://h.example/acme/tools", "../../../lib", ""},
		{"https://h.example/acme/tools", "../a%zz", ""},
		{"https://h.example/acme/tools", "..", ""},
		{"https://h.example/acme/tools", "", ""},
		{"https://h.example/acme/tools", "../a\x1bb", ""},
		{"git@h.example:acme/tools.git", "../lib.git", "git@h.example:acme/lib.git"},
		{"git@h.example:acme/tools.git", "../../lib.git", "git@h.example:lib.git"},
		{"git@h.example:tools.git", "../../lib.git", ""},
		{"ssh://git@h.example:2222/srv/tools.git", "../lib.git", "ssh://git@h.example:2222/srv/lib.git"},
		{"https://h.example/acme/tools", "git@h.example:acme/lib", "git@h.example:acme/lib"},
		{"https://h.example/acme/tools", "HTTPS://Other.example:443/lib", "https://other.example/lib"},
		{"https://h.example/acme/tools", "http://other.example/lib", ""},
		{"https://h.example/acme/tools", "http://127.0.0.1:1/lib", ""},
		{"https://h.example/acme/tools", "https://localhost/lib", ""},
		{"https://h.example/acme/tools", "ssh://[::1]/lib", ""},
		{"https://h.example/acme/tools", "/srv/lib", ""},
		{"http://127.0.0.1:1/acme/tools", "http://127.0.0.1:2/lib", "http://127.0.0.1:2/lib"},
		{"http://127.0.0.1:1/acme/tools", "file:///srv/lib", ""},
		{"file:///srv/tools", "../lib", "file:///srv/lib"},
		{"file:///srv/tools", "/srv/lib", "file:///srv/lib"},
		{"file:///srv/tools", "https://h.example/lib", "https://h.example/lib"},
		{"file:///srv/tools", `..\lib`, ""},
		{"file:///srv/tools", `..\lib:x`, ""},
		{"file:///srv/tools", "lib", ""},
	} {
		got, err := source(t, c.from).below(c.address)
		if got.String() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q below %s: got %q, %v, want %q", c.address, c.from, got, err, c.want)
		}
	}
}

// A blocked source refuses the whole, with how it came to it, and is not contacted; nor is
// anything that is beside it.
func TestModulesBlocked(t *testing.T) {
	h := &hosts{}
	s := serve(t, h.wrap)
	bad, _ := s.repo("bad.git")
	badCommit := bad.commit("main", file{"100644", "x", "x"})
	beside, _ := s.repo("beside.git")
	besideCommit := beside.commit("main", file{"100644", "x", "x"})
	lib, _ := s.repo("lib.git")
	libCommit := lib.commit("main", with([]submodule{{"aside", "../beside.git", besideCommit}, {"deep", s.URL + "/bad", badCommit}})...)
	r, src := s.repo("a.git")
	commit := r.commit("main", with([]submodule{{"lib", "../lib.git", libCommit}})...)
	top := t.TempDir()
	_, err := newGit(t).Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{Modules: &Modules{Permit: func(s Source) error {
		if strings.HasSuffix(s.Identity(), "/bad") {
			return errors.New("it is blocked")
		}
		return nil
	}}})
	want := fmt.Sprintf("submodule \"lib\" (%[1]s/lib.git), submodule \"lib/deep\" (%[1]s/bad): it is blocked", s.URL)
	if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.git") {
		t.Errorf("got %v, want a refusal with %q", err, want)
	}
	if left := lies(t, top); len(left) > 0 || h.were("bad.git") || h.were("bad") || h.were("beside.git") {
		t.Errorf("there is %q, and %q were asked, want nothing and neither of the two", left, h.asked)
	}
}

// Submodules within each other are fetched so deep and no deeper.
func TestModulesNested(t *testing.T) {
	s := serve(t)
	below := submodule{}
	var src Source
	var commits []string
	for n := range mostNested + 2 {
		r, at := s.repo(fmt.Sprintf("n%d.git", n))
		files := []file{{"100644", "x", fmt.Sprint(n)}}
		if n > 0 {
			files = with([]submodule{below}, files...)
		}
		commits = append(commits, r.commit("main", files...))
		below, src = submodule{"below", "../" + fmt.Sprintf("n%d.git", n), commits[n]}, at
	}
	_, err := newGit(t).Fetch(t.Context(), src, commits[mostNested+1], filepath.Join(t.TempDir(), "tree"), Fetching{Modules: &Modules{}})
	if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "deeper than 4") {
		t.Errorf("five: got %v, want a refusal", err)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	f, err := newGit(t).Fetch(t.Context(), source(t, s.URL+"/n4.git"), commits[mostNested], dir, Fetching{Modules: &Modules{}})
	if err != nil || len(f.Modules) != mostNested {
		t.Fatalf("four: got %+v, %v", f, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "below/below/below/below/x")); string(got) != "0" {
		t.Errorf("got %q, %v, want what lies deepest", got, err)
	}
}

// A cycle ends where it closes, by whatever address.
func TestModulesCycle(t *testing.T) {
	s := serve(t)
	a, src := s.repo("a.git")
	old := a.commit("main", file{"100644", "x", "x"})
	b, _ := s.repo("b.git")
	inB := b.commit("main", with([]submodule{{"a", "../A", old}})...)
	now := a.commit("main", with([]submodule{{"b", "../b.git", inB}})...)
	_, err := newGit(t).Fetch(t.Context(), src, now, filepath.Join(t.TempDir(), "tree"), Fetching{Modules: &Modules{}})
	if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), `submodule "b/a"`) || !strings.Contains(err.Error(), "within itself") {
		t.Errorf("got %v, want a refusal of b/a", err)
	}
}

// What bounds a repository bounds all that make up a checkout together.
func TestModulesShareBounds(t *testing.T) {
	s := serve(t)
	noise := func(seed, size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(ext.Sum(fmt.Append(nil, seed, i)).String())
		}
		return b.String()[:size]
	}
	var modules []submodule
	for n := range 3 {
		r, _ := s.repo(fmt.Sprintf("m%d.git", n))
		r.git("", "config", "core.compression", "0")
		commit := r.commit("main", file{"100644", "big", noise(n, 400<<10)}, file{"100644", "a", "a"}, file{"100644", "b", "b"})
		modules = append(modules, submodule{fmt.Sprintf("m%d", n), fmt.Sprintf("../m%d.git", n), commit})
	}
	r, src := s.repo("a.git")
	commit := r.commit("main", with(modules, file{"100644", "x", "x"})...)
	for name, c := range map[string]struct {
		b    unpack.Bounds
		want string // "" is none
	}{
		"enough":        {unpack.Bounds{Bytes: 2 << 20, Entries: 14}, ""},
		"files":         {unpack.Bounds{Entries: 13}, "more than 13"},
		"bytes":         {unpack.Bounds{Bytes: 1 << 20}, "1 MiB"},
		"of a transfer": {unpack.Bounds{Bytes: 500 << 10}, "more than is taken"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGit(t, func(o *Options) { o.Bounds = c.b })
			top := t.TempDir()
			_, err := g.Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{Modules: &Modules{}})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if beside, _ := os.ReadDir(top); len(beside) > 1 {
				t.Errorf("there is %v beside", beside)
			}
		})
	}
}

// A submodule that never answers ends with the whole, in the time that the whole has.
func TestModulesLate(t *testing.T) {
	stuck := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/stuck") {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	s := serve(t, stuck)
	r, src := s.repo("a.git")
	commit := r.commit("main", with([]submodule{{"a", "../stuck.git", strings.Repeat("a", 40)}}, file{"100644", "x", "x"})...)
	top := t.TempDir()
	g := newGit(t, func(o *Options) { o.Fetching = 2 * time.Second })
	if _, err := g.Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{Modules: &Modules{}}); KindOf(err) != Late || !strings.Contains(err.Error(), `submodule "a"`) {
		t.Errorf("got %v, want it late, and which one", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newGit(t).Fetch(ctx, src, commit, filepath.Join(top, "tree"), Fetching{Modules: &Modules{Permit: func(Source) error { cancel(); return nil }}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("given up: got %v", err)
	}
	if left := lies(t, top); len(left) > 0 {
		t.Errorf("there is %q, want nothing", left)
	}
}

// A commit that nothing leads to, such as one that somebody proposed, is not taken where a
// branch or a tag must.
func TestModulesOnRef(t *testing.T) {
	s := serve(t)
	lib, _ := s.repo("lib.git")
	lib.git("", "config", "uploadpack.allowAnySHA1InWant", "true")
	lib.commit("main", file{"100644", "x", "x"})
	loose := lib.git("y", "commit-tree", "main^{tree}")
	r, src := s.repo("a.git")
	commit := r.commit("main", with([]submodule{{"a", "../lib.git", loose}})...)
	g := newGit(t)
	if _, err := g.Fetch(t.Context(), src, commit, filepath.Join(t.TempDir(), "tree"), Fetching{Modules: &Modules{}}); err != nil {
		t.Errorf("without: got %v", err)
	}
	if _, err := g.Fetch(t.Context(), src, commit, filepath.Join(t.TempDir(), "tree"), Fetching{Modules: &Modules{OnRef: true}}); KindOf(err) != NoRef || !strings.Contains(err.Error(), `submodule "a"`) {
		t.Errorf("with: got %v, want that nothing leads to it", err)
	}
}

// A tree that no git would make has something else at a submodule's path.
func TestModulesBesideSomething(t *testing.T) {
	s := serve(t)
	lib, _ := s.repo("lib.git")
	c := lib.commit("main", file{"100644", "x", "x"})
	r, src := s.repo("a.git")
	b := r.blob("[submodule \"m\"]\n\tpath = a\n\turl = ../lib.git\n")
	other := r.tree(file{"100644", "y", b})
	for name, entries := range map[string][]file{
		"a directory": {{"160000", "a", c}, {"40000", "a", other}},
		"two":         {{"160000", "a", c}, {"160000", "a", c}},
	} {
		commit := r.commitTree(r.tree(append([]file{{"100644", ".gitmodules", b}}, entries...)...))
		g := newGit(t)
		g.loose = true
		if _, err := g.Fetch(t.Context(), src, commit, filepath.Join(t.TempDir(), "tree"), Fetching{Modules: &Modules{}}); ext.KindOf(err) != ext.Refused {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	link := r.commitTree(r.tree(file{"120000", ".gitmodules", r.blob("x")}, file{"160000", "a", c}))
	g := newGit(t)
	g.loose = true
	if _, err := g.Fetch(t.Context(), src, link, filepath.Join(t.TempDir(), "tree"), Fetching{Modules: &Modules{}}); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "no file") {
		t.Errorf("a .gitmodules that is a link: got %v, want a refusal", err)
	}
}

// Whoever is to have signed a commit, and has not, does not say whom we contact.
func TestModulesOfWhatIsNotSigned(t *testing.T) {
	h := &hosts{}
	s := serve(t, h.wrap)
	lib, _ := s.repo("lib.git")
	c := lib.commit("main", file{"100644", "x", "x"})
	r, src := s.repo("a.git")
	commit := r.commit("main", with([]submodule{{"a", "../lib.git", c}})...)
	top := t.TempDir()
	f, err := newGit(t).Fetch(t.Context(), src, commit, filepath.Join(top, "tree"), Fetching{Signers: &Signers{}, Modules: &Modules{}})
	if err != nil || f.Signature == nil || f.Signature.OK || h.were("lib.git") || len(lies(t, top)) > 0 {
		t.Errorf("got %+v, %v, and %q were asked, want it told and nothing fetched", f, err, h.asked)
	}
}
