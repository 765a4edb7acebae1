package root

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

func TestRoot_is_a_file_system(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "plugin.json"), "{}")
		write(t, filepath.Join(dir, "skills/a/SKILL.md"), "# a")
		write(t, filepath.Join(dir, "skills/b/SKILL.md"), "")
		link(t, "a", filepath.Join(dir, "skills/c"))
		r := open(t, dir, opt)
		if err := fstest.TestFS(r, "plugin.json", "skills/a/SKILL.md", "skills/b/SKILL.md", "skills/c"); err != nil {
			t.Error(err)
		}
	})
}

func TestOpen_resolves_links_on_the_way_to_the_directory(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		base, dir := plant(t)
		write(t, filepath.Join(dir, "f"), "inside")
		link(t, "tree", filepath.Join(base, "alias"))
		r := open(t, filepath.Join(base, "alias"), opt)
		if r.Dir() != dir {
			t.Errorf("Dir: got %q, want %q", r.Dir(), dir)
		}
		if got, err := r.ReadFile("f"); err != nil || string(got) != "inside" {
			t.Errorf("ReadFile: got %q, %v", got, err)
		}
	})
}

func TestOpen_wants_a_directory(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "f"), "")
		for _, name := range []string{"f", "none"} {
			if r, err := Open(filepath.Join(dir, name), opt); err == nil {
				r.Close()
				t.Errorf("Open(%s): got no error", name)
			}
		}
	})
}

func TestReadLimit_returns_files_of_any_size_up_to_the_limit(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		r := open(t, dir, opt)
		for _, size := range []int{0, 1, 511, 512, 513, 4096, 100_000} {
			name := fmt.Sprintf("f%d", size)
			want := bytes.Repeat([]byte("x"), size)
			write(t, filepath.Join(dir, name), string(want))
			got, err := r.ReadLimit(name, int64(size))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("ReadLimit(%s, %d): got %d bytes, %v", name, size, len(got), err)
			}
			if size == 0 {
				continue
			}
			_, err = r.ReadLimit(name, int64(size-1))
			large, ok := errors.AsType[*TooLargeError](err)
			if !ok || *large != (TooLargeError{name, int64(size), int64(size - 1)}) {
				t.Errorf("ReadLimit(%s, %d): got %v, want a TooLargeError", name, size-1, err)
			}
		}
	})
}

// scripted is a file whose size and content a test writes.
type scripted struct {
	sizes []int64 // what each stat says; the last one stays
	body  []byte
	most  int // the largest buffer it was asked to fill
	chunk int // most bytes per read; 0 is no limit
}

func (s *scripted) stat() (fact, error) {
	size := s.sizes[0]
	if len(s.sizes) > 1 {
		s.sizes = s.sizes[1:]
	}
	return fact{size: size}, nil
}

func (s *scripted) pread(p []byte, off int64) (int, error) {
	s.most = max(s.most, int(off)+len(p))
	if off >= int64(len(s.body)) {
		return 0, nil
	}
	if s.chunk > 0 && len(p) > s.chunk {
		p = p[:s.chunk]
	}
	return copy(p, s.body[off:]), nil
}

func TestReadLimit_never_holds_more_than_the_limit_and_one_byte(t *testing.T) {
	for _, c := range []struct {
		name  string
		file  scripted
		limit int64
		want  int // bytes; -1: too large
	}{
		{"as it says", scripted{sizes: []int64{100}, body: make([]byte, 100)}, 1000, 100},
		{"in pieces", scripted{sizes: []int64{100}, body: make([]byte, 100), chunk: 7}, 1000, 100},
		{"shrinks", scripted{sizes: []int64{100}, body: make([]byte, 40)}, 1000, 40},
		{"grows once", scripted{sizes: []int64{100, 300}, body: make([]byte, 300)}, 1000, 300},
		{"grows without saying so", scripted{sizes: []int64{100}, body: make([]byte, 700)}, 1000, 700},
		{"grows to the limit", scripted{sizes: []int64{100}, body: make([]byte, 1000)}, 1000, 1000},
		{"grows over the limit", scripted{sizes: []int64{100}, body: make([]byte, 1001)}, 1000, -1},
		{"grows without end", scripted{sizes: []int64{100}, body: make([]byte, 1<<20)}, 1000, -1},
		{"says it is empty", scripted{sizes: []int64{0}, body: make([]byte, 900)}, 1000, 900},
		{"says it is empty, small limit", scripted{sizes: []int64{0}, body: make([]byte, 900)}, 10, -1},
		{"is empty, nothing allowed", scripted{sizes: []int64{0}}, 0, 0},
		{"negative limit", scripted{sizes: []int64{0}}, -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := readAll(&c.file, c.limit)
			if _, large := errors.AsType[*TooLargeError](err); large != (c.want < 0) || !large && (err != nil || len(got) != c.want) {
				t.Errorf("readAll: got %d bytes, %v; want %d", len(got), err, c.want)
			}
			if int64(c.file.most) > c.limit+1 {
				t.Errorf("readAll held %d bytes, want at most %d", c.file.most, c.limit+1)
			}
		})
	}
}

