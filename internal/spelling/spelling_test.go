package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"trust", "trust.whole", "limits.file_bytes", "limits.files", "output.color", "server.startup_timeout_sec", "owner.path"}
	for _, c := range []struct{ name, want string }{
		{"trust.hole", "trust.whole"},
		{"trsut", "trust"},
		{"whole", "trust.whole"},
		{"limits.whole", "trust.whole"},
		{"Trust.Whole", "trust.whole"},
		{"server.startup_timeout_ms", "server.startup_timeout_sec"},
		{"limits.max_files", "limits.files"},
		{"limits.file", "limits.files"},
		{"colour", "output.color"},
		{"limit.files", "limits.files"},
		{"limits.banana", ""},
		{"", ""},
		{"x", ""},
	} {
		if got := Nearest(c.name, known); got != c.want {
			t.Errorf("Nearest(%q): got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("Nearest among nothing: got %q, want nothing", got)
	}
}
