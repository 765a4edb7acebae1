package audit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// three makes a log of three chains: the first has several segments and was
// closed, the second was killed, the third is the last and was closed.
func three(t testing.TB) (dir string, chains [][]string) {
	t.Helper()
	dir = logDir(t)
	a := open(t, dir, Options{SegmentSize: 2000})
	write(t, a, numbered("a", 1, 12)...)
	closeLog(t, a)
	b := open(t, dir, Options{})
	write(t, b, numbered("b", 1, 6)...)
	b.abandon()
	c := open(t, dir, Options{})
	write(t, c, numbered("c", 1, 3)...)
	closeLog(t, c)
	names, _ := segments(dir)
	for _, chain := range byChain(names) {
		var paths []string
		for _, n := range chain {
			paths = append(paths, filepath.Join(dir, n.String()))
		}
		chains = append(chains, paths)
	}
	if len(chains) != 3 || len(chains[0]) < 3 {
		t.Fatalf("the log has chains %v, want 3 of which the first has 3 segments", chains)
	}
	return dir, chains
}

// edit changes the lines of a file, which keep their line feeds.
func edit(t testing.TB, path string, change func(lines [][]byte) [][]byte) {
	t.Helper()
	lines := bytes.SplitAfter(readFile(t, path), []byte("\n"))
	writeFile(t, path, bytes.Join(change(lines[:len(lines)-1]), nil))
}