func TestReadLimit_of_a_file_that_others_append_to(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		file := filepath.Join(dir, "log")
		write(t, file, "")
		appended := strings.Repeat("0123456789", 2000)
		done := make(chan error, 1)
		go func() {
			f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
			for i := 0; err == nil && i < len(appended); i += 10 {
				_, err = f.WriteString(appended[i : i+10])
			}
			done <- errors.Join(err, f.Close())
		}()
		r := open(t, dir, opt)
		for last := 0; ; {
			got, err := r.ReadLimit("log", 15_000)
			if _, large := errors.AsType[*TooLargeError](err); large {
				break
			}
			if err != nil || len(got) < last || len(got) > 15_000 || !strings.HasPrefix(appended, string(got)) {
				t.Fatalf("ReadLimit: got %d bytes after %d, %v", len(got), last, err)
			}
			last = len(got)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

func TestReadDir_is_sorted_and_complete(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		want := map[string]bool{}
		for i := range 1200 { // more than one batch of the kernel's
			name := fmt.Sprintf("%x-%s", rand.Uint64(), strings.Repeat("n", i%50))
			want[name] = true
			write(t, filepath.Join(dir, "many", name), "")
		}
		r := open(t, dir, opt)
		got, err := r.ReadDir("many")
		if err != nil || len(got) != len(want) {
			t.Fatalf("ReadDir: got %d entries, %v; want %d", len(got), err, len(want))
		}
		for i, e := range got {
			if !want[e.Name()] || i > 0 && got[i-1].Name() >= e.Name() {
				t.Fatalf("ReadDir: entry %d is %q, unknown or out of order", i, e.Name())
			}
		}
	})
}

func TestReadDir_asks_Listing_first(t *testing.T) {
	_, dir := plant(t)
	write(t, filepath.Join(dir, "real/file"), "")
	known := fstest.MapFS{"memo/known": {}}
	r := open(t, dir, Options{Trace: true, Listing: func(dir string) ([]fs.DirEntry, bool) {
		entries, err := known.ReadDir(dir)
		return entries, err == nil && dir != "." // the root itself is not known
	}})
	for dir, want := range map[string]string{"memo": "known", "real": "file"} {
		got, err := r.ReadDir(dir)
		if err != nil || len(got) != 1 || got[0].Name() != want {
			t.Errorf("ReadDir(%s): got %v, %v; want %s", dir, got, err, want)
		}
	}
	if got := r.Trace(); len(got) != 1 || got[0].Path != "real" {
		t.Errorf("Trace: got %+v, want only what was listed by the root itself", got)
	}
}

// A walker that has listed a tree answers for what is not in it, so that
// looking for a dozen optional files costs nothing.
func TestListing_says_what_is_missing(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "real/file"), "text")
		write(t, filepath.Join(dir, "later/file"), "text") // not in the listing: made since
		opt.Listing = func(dir string) ([]fs.DirEntry, bool) {
			entries, err := fstest.MapFS{"real/file": {}}.ReadDir(dir)
			return entries, err == nil
		}
		r := open(t, dir, opt)
		for _, name := range []string{"later", "later/file", "real/other", "real/other/below"} {
			if _, err := r.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Stat(%s): got %v, want that it does not exist", name, err)
			}
			if _, err := r.ReadFile(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("ReadFile(%s): got %v, want that it does not exist", name, err)
			}
		}
		if got, err := r.ReadFile("real/file"); err != nil || string(got) != "text" {
			t.Errorf("ReadFile(real/file): got %q, %v; want what is there", got, err)
		}
	})
}

