package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
)

// Verify follows every chain in dir from line to line and from segment to
// segment, and compares the chains with what the checkpoints of the others say of
// them. It reads while others write, up to where each file ended when Verify came
// to it. It writes nothing. The error is that it could not be done; what was found
// is in the Report. A directory that is missing is an empty log.
func Verify(ctx context.Context, dir string) (Report, error) {
	for try := 1; ; try++ {
		r, err := verify(ctx, dir)
		// What accounts for what was dropped, or ends a segment before the next one,
		// may be a line that was not there yet when its place was read.
		if try < 3 && errors.Is(err, errMoving) {
			continue
		}
		if err != nil {
			return r, fmt.Errorf("verify the audit log in %s: %w", ext.Quote(dir), err)
		}
		return r, nil
	}
}

var errMoving = errors.New("segments begin and go while they are read: try again")

// verifier is one look at a log.
type verifier struct {
	dir     string
	key     ed25519.PublicKey // nil: there is none
	report  Report
	present map[segmentName]bool
	named   map[Head]Fault         // what checkpoints name, and where one does
	dropped map[string][]Dropped   // by chain
	gaps    []gap                  // between segments that are there
	follows map[segmentName]string // segments that must be there, and the one before
}

// gap is segments that are missing before one that is there.
type gap struct {
	next   segmentName
	from   int // the number of the first that is missing
	header header
}

func verify(ctx context.Context, dir string) (Report, error) {
	v := verifier{
		dir: dir, present: map[segmentName]bool{}, named: map[Head]Fault{},
		dropped: map[string][]Dropped{}, follows: map[segmentName]string{},
	}
	names, err := segments(dir)
	if err != nil || len(names) == 0 {
		return v.report, err
	}
	if err := v.loadKey(); err != nil {
		return v.report, err
	}
	for _, n := range names {
		v.present[n] = true
	}
	for _, chain := range byChain(names) {
		v.report.Chains++
		if err := v.chain(ctx, chain); err != nil {
			return v.report, err
		}
	}
	return v.report, v.compare(ctx)
}

// loadKey makes no key where there is none: this only looks.
func (v *verifier) loadKey() error {
	content, err := readSecret(v.dir, keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		v.report.broken(keyFile, 0, "the key is missing: signatures cannot be verified, and nothing accounts for segments that are gone")
		return nil
	}
	if err != nil {
		return err
	}
	key, err := parseKey(v.dir, content)
	if err != nil {
		v.report.broken(keyFile, 0, err.Error())
		return nil
	}
	v.key = key.Public().(ed25519.PublicKey)
	return nil
}

// chain follows the segments of one chain that are there.
func (v *verifier) chain(ctx context.Context, names []segmentName) error {
	headers := make([]*header, len(names)+1) // nil: none that can be read
	for i, n := range names {
		h, err := v.header(n)
		if err != nil {
			return err
		}
		headers[i] = h
	}
	var before *follower // nil: not there, or not in order to its end
	for i, n := range names {
		if want := expected(names, i); n.number != want {
			before = nil
			if headers[i] != nil {
				v.gaps = append(v.gaps, gap{n, want, *headers[i]})
			}
		}
		var trust *after
		if next := headers[i+1]; next != nil && names[i+1].number == n.number+1 {
			trust = next.After
		}
		s, err := v.segment(ctx, n, trust, i == len(names)-1)
		if err != nil {
			return err
		}
		if before != nil && s != nil {
			if err := v.joint(before, s, i == len(names)-1); err != nil {
				return err
			}
		}
		before = s
	}
	return nil
}

// expected is the number that segment i should have.
func expected(names []segmentName, i int) int {
	if i == 0 {
		return 1
	}
	return names[i-1].number + 1
}

