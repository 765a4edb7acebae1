package audit

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Keep says what of a log is kept. The zero value keeps everything.
type Keep struct {
	// Since drops segments whose last record is older.
	Since time.Time
	// Size drops the segments that ended first while all of them together are
	// larger; 0 is any size. What is being written is kept whatever its size.
	Size int64
}

// Dropped is a segment that is gone, or several of one chain in a row, once it no
// longer matters which.
type Dropped struct {
	File    string    `json:"file"` // the last one
	From    int       `json:"from"` // the number of the first one
	Records uint64    `json:"records"`
	First   uint64    `json:"first"` // the number of the first record
	Last    uint64    `json:"last"`
	Hash    string    `json:"hash"` // of the last line
	At      time.Time `json:"at"`   // when it was dropped
	// Fault is what was wrong with it by then.
	Fault string `json:"fault,omitempty"`
}

func (d Dropped) name() segmentName {
	n, _ := parseName(d.File)
	return n
}

// droppedMax is how many a checkpoint names: there may be several checkpoints.
const droppedMax = 1000

// Drop removes whole segments that keep does not keep: of a chain whose process
// has ended all of them, of others those that are no longer written, and always
// the first ones of a chain. It removes them when a signed checkpoint that names
// them is on the disk; where that cannot be, nothing is removed. Only files that
// are a log's by name and by header are. What was removed is returned with an
// error too.
func (l *Log) Drop(ctx context.Context, keep Keep) ([]Dropped, error) {
	done, err := l.drop(ctx, keep)
	if err != nil {
		return done, fmt.Errorf("drop segments of the audit log in %s: %w", ext.Quote(l.dir), err)
	}
	return done, nil
}

func (l *Log) drop(ctx context.Context, keep Keep) ([]Dropped, error) {
	lock, err := openLock(l.dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := tryLock(lock, true); errors.Is(err, errHeld) {
		return nil, errors.New("another process does the same now: try again later")
	} else if err != nil {
		return nil, err
	}
	all, err := survey(l.dir)
	if err != nil {
		return nil, err
	}
	gone := choose(all, keep)
	if len(gone) == 0 {
		return nil, nil
	}
	d := dropper{now: l.o.Now().UTC(), key: l.key.Public().(ed25519.PublicKey)}
	for _, s := range gone {
		if err := d.look(ctx, l.dir, s); err != nil {
			return nil, err
		}
	}
	if err := l.account(ctx, slices.Concat(d.carried(all), d.dropped)); err != nil {
		return nil, err
	}
	return l.remove(gone, d.dropped)
}

// standing is a segment as Drop sees it.
type standing struct {
	segmentName
	info  fs.FileInfo
	begun string // when; "" if it has no header of ours
	last  string // when its last record was written
	used  bool
	gone  bool
}

// survey looks at every segment. What is not ours by its header is left out.
func survey(dir string) ([]*standing, error) {
	names, err := segments(dir)
	if err != nil {
		return nil, err
	}
	var all []*standing
	for _, n := range names {
		s, err := stand(dir, n)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("%s: %w", n, err)
		case s.begun != "":
			all = append(all, s)
		}
	}
	return all, nil
}

func stand(dir string, n segmentName) (*standing, error) {
	path := filepath.Join(dir, n.String())
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &standing{}, nil // named as ours, and not ours
	}
	f, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &standing{segmentName: n, info: info, used: inUse(f)}
	h, _, err := firstLine(f, info.Size(), n)
	if err != nil {
		return s, nil // not ours
	}
	s.begun = h.Time
	end, err := lastLine(f, info.Size(), n)
	if s.last = end.time; err != nil {
		s.last = stamp(info.ModTime()) // what is wrong with it does not keep it for ever
	}
	return s, nil
}