// A root below a root is as closed as one that was opened by its path.
func TestSub(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "sub/file"), "inside")
		write(t, filepath.Join(dir, "secret"), "outside of the sub-directory")
		if err := os.Symlink("../secret", filepath.Join(dir, "sub/link")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("sub", filepath.Join(dir, "alias")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"sub", "alias"} {
			base := open(t, dir, opt)
			r, err := base.Sub(name, opt)
			if err != nil {
				t.Fatalf("Sub(%s): %v", name, err)
			}
			base.Close()
			if got, err := r.ReadFile("file"); err != nil || string(got) != "inside" {
				t.Errorf("Sub(%s): file is %q, %v", name, got, err)
			}
			if _, err := r.ReadFile("link"); !errors.Is(err, ErrEscape) {
				t.Errorf("Sub(%s): a link to the rest of the tree gives %v, want an escape", name, err)
			}
			if want := filepath.Join(dir, "sub"); r.Dir() != want {
				t.Errorf("Sub(%s).Dir() is %s, want %s", name, r.Dir(), want)
			}
			r.Close()
		}
		base := open(t, dir, opt)
		for _, name := range []string{"absent", "secret", "../x", "/"} {
			if r, err := base.Sub(name, opt); err == nil {
				r.Close()
				t.Errorf("Sub(%s) opened, want an error", name)
			}
		}
	})
}

func TestNames_of_every_kind_are_listed_and_read(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		names := []string{"line\nfeed", "tab\there", "スキル", "é", "-rf", "a b", "back\\slash", "...", "..x", " ", strings.Repeat("long", 60)}
		for _, name := range names {
			write(t, filepath.Join(dir, name, "SKILL.md"), name)
		}
		r := open(t, dir, opt)
		entries, err := r.ReadDir(".")
		if err != nil || len(entries) != len(names) {
			t.Fatalf("ReadDir: got %d entries, %v; want %d", len(entries), err, len(names))
		}
		for _, e := range entries {
			got, err := r.ReadFile(e.Name() + "/SKILL.md")
			if err != nil || string(got) != e.Name() {
				t.Errorf("ReadFile(%q/SKILL.md): got %q, %v", e.Name(), got, err)
			}
			if i, err := e.Info(); err != nil || !i.IsDir() || i.Name() != e.Name() {
				t.Errorf("Info of %q: got %v, %v", e.Name(), i, err)
			}
		}
	})
}

func TestMessages_escape_foreign_names(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		link(t, "gone\x1b[2J", filepath.Join(dir, "li\nnk"))
		r := open(t, dir, opt)
		_, err := r.ReadFile("li\nnk")
		if err == nil || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("ReadFile: got %q, want a message of one line without control characters", err)
		}
	})
}

func TestClosed_root_answers_fs_ErrClosed(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "f"), "")
		r := open(t, dir, opt)
		entries, err := r.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range calls(r, "f") {
			if err := c.do(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: got %v, want fs.ErrClosed", c.name, err)
			}
		}
		if _, err := entries[0].Info(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Info: got %v, want fs.ErrClosed", err)
		}
	})
}

type call struct {
	name string
	do   func() error
}

// calls are all questions that can be asked about name.
func calls(r *Root, name string) []call {
	return []call{
		{"ReadLimit", func() error { _, err := r.ReadLimit(name, 100); return err }},
		{"ReadFile", func() error { _, err := r.ReadFile(name); return err }},
		{"ReadDir", func() error { _, err := r.ReadDir(name); return err }},
		{"Open", func() error {
			f, err := r.Open(name)
			if err == nil {
				f.Close()
			}
			return err
		}},
		{"Stat", func() error { _, err := r.Stat(name); return err }},
		{"Lstat", func() error { _, err := r.Lstat(name); return err }},
		{"ReadLink", func() error { _, err := r.ReadLink(name); return err }},
		{"Real", func() error { _, _, err := r.Real(name); return err }},
	}
}

func TestOpen_reads_whole_files_and_nothing_can_be_written(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "f"), "hello")
		f, err := open(t, dir, opt).Open("f")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := io.ReadAll(f); err != nil || string(got) != "hello" {
			t.Errorf("ReadAll: got %q, %v", got, err)
		}
		if _, ok := f.(io.Writer); ok {
			t.Error("Open: the file can be written to")
		}
	})
}

func TestRoot_may_be_used_and_closed_by_several_goroutines_at_once(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "d/f"), "inside")
		link(t, "d", filepath.Join(dir, "l"))
		for range 20 {
			r := open(t, dir, opt)
			var users sync.WaitGroup
			for _, name := range []string{"d/f", "l/f"} {
				for range 2 {
					users.Go(func() {
						for range 50 {
							got, err := r.ReadFile(name)
							if err == nil && string(got) != "inside" || err != nil && !errors.Is(err, fs.ErrClosed) {
								t.Errorf("ReadFile(%s): got %q, %v", name, got, err)
							}
							r.ReadDir("l")
							r.Trace()
						}
					})
				}
			}
			users.Go(func() { r.Close() })
			users.Wait()
		}
	})
}
