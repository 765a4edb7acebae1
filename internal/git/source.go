package git

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/loopback"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Source is a repository that git can be asked for. Make one with Parse. Two that are
// spelled differently and mean the same are equal in Identity.
type Source struct {
	scheme string // https, http, ssh or file
	user   string // of ssh alone
	host   string // lower case, without the dot at its end
	port   string // "" is the scheme's own
	path   string // decoded; absolute, but for ssh, where it may lie in a home
	short  bool   // it was OWNER/REPO
}

// Allow is what Parse takes besides https and ssh, and http to this machine.
type Allow struct {
	Local bool // file:// and paths
	Plain bool // http:// to other machines, which anybody on the way can change
}

var (
	shortRE = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_.][A-Za-z0-9_.-]*$`)
	scpRE   = pattern.New(`^(?:([^@/:]+)@)?(\[[0-9A-Fa-f:.]+\]|[^/:@\[\]]+):(.*)$`)
	hostRE  = pattern.New(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)
	userRE  = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
)

// Parse reads a source as a person writes it: https://HOST/PATH, ssh://USER@HOST/PATH,
// USER@HOST:PATH, or OWNER/REPO, which is GitHub's over https, each with #REF or @REF
// behind it; where local ones are allowed, file:///PATH or a path that begins with /,
// ./ or ../, which is then absolute and has no reference. What cannot be meant, or would
// have git run something else, is an error that says what to write.
func Parse(text string, allow Allow) (s Source, ref string, err error) {
	s, ref, err = parse(text, allow)
	if err == nil && ref != "" {
		err = checkRef(ref)
	}
	if err != nil {
		return Source{}, "", ext.AsUsage(fmt.Errorf("source %s: %w", ext.Quote(ext.Shorten(hide(text), 200)), err))
	}
	return s, ref, nil
}

func parse(text string, allow Allow) (Source, string, error) {
	switch {
	case text == "":
		return Source{}, "", fmt.Errorf("it is empty; write OWNER/REPO or an address")
	case strings.HasPrefix(text, "-"):
		return Source{}, "", fmt.Errorf("it begins with -, which git takes for an option")
	case strings.ContainsFunc(text, ext.Hidden):
		return Source{}, "", fmt.Errorf("it holds characters that do not show")
	case IsPath(text):
		s, err := local(text, allow)
		return s, "", err
	}
	scheme, rest, address := strings.Cut(text, "://")
	if address {
		return parseURL(strings.ToLower(scheme), rest, allow)
	}
	if strings.Contains(text, "::") {
		return Source{}, "", fmt.Errorf("it names a program to fetch it with; write an address that begins with https:// or ssh://")
	}
	name, ref := cutRef(text)
	if shortRE.MatchString(name) {
		return short(name, ref)
	}
	return scp(text)
}

// IsPath reports whether a source, as a person writes it, is a path of this machine.
func IsPath(text string) bool {
	return filepath.IsAbs(text) || strings.HasPrefix(text, "/") || text == "." || text == ".." ||
		strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, `.\`) || strings.HasPrefix(text, `..\`)
}

// cutRef takes a reference from behind a source.
func cutRef(text string) (rest, ref string) {
	if rest, ref, ok := strings.Cut(text, "#"); ok {
		return rest, ref
	}
	if rest, ref, ok := strings.Cut(text, "@"); ok {
		return rest, ref
	}
	return text, ""
}

func short(name, ref string) (Source, string, error) {
	s := Source{scheme: "https", host: "github.com", short: true}
	p, err := cleanPath("/" + name)
	s.path = p
	return s, ref, err
}

// scp is USER@HOST:PATH.
func scp(text string) (Source, string, error) {
	m := scpRE.FindStringSubmatch(text)
	if m == nil {
		return Source{}, "", fmt.Errorf("it is no address of a repository; write OWNER/REPO, https://HOST/PATH or git@HOST:PATH")
	}
	where, ref := cutRef(m[3])
	if strings.Contains(where, "@") {
		return Source{}, "", fmt.Errorf("its path holds an @, which begins a reference; write ssh://USER@HOST/PATH with %%40")
	}
	s := Source{scheme: "ssh", user: m[1]}
	return s.finish(m[2], "", where, ref)
}

// parseURL reads what stands behind scheme://.
func parseURL(scheme, rest string, allow Allow) (Source, string, error) {
	if scheme == "git+ssh" || scheme == "ssh+git" {
		scheme = "ssh"
	}
	s := Source{scheme: scheme}
	if scheme == "file" {
		p, err := url.PathUnescape(strings.TrimPrefix(rest, "localhost"))
		if err != nil || !strings.HasPrefix(p, "/") {
			return Source{}, "", fmt.Errorf("a file:// address is file:///PATH")
		}
		s, err := local(filepath.FromSlash(p), allow)
		return s, "", err
	}
	if scheme != "https" && scheme != "http" && scheme != "ssh" {
		return Source{}, "", fmt.Errorf("git is not let fetch %s:// addresses; write one that begins with https:// or ssh://", ext.Escape(scheme))
	}
	authority, where, _ := strings.Cut(rest, "/")
	where, ref := cutRef("/" + where)
	if strings.Contains(where, "?") {
		return Source{}, "", fmt.Errorf("an address of a repository has no ?")
	}
	login, host, named := cutLast(authority, "@")
	if !named {
		host = authority
	}
	if name, _, secret := strings.Cut(login, ":"); secret {
		return Source{}, "", fmt.Errorf("it holds a password, which everybody who sees a process or a listing can read; leave it out and let git's credential helper answer")
	} else if scheme == "ssh" {
		s.user = name
	}
	host, port, err := cutPort(host)
	if err != nil {
		return Source{}, "", err
	}
	where, err = url.PathUnescape(where)
	if err != nil {
		return Source{}, "", fmt.Errorf("its path holds a %% that stands for nothing")
	}
	s, ref, err = s.finish(host, port, where, ref)
	if err == nil && s.scheme == "http" && !allow.Plain && !loopback.Is(strings.Trim(s.host, "[]")) {
		err = fmt.Errorf("over http:// anybody on the way can change what comes; write https://")
	}
	return s, ref, err
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return "", "", false
}

// cutPort takes a port from behind a host.
func cutPort(host string) (name, port string, err error) {
	end := strings.LastIndexByte(host, ':')
	if end < 0 || strings.HasSuffix(host, "]") {
		return host, "", nil
	}
	name, port = host[:end], strings.TrimLeft(host[end+1:], "0")
	if strings.Trim(port, "0123456789") != "" || len(port) > 5 {
		return "", "", fmt.Errorf("its port is no number")
	}
	return name, port, nil
}

// defaultPorts are what a scheme means without a port.
var defaultPorts = map[string]string{"https": "443", "http": "80", "ssh": "22"}

// finish checks the parts, and brings them into the one form that each has.
func (s Source) finish(host, port, where, ref string) (Source, string, error) {
	var err error
	if s.host, err = cleanHost(host); err != nil {
		return Source{}, "", err
	}
	if s.user != "" && !userRE.MatchString(s.user) {
		return Source{}, "", fmt.Errorf("the name before @ is none that anybody logs in with")
	}
	if port != defaultPorts[s.scheme] {
		s.port = port
	}
	if s.path, err = cleanPath(where); err != nil {
		return Source{}, "", err
	}
	return s, ref, nil
}

// cleanHost is a host in lower case. What begins with a dash, and numbers that are
// another's address in disguise, are refused.
func cleanHost(host string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if inner, v6 := strings.CutPrefix(host, "["); v6 {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		switch {
		case err != nil || ip.Zone() != "" || !strings.HasSuffix(inner, "]"):
			return "", fmt.Errorf("its host is no address")
		case ip.Unmap().Is4():
			return ip.Unmap().String(), nil
		}
		return "[" + ip.String() + "]", nil
	}
	if !hostRE.MatchString(host) {
		return "", fmt.Errorf("its host is no name of a machine: a-z, 0-9, '.' and '-' between them; write another script's name as xn--")
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last[0] >= '0' && last[0] <= '9' {
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return "", fmt.Errorf("its host is an odd form of an address; write four numbers with dots")
		}
		return ip.String(), nil
	}
	return host, nil
}

// cleanPath is a path on a host in its one form.
func cleanPath(p string) (string, error) {
	switch {
	case strings.ContainsFunc(p, ext.Hidden), strings.Contains(p, `\`):
		return "", fmt.Errorf("its path holds characters that no repository's has")
	case strings.HasPrefix(p, "-"), strings.HasPrefix(p, "/-"), strings.HasPrefix(p, "/~-"):
		return "", fmt.Errorf("its path begins with -, which programs take for an option")
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." || part == "." {
			return "", fmt.Errorf("its path holds .. or .; write the path that is meant")
		}
	}
	rooted := strings.HasPrefix(p, "/")
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	if p == "" {
		return "", fmt.Errorf("it names a host and no repository")
	}
	if rooted {
		p = "/" + p
	}
	return p, nil
}

// local is a repository of this machine.
func local(p string, allow Allow) (Source, error) {
	if !allow.Local {
		return Source{}, fmt.Errorf("it is a path of this machine, and an address is wanted")
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return Source{}, err
	}
	return Source{scheme: "file", path: filepath.ToSlash(abs)}, nil
}