// choose picks what goes, those that ended first before the others. So of each
// chain the first ones go: one is as old as the youngest up to it.
func choose(all []*standing, keep Keep) (gone []*standing) {
	total, since := int64(0), ""
	if !keep.Since.IsZero() {
		since = stamp(keep.Since)
	}
	end := map[string]*standing{} // of each chain
	living := map[string]bool{}
	for _, s := range all {
		if before := end[s.chain]; before != nil {
			s.last = max(s.last, before.last)
		}
		end[s.chain] = s
		living[s.chain] = living[s.chain] || s.used
		total += s.info.Size()
	}
	byAge := slices.Clone(all)
	slices.SortStableFunc(byAge, func(a, b *standing) int {
		return cmp.Or(cmp.Compare(a.last, b.last), compareNames(a.segmentName, b.segmentName))
	})
	for _, s := range byAge {
		switch large := keep.Size > 0 && total > keep.Size; {
		case s.last >= since && !large:
			return gone
		case living[s.chain] && end[s.chain] == s: // it is being written
		default:
			s.gone = true
			gone = append(gone, s)
			total -= s.info.Size()
		}
	}
	return gone
}

// dropper collects what is to be said of segments that go.
type dropper struct {
	now     time.Time
	key     ed25519.PublicKey
	dropped []Dropped
	earlier []Dropped // that segments which go account for
}

func (d *dropper) look(ctx context.Context, dir string, s *standing) error {
	f, _, err := openRegular(filepath.Join(dir, s.String()))
	if err != nil {
		return err
	}
	defer f.Close()
	w := follower{name: s.segmentName, key: d.key, told: func(_ int, c Checkpoint) { d.earlier = append(d.earlier, c.Dropped...) }}
	if err := w.follow(ctx, f, s.info.Size()); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	out := Dropped{
		File: s.String(), From: s.number, Records: w.records, First: w.header.Seq, Last: w.at.seq, Hash: w.at.hex(), At: d.now,
	}
	if w.fault != "" {
		out.Fault = cut(fmt.Sprintf("line %d: %s", w.lines+1, w.fault), nameMax)
	}
	d.dropped = append(d.dropped, out)
	return nil
}

// carried is what must be said again of segments that went earlier, because what
// accounts for them goes now: a segment of their chain is still there, or one
// that may name them.
func (d *dropper) carried(all []*standing) []Dropped {
	const slack = 24 * time.Hour // clocks are set
	chains := map[string]bool{}
	oldest := ""
	for _, s := range all {
		if !s.gone {
			chains[s.chain] = true
			if oldest == "" || s.begun < oldest {
				oldest = s.begun
			}
		}
	}
	needed := slices.DeleteFunc(slices.Clone(d.earlier), func(e Dropped) bool {
		return !chains[e.name().chain] && (oldest == "" || stamp(e.At.Add(slack)) < oldest)
	})
	return join(needed)
}

// join makes one of those that follow one another in a chain.
func join(list []Dropped) (out []Dropped) {
	slices.SortStableFunc(list, func(a, b Dropped) int {
		return cmp.Or(compareNames(a.name(), b.name()), cmp.Compare(a.From, b.From))
	})
	for _, e := range list {
		n := e.name()
		if i := len(out) - 1; i >= 0 && out[i].name().chain == n.chain {
			before := out[i]
			switch {
			case e.From <= before.From: // the same, said again with more
				out[i] = e
				continue
			case before.name().number+1 == e.From:
				e.From, e.First, e.Records = before.From, before.First, e.Records+before.Records
				e.Fault = cmp.Or(before.Fault, e.Fault)
				out[i] = e
				continue
			case n.number == before.name().number: // the same, said again with less
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// account writes signed checkpoints that name what goes, and waits until they are
// on the disk.
func (l *Log) account(ctx context.Context, list []Dropped) error {
	for part := range slices.Chunk(list, droppedMax) {
		b, err := l.checkpoint(Checkpoint{Dropped: part})
		if err != nil {
			return err
		}
		poke(l.now)
		if err := b.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) remove(gone []*standing, dropped []Dropped) (done []Dropped, err error) {
	for i, s := range gone {
		path := l.path(s.segmentName)
		info, statErr := os.Lstat(path)
		if statErr == nil && !os.SameFile(info, s.info) {
			statErr = fmt.Errorf("%s is another file now", ext.Quote(path))
		}
		if statErr == nil {
			statErr = os.Remove(path)
		}
		if statErr != nil {
			err = errors.Join(err, statErr)
			continue
		}
		done = append(done, dropped[i])
	}
	return done, errors.Join(err, syncDir(l.dir))
}
