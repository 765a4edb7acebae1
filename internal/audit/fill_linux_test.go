package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// fill is the process of TestFullDisk.
func fill(where string) (what string) {
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return "skip: " + err.Error()
	}
	if err := unix.Mount("tmpfs", where, "tmpfs", 0, "size=256k,mode=700"); err != nil {
		return "skip: " + err.Error()
	}
	dir, ballast := filepath.Join(where, "audit"), filepath.Join(where, "ballast")
	l, err := Open(dir, Options{})
	if err != nil {
		return err.Error()
	}
	if err := os.WriteFile(ballast, make([]byte, 100<<10), 0o600); err != nil {
		return err.Error()
	}
	var kept []string
	failed := 0
	for i := 0; failed < 20; i++ {
		id := fmt.Sprintf("a%d", i)
		if err := l.Append(context.Background(), sample(id), Durability(i%10 == 0)); err != nil {
			if !strings.Contains(err.Error(), "no space left") {
				return "Append on a full disk: " + err.Error()
			}
			failed++
			continue
		}
		if failed > 0 {
			return "Append went well on a full disk: " + id
		}
		kept = append(kept, id)
	}
	os.Remove(ballast)
	if err := l.Append(context.Background(), sample("after"), Durable); err != nil {
		return "Append with room again: " + err.Error()
	}
	if err := l.Close(); err != nil {
		return err.Error()
	}
	r, err := Verify(context.Background(), dir)
	if err != nil || !r.OK() {
		return fmt.Sprintf("Verify: %v %s", err, faults(r))
	}
	var got []string
	for e, err := range Read(dir, Query{OldestFirst: true}) {
		if err != nil {
			return err.Error()
		}
		got = append(got, e.ID)
	}
	if want := append(kept, "after"); !slices.Equal(got, want) {
		return fmt.Sprintf("Read: got %d records, want the %d that were acknowledged", len(got), len(want))
	}
	return "passed"
}