// Whatever is done to a log that its writer did not do is found, with its place.
func TestTampering(t *testing.T) {
	remove := func(paths ...string) {
		for _, p := range paths {
			if err := os.Remove(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		tamper func(t *testing.T, dir string, a, b, c []string)
		want   string // CHAIN, if in it, is the name of the chain meant
	}{
		{"a changed byte", func(t *testing.T, _ string, a, _, _ []string) {
			writeFile(t, a[0], bytes.Replace(readFile(t, a[0]), []byte("search_query"), []byte("search_quera"), 1))
		}, ".000001.jsonl:4: it does not name the line before"},
		{"a changed byte in the last line of a chain that was not closed", func(t *testing.T, _ string, _, b, _ []string) {
			edit(t, b[0], func(l [][]byte) [][]byte {
				last := len(l) - 1
				l[last] = bytes.Replace(l[last], []byte("allowed"), []byte("denied!"), 1)
				return l
			})
		}, "it was changed: record 7"},
		{"a changed outcome in the last record before the end", func(t *testing.T, _ string, _, _, c []string) {
			edit(t, c[0], func(l [][]byte) [][]byte {
				last := len(l) - 2
				l[last] = bytes.Replace(l[last], []byte("allowed"), []byte("denied!"), 1)
				return l
			})
		}, "it does not name the line before"},
		{"a removed line", func(t *testing.T, _ string, a, _, _ []string) {
			edit(t, a[1], func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) })
		}, "lines are missing"},
		{"an added line", func(t *testing.T, _ string, a, _, _ []string) {
			edit(t, a[1], func(l [][]byte) [][]byte { return slices.Insert(l, 2, l[1]) })
		}, "lines are missing, added"},
		{"swapped lines", func(t *testing.T, _ string, a, _, _ []string) {
			edit(t, a[1], func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l })
		}, "another order"},
		{"a changed header", func(t *testing.T, _ string, a, _, _ []string) {
			writeFile(t, a[1], bytes.Replace(readFile(t, a[1]), []byte(`"pid":`), []byte(`"pid":1`), 1))
		}, ".000002.jsonl:2: it does not name the line before"},
		{"another spelling of the header", func(t *testing.T, _ string, a, _, _ []string) {
			writeFile(t, a[1], bytes.Replace(readFile(t, a[1]), []byte(`"pid":`), []byte(`"pid": `), 1))
		}, ":1: its header is not as it was written"},
		{"a segment that is cut in the middle", func(t *testing.T, _ string, a, _, _ []string) {
			os.Truncate(a[1], 900)
		}, "the last line is not whole, and another segment follows"},
		{"a segment that is cut behind a line", func(t *testing.T, _ string, a, _, _ []string) {
			edit(t, a[1], func(l [][]byte) [][]byte { return l[:len(l)-2] })
		}, "does not continue the segment before"},
		{"a last segment that is cut, of a chain that was closed", func(t *testing.T, _ string, a, _, _ []string) {
			edit(t, a[len(a)-1], func(l [][]byte) [][]byte { return l[:len(l)-1] })
		}, "it was cut"},
		{"the end of a chain that was not closed", func(t *testing.T, _ string, _, b, _ []string) {
			edit(t, b[0], func(l [][]byte) [][]byte { return l[:len(l)-2] })
		}, "it was cut"},
		{"two last lines made one", func(t *testing.T, _ string, _, _, c []string) {
			edit(t, c[0], func(l [][]byte) [][]byte { l[len(l)-2][len(l[len(l)-2])-1] = ' '; return l })
		}, ":5: it is not JSON"},
		{"a line behind the end", func(t *testing.T, _ string, _, _, c []string) {
			edit(t, c[0], func(l [][]byte) [][]byte { return append(l, l[2]) })
		}, "c[0]"},
		{"a segment that is cut in its header", func(t *testing.T, _ string, a, _, _ []string) { os.Truncate(a[0], 5) }, "it has no header"},
		{"an emptied segment", func(t *testing.T, _ string, a, _, _ []string) { os.Truncate(a[0], 0) }, "it has no header"},
		{"a removed first segment", func(t *testing.T, _ string, a, _, _ []string) { remove(a[0]) }, "missing segment CHAIN.000001.jsonl"},
		{"a removed segment between others", func(t *testing.T, _ string, a, _, _ []string) { remove(a[1]) }, "missing segment CHAIN.000002.jsonl"},
		{"a removed last segment", func(t *testing.T, _ string, a, _, _ []string) { remove(a[len(a)-1]) }, "missing segment CHAIN.00000"},
		{"a removed last segment, and everybody who saw it", func(t *testing.T, _ string, a, b, c []string) {
			remove(a[len(a)-1], b[0], c[0])
		}, "missing segment CHAIN.00000"},
		{"a removed chain", func(t *testing.T, _ string, a, _, _ []string) { remove(a...) }, "missing chain CHAIN"},
		{"a removed chain, and who came next", func(t *testing.T, _ string, a, b, _ []string) { remove(append(a, b...)...) }, "missing chain CHAIN"},
		{"a segment that is a link", func(t *testing.T, _ string, a, _, _ []string) {
			if runtime.GOOS == "windows" {
				t.Skip("links need a privilege")
			}
			if err := relink(a[1]); err != nil {
				t.Fatal(err)
			}
		}, ".000002.jsonl: "},
		{"a segment under another name", func(t *testing.T, dir string, a, b, _ []string) {
			os.Remove(b[0])
			writeFile(t, b[0], readFile(t, a[0]))
		}, "that of another segment"},
		{"a checkpoint that no longer names a chain", func(t *testing.T, _ string, _, b, _ []string) {
			edit(t, b[0], func(l [][]byte) [][]byte {
				i := bytes.Index(l[1], []byte(`"heads":`))
				j := bytes.Index(l[1], []byte(`,"signature"`))
				l[1] = slices.Concat(l[1][:i], []byte("}"), l[1][j:])
				return l
			})
		}, ":2: the checkpoint's signature does not fit"},
		{"a checkpoint without a signature", func(t *testing.T, _ string, _, b, _ []string) {
			edit(t, b[0], func(l [][]byte) [][]byte {
				l[1] = append(l[1][:bytes.Index(l[1], []byte(`,"signature"`))], "}\n"...)
				return l
			})
		}, ":2: the checkpoint is not signed"},
		{"another spelling of the last signature", func(t *testing.T, _ string, _, _, c []string) {
			edit(t, c[0], func(l [][]byte) [][]byte {
				last := len(l) - 1
				i := bytes.Index(l[last], []byte(signature)) + len(signature)
				l[last] = slices.Concat(l[last][:i], bytes.ToUpper(l[last][i:len(l[last])]))
				return l
			})
		}, "signature does not fit"},
		{"another key", func(t *testing.T, dir string, _, _, _ []string) {
			remove(filepath.Join(dir, keyFile))
			open(t, dir, Options{})
		}, "signed with another key"},
		{"no key", func(t *testing.T, dir string, _, _, _ []string) { remove(filepath.Join(dir, keyFile)) }, "the key is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, chains := three(t)
			checkOK(t, dir)
			c.tamper(t, dir, chains[0], chains[1], chains[2])
			name, _ := parseName(filepath.Base(chains[0][0]))
			want := strings.ReplaceAll(c.want, "CHAIN", name.chain)
			if want == "c[0]" {
				want = "broken " + filepath.Base(chains[2][0]) + ":7: "
			}
			if got := faults(check(t, dir)); !strings.Contains(got, want) {
				t.Errorf("Verify: got\n%s\nwant %q in it", got, want)
			}
		})
	}
}

// Who can write the files but has no key cannot account for what they took away.
func TestForgedCheckpoint(t *testing.T) {
	dir, chains := three(t)
	victim := chains[0]
	forger := open(t, logDir(t), Options{}) // has a key of its own
	last := chains[1][0]
	end, err := headOfFile(t, last)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := parseName(filepath.Base(victim[0]))
	c := Checkpoint{Dropped: []Dropped{{File: segmentName{n.chain, len(victim)}.String(), From: 1, Records: 15, First: 1, Last: 15, Hash: strings.Repeat("0", 64)}}}
	body, _ := c.body()
	forger.at, forger.last = end.mark, forger.o.Now()
	line, _ := forger.compose(body, true)
	writeFile(t, last, append(readFile(t, last), line...))
	for _, f := range victim {
		os.Remove(f)
	}
	r := check(t, dir)
	if got := faults(r); !strings.Contains(got, "signature does not fit") || !strings.Contains(got, "missing chain "+n.chain) || len(r.Gaps) != 0 {
		t.Errorf("Verify: got %s, want a signature that does not fit, and a missing chain", dump(r))
	}
}

