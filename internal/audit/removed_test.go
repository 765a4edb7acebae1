//go:build unix

package audit

import (
	"context"
	"os"
	"strings"
	"testing"
)

// What is written to a file that nothing leads to any more is not kept: an answer
// that has to last is refused, and what follows is kept in another segment.
func TestRemovedSegmentIsNoticed(t *testing.T) {
	for _, c := range []struct {
		what string
		take func(file string) error
	}{
		{"removed", os.Remove},
		{"replaced", func(file string) error {
			if err := os.Rename(file, file+".old"); err != nil {
				return err
			}
			return os.WriteFile(file, nil, 0o600)
		}},
	} {
		dir := logDir(t)
		l := open(t, dir, Options{})
		ctx := context.Background()
		if err := l.Append(ctx, sample("before"), Durable); err != nil {
			t.Fatal(err)
		}
		if err := c.take(l.file.Name()); err != nil {
			t.Fatal(err)
		}
		if err := l.Append(ctx, sample("lost"), Durable); err == nil || !strings.Contains(err.Error(), "was removed or replaced") {
			t.Errorf("%s: got %v, want the answer refused", c.what, err)
		}
		if err := l.Append(ctx, sample("after"), Durable); err != nil {
			t.Errorf("%s: the next record: %v", c.what, err)
		}
		if found := strings.Join(ids(t, dir, Query{}), " "); found != "after" {
			t.Errorf("%s: got the records %q, want what was kept afterwards", c.what, found)
		}
	}
}
