package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"

	"github.com/mortise-dev/mortise/ext"
)

// follower follows the chain through one segment.
type follower struct {
	name  segmentName
	key   ed25519.PublicKey // nil: signatures are not looked at
	trust *after            // what the next segment's header says of this one
	// told is called with each checkpoint whose signature holds.
	told func(line int, c Checkpoint)

	header  header
	begun   bool // the header was read
	at      mark // behind the last line that is in order
	lines   int  // up to there
	records uint64
	last    string      // when the last line was written
	record  []byte      // the last line, if it is a record
	end     *Checkpoint // the checkpoint that ended it, if the last line is one
	sure    bool        // the place that trust names was passed

	rest  int64  // bytes behind the last line that are no lines in order, where that need not be a fault
	fault string // the first thing that is wrong, "" for nothing
}

// follow reads the segment up to size. The error is that it cannot be read.
func (s *follower) follow(ctx context.Context, r io.ReaderAt, size int64) error {
	l := newForward(r, size)
	for s.fault == "" && s.rest == 0 {
		if s.lines%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			s.finish()
			return nil
		case errors.Is(err, errTorn):
			s.rest = size - s.at.size
		case errors.Is(err, errLong):
			s.wrong(size, err.Error())
		case err != nil:
			return err
		default:
			s.line(line, size)
		}
	}
	s.finish()
	return nil
}

// finish looks at the last line, which no other one holds, and compares with what
// the next segment's header says.
func (s *follower) finish() {
	if s.fault == "" && s.trust == nil && s.end == nil && s.record != nil {
		if _, err := parseEntry(s.record, ""); err != nil {
			s.lines--
			s.fault = err.Error()
		}
	}
	switch {
	case s.fault != "":
	case !s.begun && s.rest == 0 && s.trust == nil:
		s.fault = errNoHeader.Error()
	case s.trust != nil && s.trust.Size > 0 && !s.sure:
		s.fault = fmt.Sprintf("it ends after %d bytes; it had %d when the next segment began", s.at.size, s.trust.Size)
	}
}

// wrong is that what follows the last good line is not in order. Behind the place
// up to which a segment that was given up is sure, it need not be.
func (s *follower) wrong(size int64, what string) {
	if s.trust != nil && (s.sure || s.trust.Size == 0) {
		s.rest = size - s.at.size
		return
	}
	s.fault = what
}

func (s *follower) line(line []byte, size int64) {
	whole := append(line[:len(line):len(line)], '\n')
	m, what := s.next(line, whole)
	if what != "" {
		s.wrong(size, what)
		return
	}
	s.at = m
	s.lines++
	if s.lines > 1 {
		s.record = line
	}
	if t := s.trust; t != nil && t.Size > 0 && !s.sure && m.size >= t.Size {
		if m.size != t.Size || m.seq != t.Seq || m.hex() != t.Hash {
			s.fault = "it is not what it was when the next segment began"
		}
		s.sure = true
	}
}

// next is the place behind a line, or what is wrong with it.
func (s *follower) next(line, whole []byte) (mark, string) {
	if !s.begun {
		h, err := parseHeader(line, s.name)
		if err != nil {
			return mark{}, err.Error()
		}
		s.begun, s.header, s.last = true, h, h.Time
		return h.mark(whole), ""
	}
	f, err := parseFront(line)
	if err != nil {
		return mark{}, err.Error()
	}
	if what := f.follows(s.at); what != "" {
		return mark{}, what
	}
	switch {
	case s.end != nil:
		return mark{}, "it goes on after the checkpoint that ends it"
	case string(f.time) < s.last:
		return mark{}, "it is older than the line before"
	}
	if string(f.kind) == string(KindCheckpoint) {
		if what := s.checkpoint(line); what != "" {
			return mark{}, what
		}
	}
	s.last = string(f.time)
	s.records++
	return s.at.after(whole, true), ""
}

func (s *follower) checkpoint(line []byte) string {
	if s.key != nil {
		if what := verifySignature(line, s.key); what != "" {
			return what
		}
	}
	c, err := parseCheckpoint(line)
	if err != nil {
		return "the checkpoint cannot be read: " + ext.Escape(err.Error())
	}
	if c.Next != "" || c.End {
		s.end = &c
	}
	s.told(s.lines+1, c)
	return ""
}
