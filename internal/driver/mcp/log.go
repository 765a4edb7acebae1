package mcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

const (
	maxLog     = 1 << 20 // of a log file; there are two
	maxLogLine = 8 << 10
	maxTail    = 10 // lines of standard error that a status shows
	leastValue = 8  // letters; shorter values are words like others

	logPause = 10 * time.Second // before a file that could not be written is tried again
)

// journal is what a server prints beside the protocol, and our notes on it: a
// file of escaped lines that cannot grow without bound, and the last lines of
// standard error. Values that were declared as headers or variables are shown
// by their names.
type journal struct {
	path string

	mu      sync.Mutex
	file    *os.File
	size    int64
	off     bool            // there is nothing more to write
	broken  time.Time       // until when the file is not tried again; zero: it can be written
	partial []byte          // of standard error, a line without an end yet
	tail    [maxTail][]byte // the last lines of it as they came, in a ring
	lasts   int             // how many lines went into tail
	secrets []Pair
	noisy   int
	flow    flow // of what the server makes us write
}

// hide makes the journal show values by their names.
func (j *journal) hide(vars, headers []Pair) {
	var out []Pair
	for _, v := range vars {
		out = append(out, Pair{"$" + v.Name, v.Value})
	}
	for _, h := range headers {
		for _, word := range append([]string{h.Value}, strings.Fields(h.Value)...) {
			out = append(out, Pair{h.Name, word})
		}
	}
	out = slices.DeleteFunc(out, func(p Pair) bool { return len(p.Value) < leastValue })
	slices.SortStableFunc(out, func(a, b Pair) int { return len(b.Value) - len(a.Value) })
	j.mu.Lock()
	defer j.mu.Unlock()
	j.secrets = out
}

// shown is s without the values that are hidden.
func (j *journal) shown(s string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.scrub(s)
}

func (j *journal) scrub(s string) string {
	for _, p := range j.secrets {
		if strings.Contains(s, p.Value) {
			s = strings.ReplaceAll(s, p.Value, "["+p.Name+"]")
		}
	}
	return s
}

// note writes one line of ours; foreign text in it is quoted already.
func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.settle()
	j.line("note", j.scrub(fmt.Sprintf(format, args...)))
}

// remark is note for what a server can have us say without end. say is asked
// when there is room alone.
func (j *journal) remark(say func() string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.admits(0) {
		j.line("note", j.scrub(say()))
	}
}

// foreign writes a line of the server's.
func (j *journal) foreign(kind string, b []byte) {
	if b = b[:min(len(b), maxLogLine)]; j.admits(len(b)) {
		j.line(kind, ext.Escape(j.scrub(string(b))))
	}
}

// admits reports whether the server may have one line more written. What is
// left out costs no more than its count.
func (j *journal) admits(size int) bool {
	if !j.flow.take(time.Now(), size) {
		return false
	}
	j.settle()
	return true
}

// settle tells of what was left out.
func (j *journal) settle() {
	if n := j.flow.told(); n > 0 {
		j.line("note", fmt.Sprintf("%d lines were left out: it has more than %d a second to say", n, flowRate))
	}
}

// noise counts and writes a line that was no message.
func (j *journal) noise(b []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.noisy++
	j.foreign("stdout", b)
}

// Write takes in standard error.
func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for rest := b; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		j.partial = append(j.partial, part...)
		if whole || len(j.partial) >= maxLogLine {
			j.flush()
		}
		rest = after
	}
	return len(b), nil
}

// flush ends the line of standard error that has begun.
func (j *journal) flush() {
	b := j.partial
	j.partial = j.partial[:0] // b is used up before it is written to again
	j.spoke(b)
}

// spoke takes in a line of standard error.
func (j *journal) spoke(b []byte) {
	b = bytes.TrimRight(b[:min(len(b), maxLogLine)], "\r")
	if len(bytes.TrimSpace(b)) == 0 {
		return
	}
	at := &j.tail[j.lasts%maxTail]
	*at = append((*at)[:0], b...)
	j.lasts++
	j.foreign("stderr", b)
}

// aside takes in the standard error of one of several processes that share a
// journal.
type aside struct {
	log     *journal
	mu      sync.Mutex
	partial []byte // a line without an end yet
}

func (a *aside) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for rest := b; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		a.partial = append(a.partial, part...)
		if whole || len(a.partial) >= maxLogLine {
			a.log.mu.Lock()
			a.log.spoke(a.partial)
			a.log.mu.Unlock()
			a.partial = a.partial[:0]
		}
		rest = after
	}
	return len(b), nil
}

// lines is the end of standard error.
func (j *journal) lines() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.partial) > 0 {
		j.flush()
	}
	var out []string
	for i := max(0, j.lasts-maxTail); i < j.lasts; i++ {
		out = append(out, ext.Shorten(ext.Escape(j.scrub(string(j.tail[i%maxTail]))), 500))
	}
	return out
}

// last is the last line of standard error, "" when there is none.
func (j *journal) last() string {
	if all := j.lines(); len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// begin is told that a new process writes from now on.
func (j *journal) begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.partial, j.tail, j.lasts = nil, [maxTail][]byte{}, 0
}

// counted is the number of lines that were no messages.
func (j *journal) counted() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.noisy
}

// where is the file, "" when there is none or it cannot be written.
func (j *journal) where() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.broken.IsZero() {
		return ""
	}
	return j.path
}

func (j *journal) line(kind, s string) {
	if j.path == "" || j.off || time.Now().Before(j.broken) {
		return
	}
	b := []byte(time.Now().UTC().Format("2006-01-02T15:04:05.000Z") + " " + kind + " " + s + "\n")
	err := j.room(int64(len(b)))
	if err == nil {
		var n int
		n, err = j.file.Write(b)
		j.size += int64(n)
	}
	if j.broken = (time.Time{}); err != nil {
		j.broken = time.Now().Add(logPause)
	}
}

// room opens the file, and puts one away that is full.
func (j *journal) room(n int64) error {
	if j.file == nil {
		if err := j.open(); err != nil {
			return err
		}
	}
	if j.size == 0 || j.size+n <= maxLog {
		return nil
	}
	j.file.Close()
	j.file = nil
	if err := os.Rename(j.path, j.path+".1"); err != nil {
		return err
	}
	return j.open()
}

func (j *journal) open() error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	j.file, j.size = f, info.Size()
	return nil
}

// close closes the file. Nothing is written afterwards.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.partial) > 0 {
		j.flush()
	}
	j.settle()
	if j.file != nil {
		j.file.Close()
		j.file = nil
	}
	j.off = true
}
