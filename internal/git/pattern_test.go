package git

import "testing"

// TestPatternCovers wants a rule to hold of a source however that is spelled
// (docs/security.md, 25), of what lies below it, and of nothing that only begins alike.
func TestPatternCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, source string
		covers, folded  bool
	}{
		{"github.com/acme", "acme/tools", true, true},
		{"github.com/acme", "https://GitHub.com/Acme/Tools.git", true, true},
		{"github.com/ACME/tools.git", "git@github.com:acme/tools", true, true},
		{"github.com/acme", "ssh://git@ssh.github.com:443/acme/tools", true, true},
		{"www.github.com/acme", "acme/tools", true, true},
		{"github.com/acme", "acme-evil/tools", false, false},
		{"github.com/acme/tool", "acme/tools", false, false},
		{"github.com", "acme/tools", true, true},
		{"github.com", "https://github.com.example.org/acme/tools", false, false},
		{"example.org/Team", "https://example.org/team/x", false, true},
		{"example.org/team", "https://example.org/team/../other/x", false, false},
		{"example.org/team", "https://example.org/%74eam/x", true, true},
		{"*.example.org", "https://a.b.example.org/x", true, true},
		{"*.example.org", "https://example.org/x", false, false},
		{"*.example.org", "https://notexample.org/x", false, false},
		{"example.org:8443/x", "https://example.org:8443/x/y", true, true},
		{"example.org/x", "https://example.org:8443/x/y", false, true},
		{"example.org", "ssh://git@example.org:2222/x/y", false, true},
		{"*.example.org", "https://a.example.org:8443/x", false, true},
		{"example.org:443", "https://example.org/x", true, true},
		{"example.org:8443", "https://example.org/x", false, false},
		{"example.org/x", "https://example.org:443/x/y", true, true},
		{"*", "acme/tools", true, true},
		{"*", "file:///srv/x", true, true},
		{"/srv/plugins", "file:///srv/plugins/a", true, true},
		{"/srv/plugins/", "file:///srv/plugins", true, true},
		{"/srv/plugins", "file:///srv/plugins-evil/a", false, false},
		{"/srv/plugins", "https://srv/plugins/a", false, false},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatalf("%s: %v", c.pattern, err)
		}
		s, _, err := Parse(c.source, Allow{Local: true})
		if err != nil {
			if c.covers || c.folded {
				t.Errorf("%s: %v", c.source, err)
			}
			continue
		}
		if covers, folded := p.Covers(s.Identity()), p.CoversFolded(s.Identity()); covers != c.covers || folded != c.folded {
			t.Errorf("%s of %s (%s): got %v and %v without case, want %v and %v", c.pattern, c.source, s.Identity(), covers, folded, c.covers, c.folded)
		}
	}
	for _, none := range []string{"", "-x", "ext::sh", "a b", "https://github.com/acme", "**", "*.", "git@github.com:acme", "host/../x"} {
		if p, err := ParsePattern(none); err == nil && none != "host/../x" {
			t.Errorf("%q: got %+v, want an error", none, p)
		}
	}
}