// header is that of a segment, nil if it has none in order; the segment itself
// tells that.
func (v *verifier) header(n segmentName) (*header, error) {
	f, info, err := openRegular(filepath.Join(v.dir, n.String()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMoving
	}
	if err != nil {
		return nil, nil //nolint:nilerr // told when it is followed
	}
	defer f.Close()
	h, _, err := firstLine(f, info.Size(), n)
	if err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	return &h, nil
}

// segment follows one; nil if it is not in order, or was never begun.
func (v *verifier) segment(ctx context.Context, n segmentName, trust *after, last bool) (*follower, error) {
	name := n.String()
	f, _, err := openRegular(filepath.Join(v.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMoving
	}
	v.report.Segments++
	if err != nil {
		v.report.broken(name, 0, ext.Escape(err.Error()))
		return nil, nil
	}
	defer f.Close()
	used := inUse(f) // looked at first: who ends meanwhile leaves whole lines
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	v.report.Size += info.Size()
	s := &follower{name: n, key: v.key, trust: trust, told: func(line int, c Checkpoint) { v.hear(name, line, c) }}
	if err := s.follow(ctx, f, info.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v.report.Records += s.records
	return v.judge(s, used, last), nil
}

// judge says how a segment ended.
func (v *verifier) judge(s *follower, used, last bool) *follower {
	name := s.name.String()
	switch {
	case !s.begun && last && (s.fault == errNoHeader.Error() || s.rest > 0):
		if !used {
			v.report.note(name, 0, "it was made and not begun: its process ended in that moment, or the disk was full")
		}
		return nil
	case s.fault != "":
		v.report.broken(name, s.lines+1, s.fault)
		return nil
	case !s.begun && s.trust == nil:
		v.report.broken(name, 1, errNoHeader.Error())
		return nil
	case !s.begun:
		v.report.note(name, 0, fmt.Sprintf("it was given up before it was begun (%s)", ext.Escape(s.trust.Why)))
		return nil
	case s.rest > 0 && s.trust != nil:
		v.report.note(name, s.lines+1, fmt.Sprintf("%d bytes are no records: the segment was given up (%s)", s.rest, ext.Escape(s.trust.Why)))
	case s.rest > 0 && !last:
		v.report.broken(name, s.lines+1, errTorn.Error()+", and another segment follows")
		return nil
	case s.rest > 0 && !used:
		v.report.note(name, s.lines+1, fmt.Sprintf("%s (%d bytes): its process ended while it wrote", errTorn, s.rest))
	case s.end == nil && last && !used:
		v.report.note(name, 0, "the chain was not closed: its process was killed, or crashed")
	}
	if s.end != nil && s.end.Next != "" {
		if next, ok := parseName(s.end.Next); ok {
			v.follows[next] = name
		}
	}
	return s
}

// joint compares a segment with the one before.
func (v *verifier) joint(before, s *follower, last bool) error {
	name, h := s.name.String(), s.header
	switch {
	case h.Seq == before.at.seq+1 && h.Prev == before.at.hex():
		if h.After == nil && (before.end == nil || before.end.Next != name) {
			v.report.broken(name, 1, "the segment before does not end with it")
		}
	case h.After != nil && h.Seq > before.at.seq:
		v.report.note(before.name.String(), before.lines+1, fmt.Sprintf(
			"records %d to %d were written and are not there: the segment was given up (%s)", before.at.seq+1, h.Seq-1, ext.Escape(h.After.Why)))
	case h.After == nil && last && s.records == 0 && before.end == nil && h.Seq == before.at.seq+2:
		v.report.note(name, 1, "its process ended, or is, between this segment and the one before")
	default:
		if info, err := os.Lstat(filepath.Join(v.dir, before.name.String())); err == nil && info.Size() > before.at.size+before.rest {
			return errMoving // it was written to since
		}
		v.report.broken(name, 1, "it does not continue the segment before, which was changed or cut")
	}
	return nil
}

// hear collects what a checkpoint says. Its signature holds, if there is a key.
func (v *verifier) hear(file string, line int, c Checkpoint) {
	for _, h := range c.Heads {
		if _, ok := v.named[h]; !ok {
			v.named[h] = Fault{File: file, Line: line}
		}
	}
	if v.key == nil {
		return
	}
	for _, d := range c.Dropped {
		if n := d.name(); n.chain != "" {
			v.dropped[n.chain] = append(v.dropped[n.chain], d)
		}
	}
}

// headAt is whether the file has the line that h names. The chain was followed
// already, so its place and its hash are enough.
func headAt(dir string, h Head) (string, error) {
	f, info, err := openRegular(filepath.Join(dir, h.File))
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() < h.Size || h.Size < 1 {
		return fmt.Sprintf("it was cut: it has %d bytes, and had %d", info.Size(), h.Size), nil
	}
	n, _ := parseName(h.File)
	m, err := lastLine(f, h.Size, n)
	if err != nil || m.size != h.Size || m.seq != h.Seq || m.hex() != h.Hash {
		return fmt.Sprintf("it was changed: record %d is not the one that was there", h.Seq), nil
	}
	return "", nil
}
