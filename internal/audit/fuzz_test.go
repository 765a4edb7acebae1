package audit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead holds that whatever lies in a segment, reading it both ways and
// verifying it end, without a panic, and that both ways find as many records.
func FuzzRead(f *testing.F) {
	dir, chains := three(f)
	for _, chain := range chains {
		for _, path := range chain {
			f.Add(readFile(f, path), readFile(f, path))
		}
	}
	f.Add([]byte("\n\n{\"seq\":1,"), []byte(`{"seq":1,"prev":"`))
	f.Add([]byte(nil), bytes.Repeat([]byte("x\n"), 100))
	key, first := readFile(f, filepath.Join(dir, keyFile)), filepath.Base(chains[0][0])
	second := filepath.Base(chains[0][1])
	f.Fuzz(func(t *testing.T, a, b []byte) {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, keyFile), key, 0o600)
		os.WriteFile(filepath.Join(dir, first), a, 0o600)
		os.WriteFile(filepath.Join(dir, second), b, 0o600)
		count := func(q Query) (n int) {
			for _, err := range Read(dir, q) {
				if err == nil {
					n++
				}
			}
			return n
		}
		one, two := count(Query{Checkpoints: true}), count(Query{Checkpoints: true, OldestFirst: true})
		if one != two {
			t.Errorf("newest first there are %d records, oldest first %d", one, two)
		}
		if _, err := Verify(context.Background(), dir); err != nil {
			t.Error(err)
		}
		l, err := Open(dir, Options{})
		if err != nil {
			t.Skip(err) // no temporary directory is private everywhere
		}
		if err := l.Append(context.Background(), sample("a"), Written); err != nil {
			t.Error(err)
		}
		if _, err := l.Drop(context.Background(), Keep{Size: 1}); err != nil {
			t.Error(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzSummarize holds that no arguments are too odd, and that the same ones always
// have the same hash.
func FuzzSummarize(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"a":[1,{"b":"\u00e9"}]}`, `"\ud800"`, `[[[[]]]]`, `{"a":1,"a":{}}`, `{"\u0000":tru`, " 1 "} {
		f.Add([]byte(s))
	}
	s := &salt{1}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, b := summarize(raw, s, 100), summarize(bytes.Clone(raw), s, 100)
		if a.Hash != b.Hash {
			t.Errorf("%q: got %s and %s", raw, a.Hash, b.Hash)
		}
		e := encoder{salt: s}
		r := sample("a")
		r.Arguments = a
		if err := r.check(); err != nil {
			t.Errorf("%q: %v", raw, err)
		}
		e.body(&r)
		line := append(appendFront(nil, mark{}, newClock().Now()), e.b...)
		if _, err := parseEntry(line, ""); err != nil || bytes.IndexByte(line, '\n') >= 0 {
			t.Errorf("%q: its line cannot be read: %v\n%s", raw, err, line)
		}
	})
}
