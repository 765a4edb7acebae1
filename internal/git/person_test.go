package git

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// home is a person's home with a configuration of git.
func home(t *testing.T, config string) func(*Options) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(o *Options) {
		o.Env = append([]string{"HOME=" + dir}, slices.DeleteFunc(o.Env, func(kv string) bool { return strings.HasPrefix(kv, "HOME=") })...)
	}
}

// program writes a shell script and answers with the directory it is in.
func program(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// login asks for a name and a password.
func login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, secret, ok := r.BasicAuth(); !ok || user != "me" || secret != "s3cret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// A private repository is reached with the person's own credential helper. Without one
// nothing is asked and nothing hangs, and the message says what to do.
func TestField_INS09_noQuestionIsAsked(t *testing.T) {
	s := serve(t, login)
	r, src := s.repo("a.git")
	want := r.commit("main", file{"100644", "x", "x"})
	if _, err := newGit(t).Resolve(t.Context(), src, ""); KindOf(err) != Login || !strings.Contains(err.Error(), "credential helper") {
		t.Errorf("without a helper: got %v, want it told", err)
	}
	asking := home(t, "[core]\n\taskPass = "+filepath.Join(program(t, "ask", "touch "+filepath.Join(t.TempDir(), "asked")+"; sleep 100"), "ask"))
	if _, err := newGit(t, asking).Resolve(t.Context(), src, ""); KindOf(err) != Login {
		t.Errorf("with a program that asks: got %v, want it told", err)
	}
	g := newGit(t, home(t, `[credential]
	helper = "!f() { echo username=me; echo password=s3cret; }; f"
`))
	found, err := g.Resolve(t.Context(), src, "")
	if err != nil || found.Commit != want {
		t.Errorf("Resolve with a helper: got %v, %v, want %s", found, err, want)
	}
	if _, err := g.Fetch(t.Context(), src, want, filepath.Join(t.TempDir(), "tree"), Fetching{}); err != nil {
		t.Errorf("Fetch with a helper: %v", err)
	}
	wrong := newGit(t, home(t, "[credential]\n\thelper = \"!f() { echo username=me; echo password=wr0ng; }; f\"\n"))
	if _, err := wrong.Resolve(t.Context(), src, ""); KindOf(err) != Login || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("with a wrong password: got %v, want it told without the password", err)
	}
}

