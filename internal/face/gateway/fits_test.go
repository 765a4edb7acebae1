package gateway

import "testing"

func TestFits(t *testing.T) {
	for _, c := range []struct {
		template, uri string
		want          bool
	}{
		{"a://x", "a://x", true},
		{"a://x", "a://y", false},
		{"a://{x}", "a://", true},
		{"a://{x}", "a://1", true},
		{"a://{x}", "b://1", false},
		{"a://{x}/end", "a://1/end", true},
		{"a://{x}/end", "a://1/en", false},
		{"a://{x}/{y}", "a://1/2", true},
		{"a://{x}/{y}", "a://1", false},
		{"a://{x}-m-{y}/end", "a://1-m-2/end", true},
		{"a://{x}-m-{y}/end", "a://1/end", false},
		{"a://b{x}bc", "a://bc", false},
		{"a://b{x}bc", "a://bbc", true},
		{"a://{+path}{?q,r*}", "a://b/c?q=1", true},
		{"a://{x", "a://{x", true},
	} {
		if got := fits(c.template, c.uri); got != c.want {
			t.Errorf("fits(%s, %s): got %v, want %v", c.template, c.uri, got, c.want)
		}
	}
}
