package unseen

import (
	"strings"
	"testing"
)

// BenchmarkLookAt looks at a document of a megabyte.
func BenchmarkLookAt(b *testing.B) {
	for _, c := range []struct{ name, filling string }{
		{"ASCII", "Every entry has an origin.\n"}, {"typographic", "“Every entry” — has an origin…\n"}, {"Chinese", "每个条目都有来源。\n"}, {"Persian", "هر ورودی یک منشأ دارد و می\u200cتوان.\n"},
	} {
		text := strings.Repeat(c.filling, (1<<20)/len(c.filling))
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if seen := lookAt(text); seen.refused.n+seen.doubtful.n != 0 {
					b.Fatalf("got %+v, want nothing", seen)
				}
			}
		})
	}
}
