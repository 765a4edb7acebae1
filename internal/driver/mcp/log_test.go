package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLogBounded wants a server that prints without end to fill two files of
// bounded size, the newer lines in the first.
func TestLogBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "log")
	j := &journal{path: path}
	synctest.Test(t, func(*testing.T) {
		for i := range 40_000 {
			fmt.Fprintf(j, "line %d %s\n", i, strings.Repeat("x", 60))
			if i%flowRate == 0 {
				<-time.After(time.Second) // so that no line is left out
			}
		}
		fmt.Fprint(j, "no line end")
		j.noise([]byte(strings.Repeat("y", maxLog)))
		j.close()
	})
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil || info.Size() > maxLog || info.Size() == 0 {
			t.Errorf("%s: got %v, %v; want some of at most 1 MiB", name, info, err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), "line 39999 ") || !strings.Contains(string(b), "stderr no line end\n") {
		t.Errorf("the newer file: got %d bytes, %v; want the last lines in it", len(b), err)
	}
	if tail := j.lines(); len(tail) != maxTail || tail[maxTail-1] != "no line end" {
		t.Errorf("tail: got %q, want the last %d lines", tail, maxTail)
	}
}

// TestLogAfterRestart wants a file that is there to be gone on with.
func TestLogAfterRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for range 2 {
		j := &journal{path: path}
		j.note("hello")
		j.close()
		j.note("nothing comes after")
	}
	b, err := os.ReadFile(path)
	if err != nil || strings.Count(string(b), "note hello\n") != 2 || strings.Contains(string(b), "nothing") {
		t.Errorf("got %q, %v; want both notes and no more", b, err)
	}
}

// TestLogUnwritable wants a log that cannot be written to cost nothing but
// itself, and not to be named.
func TestLogUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := &journal{path: filepath.Join(file, "log")}
	fmt.Fprintln(j, "hello\x1b[0m")
	if got := j.lines(); !slices.Equal(got, []string{`hello\x1b[0m`}) || j.where() != "" {
		t.Errorf("got %q and a log at %q, want the line, escaped, and no log", got, j.where())
	}
}

func TestLogHides(t *testing.T) {
	j := &journal{}
	j.hide([]Pair{{"TOKEN", "0123456789"}, {"LONGER", "0123456789abc"}, {"FLAG", "true"}}, []Pair{{"Authorization", "Bearer secret-word"}})
	for in, want := range map[string]string{
		"x 0123456789abc y 0123456789": "x [$LONGER] y [$TOKEN]",
		"true":                         "true",
		"Bearer secret-word":           "[Authorization]",
		"secret-word!":                 "[Authorization]!",
	} {
		if got := j.shown(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// floods are the ways in which a server can have lines written without end.
func floods(j *journal) map[string]func(i int) {
	return map[string]func(int){
		"standard error": func(i int) { fmt.Fprintf(j, "flood %d\x1b\n", i) },
		"noise":          func(i int) { j.noise(fmt.Appendf(nil, "flood %d\x1b", i)) },
		"requests": func(i int) {
			j.remark(func() string { return fmt.Sprintf("flood %d", i) })
		},
	}
}

// TestLogFlood wants a server that has lines written without end to get some
// of them into its log, those that were left out to be counted there, what we
// say ourselves to be written always, and a quiet server to be written again.
func TestLogFlood(t *testing.T) {
	for name := range floods(nil) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			synctest.Test(t, func(*testing.T) {
				j := &journal{path: path}
				flood := floods(j)[name]
				for i := range 100_000 {
					if flood(i); i%10_000 == 9_999 {
						<-time.After(time.Second)
					}
				}
				j.note("ours")
				<-time.After(time.Second)
				flood(100_000)
				j.close()
			})
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			log := string(b)
			written := strings.Count(log, " flood ")
			left := 0
			for line := range strings.Lines(log) {
				n := 0
				if _, rest, ok := strings.Cut(line, " note "); ok && strings.Contains(rest, "lines were left out") {
					fmt.Sscan(rest, &n)
				}
				left += n
			}
			if written < 10*flowRate || written > flowBurst+11*flowRate || written+left != 100_001 {
				t.Errorf("got %d lines, and %d that were left out, want some hundred a second and all %d counted", written, left, 100_001)
			}
			if !strings.Contains(log, "note ours\n") || !strings.Contains(log, "flood 100000") {
				t.Errorf("got a log of %d bytes without our note or the last line, want both", len(log))
			}
		})
	}
}

// TestLogFloodLastLines wants a status to show the last lines of standard error
// although the log has not got them, and what is left out to cost nothing.
func TestLogFloodLastLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	synctest.Test(t, func(t *testing.T) {
		j := &journal{path: path}
		j.hide([]Pair{{"TOKEN", "0123456789"}}, nil)
		line := []byte("\x1b[1mline\x1b[0m 0123456789\n")
		for range 2 * flowBurst {
			j.Write(line)
		}
		if n := testing.AllocsPerRun(1000, func() { j.Write(line) }); n != 0 {
			t.Errorf("a line that is left out: got %v allocations, want none", n)
		}
		var want []string
		for i := range maxTail {
			fmt.Fprintf(j, "last %d\x1b of 0123456789\n", i)
			want = append(want, fmt.Sprintf(`last %d\x1b of [$TOKEN]`, i))
		}
		if got := j.lines(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		j.close()
	})
	if b, err := os.ReadFile(path); err != nil || strings.Contains(string(b), "last 9") {
		t.Errorf("the log: got %d bytes, %v; want the last lines left out of it", len(b), err)
	}
}

// TestLogComesBack wants a file that could not be written, for a disk that was
// full or too many open files, to be tried again after a while.
func TestLogComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "logs")
		if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where a directory must be
			t.Fatal(err)
		}
		j := &journal{path: filepath.Join(dir, "s.log")}
		defer j.close()
		j.note("lost")
		if j.where() != "" {
			t.Error("where: got a file that cannot be written")
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		j.note("lost too")
		time.Sleep(logPause)
		j.note("kept")
		b, err := os.ReadFile(j.where())
		if err != nil || strings.Count(string(b), "\n") != 1 || !strings.Contains(string(b), "note kept") {
			t.Errorf("got %q, %v, want the line after the pause", b, err)
		}
	})
}