func headOfFile(t *testing.T, path string) (lastEnd, error) {
	f, info, err := openRegular(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, _ := parseName(filepath.Base(path))
	return lastLine(f, info.Size(), n)
}

// A true checkpoint accounts for what it names at its own place only.
func TestReplayedCheckpoint(t *testing.T) {
	dir, chains := three(t)
	l := open(t, dir, Options{})
	write(t, l, "d1")
	if dropped, err := l.Drop(context.Background(), Keep{Size: 1}); err != nil || len(dropped) != len(chains[0])+2 {
		t.Fatalf("Drop: got %v %v, want all segments but the one that is written", dropped, err)
	}
	closeLog(t, l)
	checkOK(t, dir)
	var lines []string
	for e := range Read(dir, Query{Kind: KindCheckpoint, OldestFirst: true}) {
		lines = append(lines, string(e.Line))
	}
	m := open(t, dir, Options{})
	write(t, m, "e1")
	m.abandon()
	all := files(t, dir)
	writeFile(t, all[len(all)-1], append(readFile(t, all[len(all)-1]), lines[1]+"\n"...))
	if got := faults(check(t, dir)); !strings.Contains(got, "its number is") && !strings.Contains(got, "does not name the line before") {
		t.Errorf("Verify: got %q, want that a line is not in its place", got)
	}
}

// What a crash leaves is told, and is nobody's fault.
func TestCrashIsNoted(t *testing.T) {
	for _, c := range []struct {
		name  string
		crash func(t *testing.T, dir, last string)
		want  string
	}{
		{"killed between two records", func(*testing.T, string, string) {}, "the chain was not closed"},
		{"killed in a record", func(t *testing.T, _, last string) {
			writeFile(t, last, append(readFile(t, last), `{"seq":5,"prev":"00`...))
		}, "the last line is not whole (19 bytes)"},
		{"killed before a header", func(t *testing.T, dir, _ string) {
			writeFile(t, filepath.Join(dir, segmentName{newChain(newClock().Now()), 1}.String()), nil)
		}, "made and not begun"},
		{"killed in a header", func(t *testing.T, dir, _ string) {
			writeFile(t, filepath.Join(dir, segmentName{newChain(newClock().Now()), 1}.String()), []byte(`{"mort`))
		}, "made and not begun"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := logDir(t)
			l := open(t, dir, Options{})
			write(t, l, numbered("a", 1, 3)...)
			l.abandon()
			c.crash(t, dir, files(t, dir)[len(files(t, dir))-1])
			if r := checkOK(t, dir); !strings.Contains(notes(r), c.want) {
				t.Errorf("notes: got %q, want %q in it", notes(r), c.want)
			}
			for _, q := range []Query{{}, {OldestFirst: true}} {
				if got := ids(t, dir, q); len(got) != 3 {
					t.Errorf("Read(%+v): got %v, want 3 records", q, got)
				}
			}
		})
	}
}

// A process may end between the next segment and the line that leads to it.
func TestKilledBetweenSegments(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SegmentSize: 2000})
	write(t, l, numbered("a", 1, 4)...)
	l.mu.Lock()
	before := l.at
	err := l.turn(l.last)
	l.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	l.abandon()
	all := files(t, dir)
	if len(all) != 2 {
		t.Fatalf("segments: got %v, want 2", all)
	}
	checkOK(t, dir)
	os.Truncate(all[0], before.size)
	if r := checkOK(t, dir); !strings.Contains(notes(r), "between this segment and the one before") {
		t.Errorf("notes: got %q, want that the process ended between segments", notes(r))
	}
}

func TestNothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if r := checkOK(t, dir); r.Chains != 0 {
		t.Errorf("Verify: got %s, want nothing", dump(r))
	}
	if got := ids(t, dir, Query{}); len(got) != 0 {
		t.Errorf("Read: got %v, want nothing", got)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("looking made the directory")
	}
}

func TestVerifyEnds(t *testing.T) {
	dir, _ := three(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ctx, dir); err == nil {
		t.Error("Verify: got no error, want that it was cancelled")
	}
}

// Read relies on it that times are in order.
func TestTimesAreVerified(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	write(t, l, "a1")
	l.mu.Lock()
	l.last = l.last.AddDate(-1, 0, 0)
	e := encoder{salt: &l.salt}
	r := sample("a2")
	e.body(&r)
	err := l.put(l.compose(e.b, false))
	l.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if got := faults(check(t, dir)); !strings.Contains(got, "older than the line before") {
		t.Errorf("Verify: got %q, want that a line is older than the one before", got)
	}
}
