package git

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
)

// passed are the variables of the person that git is given: where programs, homes and
// temporary files are, how a key is reached, which way the network is. All others are
// left out, those that begin with GIT_ above all.
var passed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GNUPGHOME",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
	"GH_TOKEN", "GITHUB_TOKEN", "GH_CONFIG_DIR", // of gh as a credential helper
	"SystemRoot", "SYSTEMROOT", "windir", "ComSpec", "COMSPEC", "PATHEXT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
	"HOMEDRIVE", "HOMEPATH", "ProgramData", "PROGRAMDATA", "ProgramFiles",
}

// fixed keep git from asking, from reading other configuration, and from speaking
// another language. An empty GIT_ASKPASS is no program.
var fixed = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never", "GCM_GUI_PROMPT=0",
	"GIT_PAGER=cat", "PAGER=cat", "GIT_EDITOR=false", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0",
	"GIT_PROTOCOL_FROM_USER=0", "LC_ALL=C", "LANGUAGE=",
}

// settings are git's own configuration where it is run here. Nothing that it names can
// run, and what it could do by itself later is off.
var settings = []string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.attributesFile=" + os.DevNull, "core.excludesFile=" + os.DevNull,
	"core.untrackedCache=false", "core.protectHFS=true", "core.protectNTFS=true", "core.bigFileThreshold=8m",
	"core.logAllRefUpdates=false", "core.fsync=none", "gc.auto=0", "maintenance.auto=false",
	"submodule.recurse=false", "fetch.recurseSubmodules=false", "fetch.unpackLimit=1", "fetch.writeCommitGraph=false", "fetch.showForcedUpdates=false",
	"transfer.credentialsInUrl=die", "transfer.bundleURI=false", "protocol.version=2",
	"http.followRedirects=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=30", "http.cookieFile=", "http.saveCookies=false",
	"credential.interactive=false", "log.showSignature=false", "advice.detachedHead=false",
}

// checked are the settings that have git judge what it is given. What is old and harms
// nobody is let pass.
var checked = []string{
	"transfer.fsckObjects=true", "fetch.fsck.zeroPaddedFilemode=ignore", "fetch.fsck.badTimezone=ignore",
	"fetch.fsck.missingSpaceBeforeDate=ignore", "fetch.fsck.missingSpaceBeforeEmail=ignore", "fetch.fsck.badFilemode=ignore",
}

// lent is what counts of the person's own configuration.
type lent struct {
	settings [][2]string       // keys and values
	ssh      string            // core.sshCommand
	signing  map[string]string // how the person signs commits: keys, in small letters, and values
}

// lentRE are the keys of the person's configuration that count. A header for every
// host is not among them: it would give a secret to whichever host a source names.
var lentRE = pattern.New(`^(credential\..+|http\.(.+\.)?(proxy\w*|sslcainfo|sslcapath|sslcert|sslkey|sslcertpasswordprotected|sslbackend|sslversion|schannel\w+|emptyauth|delegation|version)|http\..+\.extraheader)$`)

// signingRE are the keys of which it counts, where a commit is made, how the person signs.
var signingRE = pattern.New(`^(commit\.gpgsign|user\.(email|signingkey)|gpg\.format|gpg\.(\w+\.)?program|gpg\.ssh\.defaultkeycommand)$`)

// borrow reads the person's configuration of git.
func (g *Git) borrow() (lent, error) {
	l := lent{signing: map[string]string{}}
	cmd := exec.Command(g.path, "config", "--list", "-z", "--show-scope", "--includes") //nolint:noctx // it reads two files
	cmd.Env = append(g.passed(), "GIT_DIR="+os.DevNull, "LC_ALL=C")
	cmd.Dir = filepath.Dir(g.path)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return l, fmt.Errorf("read your configuration of git: %s; mend it, or see git config --list", firstLine(said.String(), err))
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if scope := fields[i]; scope != "system" && scope != "global" {
			continue
		}
		key, value, given := strings.Cut(fields[i+1], "\n")
		if !given {
			value = "true"
		}
		switch {
		case key == "core.sshcommand":
			l.ssh = value
		case signingRE.MatchString(key):
			l.signing[key] = value
		case lentRE.MatchString(strings.ToLower(key)):
			l.settings = append(l.settings, [2]string{key, value})
		}
	}
	return l, nil
}

func (g *Git) passed() []string {
	var out []string
	for _, kv := range g.opt.Env {
		name, _, ok := strings.Cut(kv, "=")
		if ok && slices.ContainsFunc(passed, func(p string) bool { return p == name || runtime.GOOS == "windows" && strings.EqualFold(p, name) }) {
			out = append(out, kv)
		}
	}
	return out
}

// sshOptions keep ssh from asking, from staying, and from lending anything on.
const sshOptions = " -oBatchMode=yes -oClearAllForwardings=yes -oForwardAgent=no -oForwardX11=no -oPermitLocalCommand=no" +
	" -oControlMaster=no -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=3"

// ssh is the line that git starts ssh with. The person's own is taken where it is ssh
// with options; another program knows no such options, and could ask.
func (l lent) sshLine() string {
	own := strings.Fields(l.ssh)
	if len(own) > 0 && strings.TrimSuffix(filepath.Base(filepath.ToSlash(own[0])), ".exe") == "ssh" {
		return l.ssh + sshOptions
	}
	return "ssh" + sshOptions
}

// environment is all that git is given, for one scheme of addresses; "" for none.
func (g *Git) environment(scheme, gitDir string) ([]string, error) {
	l, err := g.lent()
	if err != nil {
		return nil, err
	}
	env := append(g.passed(), fixed...)
	env = append(env, "GIT_DIR="+gitDir, "GIT_ALLOW_PROTOCOL="+scheme, "GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND="+l.sshLine(),
		fmt.Sprintf("GIT_ALLOC_LIMIT=%d", g.opt.Bounds.File+64<<20))
	all := slices.Clone(l.settings)
	for _, kv := range slices.Concat(settings, g.checks()) { // ours come last, and so count
		key, value, _ := strings.Cut(kv, "=")
		all = append(all, [2]string{key, value})
	}
	for i, kv := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all))), nil
}

func (g *Git) checks() []string {
	if g.loose {
		return nil
	}
	return checked
}

// lookPath finds git in the PATH of env: in no directory that is relative.
func lookPath(env []string) (string, error) {
	path := ""
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); strings.EqualFold(name, "PATH") {
			path = value
		}
	}
	name := "git"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		at := filepath.Join(dir, name)
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
			return at, nil
		}
	}
	return "", fmt.Errorf("git is not in the PATH; install git %d.%d or newer: %w", oldest[0], oldest[1], fs.ErrNotExist)
}
