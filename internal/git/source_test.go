package git

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// Every way to write one source is one source.
func TestIdentity(t *testing.T) {
	for want, spellings := range map[string][]string{
		"github.com/acme/tools": {
			"acme/tools", "Acme/Tools", "acme/tools.git", "https://github.com/acme/tools", "https://github.com/acme/tools.git", "https://github.com/acme/tools/",
			"HTTPS://GitHub.com:443/acme/tools.git/", "https://github.com./acme//tools", "https://me@github.com/acme/tools", "https://github.com/acme/%74ools",
			"https://www.github.com/acme/tools", "git@github.com:acme/tools.git", "github.com:acme/tools", "ssh://git@github.com/acme/tools", "ssh://git@github.com:22/acme/tools.git",
			"ssh://git@ssh.github.com:443/acme/tools.git", "git+ssh://git@github.com/acme/tools", "git@github.com:/acme/tools", "acme/tools@v1", "acme/tools#main", "https://github.com/acme/tools#v1",
			"https://github.com/acme/tools.git@v1.0", "git@github.com:acme/tools.git@v1",
		},
		"example.com/Team/Tool":      {"https://example.com/Team/Tool", "https://EXAMPLE.com/Team/Tool.git", "ssh://a@example.com/Team/Tool", "b@example.com:Team/Tool.git"},
		"example.com/team/tool":      {"https://example.com/team/tool"},
		"example.com:8443/team/tool": {"https://example.com:8443/team/tool", "https://example.com:08443/team/tool.git"},
		"127.0.0.1:80/x":             {"https://127.0.0.1:80/x"},
		"127.0.0.1/x":                {"http://127.0.0.1/x", "http://[::ffff:127.0.0.1]/x", "https://127.0.0.1/x"},
		"[::1]/x":                    {"http://[::1]/x", "http://[0:0::1]:80/x"},
		"localhost:99/x":             {"http://localhost:99/x.git"},
		"file:///srv/x":              {"file:///srv/x", "/srv/x", "/srv/./x/", "file:///srv/%78", "file://localhost/srv/x", "/srv/x/.git"},
	} {
		for _, text := range spellings {
			s, _, err := Parse(text, Allow{Local: true})
			if err != nil || s.Identity() != want {
				t.Errorf("Parse(%s): got %s, %v, want %s", text, s.Identity(), err, want)
				continue
			}
			again, ref, err := Parse(s.String(), Allow{Local: true})
			if err != nil || ref != "" || again.Identity() != want {
				t.Errorf("Parse(%s), which is %s: got %s, %q, %v, want the same", text, s, again.Identity(), ref, err)
			}
		}
	}
	s, _, err := Parse("https://example.com/Team/Tool", Allow{})
	if err != nil || s.Folded() != "example.com/team/tool" {
		t.Errorf("Folded: got %s, %v", s.Folded(), err)
	}
}

// A reference stands behind a source, and is one.
func TestParseRef(t *testing.T) {
	for text, want := range map[string]string{
		"acme/tools": "", "acme/tools@v1.2": "v1.2", "acme/tools#feature/x": "feature/x", "acme/tools@feature/x": "feature/x", "https://h.example/a/b@v1": "v1",
		"https://me@h.example/a/b#v1": "v1", "git@h.example:a/b": "", "git@h.example:a/b.git#v1": "v1", "git@h.example:a/b@v1": "v1", "ssh://git@h.example/a/b": "",
	} {
		if _, ref, err := Parse(text, Allow{}); err != nil || ref != want {
			t.Errorf("Parse(%s): got %q, %v, want %q", text, ref, err, want)
		}
	}
}

// What would have git run something, reach what was not meant, or show a secret is
// refused, with what to write.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "empty", "--upload-pack=touch x": "option", "-oProxyCommand=x": "option", "ext::sh -c touch": "names a program", "fd::17": "names a program",
		"ssh://-oProxyCommand=touch/x": "host", "ssh://-x@host/x": "logs in", "-x@host:p": "option", "git@-host:p": "host", "ssh://host:-1/x": "port", "ssh://host:99999999/x": "port",
		"https://h.example/-x": "option", "git@h.example:-x/y": "option", "git@h.example:/-x": "option", "acme/tools@-x": "option", "acme/tools#--upload-pack=x": "option", "acme/tools#a/-b": "dash",
		"http://h.example/x": "https://", "git://h.example/x": "git://", "ftp://h.example/x": "ftp://", "http://127.0.0.1.example.com/x": "https://",
		"https://user:secret@h.example/x": "password", "https://h.example": "no repository", "https://h.example/": "no repository", "https://h.example/a/../b": "..", "https://h.example/a/%2e%2e/b": "..",
		"https://h.example/a?x=y": "?", "https://h.example/a%zz": "%", "https://2130706433/x": "odd form", "https://0x7f.1/x": "odd form", "https://127.1/x": "odd form", "https://0177.0.0.1/x": "odd form",
		"https://h\u200b.example/x": "do not show", "https://bücher.example/x": "xn--", "https://h.example/a\\b": "characters", "https://h.example/%0a": "characters", "https://[fe80::1%25eth0]/x": "host",
		"/srv/x": "address is wanted", "./x": "address is wanted", "file:///srv/x": "address is wanted", "tools": "no address", "a/b/c": "no address", "a b": "no address",
		"acme/tools@v1..2": "reference", "acme/tools@a b": "reference", "acme/tools@x.lock": "reference", "acme/tools@v1^{}": "reference", "acme/tools@:x": "reference", "acme/tools@+x:y": "reference",
	} {
		_, _, err := Parse(text, Allow{})
		if err == nil || !strings.Contains(err.Error(), want) || ext.KindOf(err) != ext.Usage {
			t.Errorf("Parse(%s): got %v, want a usage error with %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%s): %v holds the secret", text, err)
		}
	}
	if _, _, err := Parse("http://h.example/x", Allow{Plain: true}); err != nil {
		t.Errorf("http where it is allowed: %v", err)
	}
}

// FuzzParse wants whatever is parsed to be an address that git cannot take for
// anything else, and to be the same source when it is read again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"acme/tools", "git@h:a", "https://h/a@b#c", "ssh://u@h:22/~x/y", "/x y", "file:///%2e", "ext::x", "-x", "h:~a/b", "http://[::1]:80/x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ref, err := Parse(text, Allow{Local: true, Plain: true})
		if err != nil {
			return
		}
		address := s.String()
		if strings.HasPrefix(address, "-") || strings.HasPrefix(ref, "-") || strings.Contains(s.host, "-o") && strings.HasPrefix(s.host, "-") {
			t.Errorf("%q: address %q, reference %q", text, address, ref)
		}
		if i := strings.Index(address, "::"); i >= 0 && !strings.Contains(address[:i], "/") && !strings.Contains(address[:i], "[") {
			t.Errorf("%q: address %q names a program", text, address)
		}
		again, ref2, err := Parse(address, Allow{Local: true, Plain: true})
		if err != nil || ref2 != "" || again.Identity() != s.Identity() {
			t.Errorf("%q: address %q is read as %q, %q, %v, want %q", text, address, again.Identity(), ref2, err, s.Identity())
		}
	})
}