// trapped is a home whose configuration runs a program, which leaves a mark, wherever git
// would run one.
func trapped(t *testing.T, touch, marks string) (config, template string) {
	t.Helper()
	hooks := t.TempDir()
	for _, h := range []string{"post-checkout", "post-index-change", "reference-transaction", "post-merge", "pre-auto-gc", "fsmonitor-watchman"} {
		if err := os.WriteFile(filepath.Join(hooks, h), []byte("#!/bin/sh\ntouch "+marks+"/"+h+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	template = t.TempDir()
	if err := os.CopyFS(filepath.Join(template, "hooks"), os.DirFS(hooks)); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`[core]
	hooksPath = %[1]s
	fsmonitor = %[2]s
	pager = %[2]s
	editor = %[2]s
	gitProxy = %[2]s
	alternateRefsCommand = %[2]s
	attributesFile = %[3]s/attributes
[init]
	templateDir = %[3]s
[filter "evil"]
	smudge = %[2]s
	clean = %[2]s
[diff "evil"]
	textconv = %[2]s
	command = %[2]s
[url "http://127.0.0.1:1/elsewhere/"]
	insteadOf = http://
[protocol]
	allow = always
[http]
	extraHeader = X-Secret: everywhere
[alias]
	fetch = !%[2]s
	ls-remote = !%[2]s
`, hooks, touch, template), template
}

// Nothing of the person's configuration, of their environment or of the repository runs,
// and addresses are not rewritten.
func TestNothingRuns(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	marks := t.TempDir()
	touch := filepath.Join(program(t, "touch-it", "touch "+marks+"/$$; cat"), "touch-it")
	want := r.commit("main", file{"100644", ".gitattributes", "* filter=evil ident diff=evil text eol=crlf working-tree-encoding=UTF-16\n"},
		file{"100644", "a.txt", "$Id$\nline\n"}, file{"100644", "export", "x"}, file{"100644", ".lfsconfig", "[lfs]\n\turl = http://127.0.0.1:1/\n"})
	config, template := trapped(t, touch, marks)
	at := home(t, config)
	var person Options
	at(&person)
	bare := exec.Command("git", "clone", "-q", r.dir, filepath.Join(t.TempDir(), "clone"))
	bare.Env = append(person.Env, "PATH="+os.Getenv("PATH"))
	_ = bare.Run() // it may fail: what counts is what it runs
	if ran, _ := os.ReadDir(marks); len(ran) < 2 {
		t.Fatalf("git itself ran %v, want a filter and a hook: the trap is none", ran)
	} else {
		for _, e := range ran {
			os.Remove(filepath.Join(marks, e.Name()))
		}
	}
	g := newGit(t, at, func(o *Options) {
		o.Env = append(o.Env, "GIT_EXTERNAL_DIFF="+touch, "GIT_SSH_COMMAND="+touch, "GIT_PROXY_COMMAND="+touch, "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+touch, "GIT_TEMPLATE_DIR="+template, "GIT_TRACE="+marks+"/trace", "GIT_EXEC_PATH=/nowhere", "GIT_DIR="+r.dir, "PAGER="+touch)
	})
	found, err := g.Resolve(t.Context(), src, "main")
	if err != nil || found.Commit != want {
		t.Fatalf("Resolve: got %v, %v, want %s", found, err, want)
	}
	dir := filepath.Join(t.TempDir(), "tree")
	if _, err := g.Fetch(t.Context(), src, want, dir, Fetching{Signers: &Signers{}}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(got) != "$Id$\nline\n" {
		t.Errorf("got %q, %v, want the bytes of the repository", got, err)
	}
	if ran, _ := os.ReadDir(marks); len(ran) > 0 {
		t.Errorf("it ran %v", ran)
	}
}

// Of the person's configuration those keys count that are listed, in their order.
func TestLent(t *testing.T) {
	g := newGit(t, home(t, `[credential]
	helper = store
	helper =
	helper = cache
	useHttpPath
[credential "https://h.example"]
	username = a=b
[http]
	proxy = http://127.0.0.1:1
	sslVerify = false
	extraHeader = X: everywhere
	cookieFile = /x
[http "https://H.example/A=B"]
	sslCAInfo = /ca
	extraHeader = X: there
	sslVerify = false
[core]
	sshCommand = ssh -i '/my key'
	hooksPath = /x
`))
	l, err := g.lent()
	want := [][2]string{
		{"credential.helper", "store"}, {"credential.helper", ""}, {"credential.helper", "cache"}, {"credential.usehttppath", "true"},
		{"credential.https://h.example.username", "a=b"}, {"http.proxy", "http://127.0.0.1:1"},
		{"http.https://H.example/A=B.sslcainfo", "/ca"}, {"http.https://H.example/A=B.extraheader", "X: there"},
	}
	if err != nil || len(l.settings) < len(want) || !slices.Equal(l.settings[len(l.settings)-len(want):], want) { // the system's come first
		t.Errorf("got %q, %v, want %q", l.settings, err, want)
	}
	if got := l.sshLine(); got != `ssh -i '/my key'`+sshOptions {
		t.Errorf("ssh: got %s", got)
	}
	if got := (lent{ssh: "plink -batch"}).sshLine(); got != "ssh"+sshOptions {
		t.Errorf("another program: got %s", got)
	}
	broken := newGit(t, home(t, "[core\n"))
	if _, err := broken.Resolve(t.Context(), source(t, "https://127.0.0.1:1/x"), ""); err == nil || !strings.Contains(err.Error(), "configuration of git") {
		t.Errorf("a broken configuration: got %v, want it told", err)
	}
}

// ssh is started so that it never asks, and with the address behind its options.
func TestSSHLine(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	bin := program(t, "ssh", `printf '%s\n' "$@" > `+said+`; echo "Host key verification failed." >&2; exit 255`)
	g := newGit(t, func(o *Options) { o.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH")}, o.Env[1:]...) })
	for address, want := range map[string][]string{
		"git@h.example:acme/tools.git":   {"git@h.example", "git-upload-pack 'acme/tools.git'"},
		"ssh://h.example:2222/srv/a%20b": {"-p", "2222", "h.example", "git-upload-pack '/srv/a b'"},
		"ssh://me@h.example/~/x":         {"me@h.example", "git-upload-pack '~/x'"},
		"h.example:it's; touch x":        {"h.example", `git-upload-pack 'it'\''s; touch x'`},
	} {
		_, err := g.Resolve(t.Context(), source(t, address), "")
		if KindOf(err) != HostKey {
			t.Errorf("%s: got %v, want it told that the host is not known", address, err)
		}
		args, _ := os.ReadFile(said)
		got := strings.Split(strings.TrimSpace(string(args)), "\n")
		if !slices.Contains(got, "-oBatchMode=yes") || !slices.Contains(got, "-oControlMaster=no") {
			t.Errorf("%s: got %q, want it to never ask", address, got)
		}
		if len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
			t.Errorf("%s: got %q, want %q at its end", address, got, want)
		}
	}
}

// INS-15: OWNER/REPO is reached by https, and by ssh where that asks who one is; which
// one was used is told.
func TestField_INS15_shortForm(t *testing.T) {
	s := serve(t, login)
	r, src := s.repo("acme/tools.git")
	want := r.commit("main", file{"100644", "x", "x"})
	bin := program(t, "ssh", `cd `+s.dir+` && for last; do :; done && eval "$(echo "$last" | sed "s,'/,'./,")"`)
	short := src
	short.short = true
	g := newGit(t, func(o *Options) { o.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH")}, o.Env[1:]...) })
	found, err := g.Resolve(t.Context(), short, "")
	if err != nil || found.Commit != want || !strings.HasPrefix(found.At.String(), "ssh://git@127.0.0.1/") {
		t.Fatalf("got %v at %s, %v, want %s by ssh", found, found.At, err, want)
	}
	f, err := g.Fetch(t.Context(), found.At, want, filepath.Join(t.TempDir(), "tree"), Fetching{})
	if err != nil || f.At != found.At {
		t.Errorf("Fetch: got %+v, %v, want it there", f, err)
	}
	without := newGit(t, func(o *Options) {
		o.Env = append([]string{"PATH=" + program(t, "ssh", "echo 'Permission denied (publickey).' >&2; exit 255") + ":" + os.Getenv("PATH")}, o.Env[1:]...)
	})
	if _, err := without.Resolve(t.Context(), short, ""); KindOf(err) != Login || !strings.Contains(err.Error(), "http://") {
		t.Errorf("with neither: got %v, want the first answer", err)
	}
	public := serve(t)
	r2, src2 := public.repo("acme/tools.git")
	want = r2.commit("main", file{"100644", "x", "x"})
	src2.short = true
	if found, err := without.Resolve(t.Context(), src2, ""); err != nil || found.Commit != want || !strings.HasPrefix(found.At.String(), "http://") {
		t.Errorf("without a key: got %v, %v, want it by http", found, err)
	}
}

// A host that sends elsewhere is not followed, but to the same address with .git.
func TestRedirects(t *testing.T) {
	elsewhere := serve(t)
	r, _ := elsewhere.repo("a.git")
	r.commit("main", file{"100644", "x", "x"})
	s := serve(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasPrefix(r.URL.Path, "/moved"):
				http.Redirect(w, r, elsewhere.URL+"/a.git/info/refs?service=git-upload-pack", http.StatusMovedPermanently)
			case strings.HasPrefix(r.URL.Path, "/plain/"):
				http.Redirect(w, r, strings.Replace(r.URL.String(), "/plain/", "/plain.git/", 1), http.StatusFound)
			default:
				next.ServeHTTP(w, r)
			}
		})
	})
	plain, _ := s.repo("plain.git")
	want := plain.commit("main", file{"100644", "x", "x"})
	g := newGit(t)
	if found, err := g.Resolve(t.Context(), source(t, s.URL+"/plain"), ""); err != nil || found.Commit != want || !strings.HasSuffix(found.At.String(), "/plain.git") {
		t.Errorf("with .git: got %v, %v, want %s", found, err, want)
	}
	if _, err := g.Resolve(t.Context(), source(t, s.URL+"/moved"), ""); KindOf(err) != Moved || !strings.Contains(err.Error(), "browser") {
		t.Errorf("elsewhere: got %v, want it told", err)
	}
}

// What never answers is ended in time, with all that was started for it.
func TestLate(t *testing.T) {
	asked := make(chan struct{}, 1)
	s := serve(t, func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case asked <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		})
	})
	_, src := s.repo("a.git")
	g := newGit(t, func(o *Options) { o.Resolving, o.Fetching = 300*time.Millisecond, 300*time.Millisecond })
	begun := time.Now()
	if _, err := g.Resolve(t.Context(), src, ""); KindOf(err) != Late {
		t.Errorf("Resolve: got %v, want it late", err)
	}
	top := t.TempDir()
	if _, err := g.Fetch(t.Context(), src, strings.Repeat("a", 40), filepath.Join(top, "tree"), Fetching{}); KindOf(err) != Late {
		t.Errorf("Fetch: got %v, want it late", err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if there, _ := os.ReadDir(top); len(there) > 0 {
		t.Errorf("it left %v", there)
	}
	<-asked
}
