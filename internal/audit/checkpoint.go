package audit

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// Checkpoint is what a record of the log itself says. It is signed.
type Checkpoint struct {
	Heads []Head `json:"heads,omitempty"`
	// Unnamed is how many other chains there were that Heads does not name,
	// because there are more than headsMax or they cannot be read.
	Unnamed int `json:"unnamed,omitempty"`
	// Next is the segment that follows: this is the last line of its own.
	Next string `json:"next,omitempty"`
	// End is that the chain was closed: this is its last line.
	End bool `json:"end,omitempty"`
	// Dropped are segments that are gone because a person or their settings
	// wanted it.
	Dropped []Dropped `json:"dropped,omitempty"`
}

// Head is the last line of a chain as another one saw it.
type Head struct {
	File string `json:"file"`
	Seq  uint64 `json:"seq"`
	Size int64  `json:"size"` // of the file up to and with that line
	Hash string `json:"hash"`
}

// headsMax is how many heads a checkpoint names. Those it does not name were
// named by the ones before, which it names.
const headsMax = 32

// signature ends a checkpoint. It covers the line up to here.
const signature = `,"signature":"`

// signed appends the signature and the closing brace to a line without them.
func signed(line []byte, key ed25519.PrivateKey) []byte {
	sum := ed25519.Sign(key, signedText(line))
	return append(hex.AppendEncode(append(line, signature...), sum), `"}`...)
}

// signedText names what is signed, so that it can be nothing else.
func signedText(line []byte) []byte {
	return append([]byte("mortise "+format+" checkpoint\n"), line...)
}

// verifySignature says why a checkpoint's signature does not hold, "" if it does.
func verifySignature(line []byte, key ed25519.PublicKey) string {
	i := bytes.LastIndex(line, []byte(signature))
	if i < 0 || len(line) != i+len(signature)+2*ed25519.SignatureSize+2 {
		return "the checkpoint is not signed"
	}
	text := line[i+len(signature) : len(line)-2]
	sum, err := hex.DecodeString(string(text))
	if err != nil || hex.EncodeToString(sum) != string(text) || string(line[len(line)-2:]) != `"}` ||
		!ed25519.Verify(key, signedText(line[:i]), sum) {
		return "the checkpoint's signature does not fit: it was changed, or signed with another key than this log's"
	}
	return ""
}

// parseCheckpoint reads one whose signature holds.
func parseCheckpoint(line []byte) (c Checkpoint, err error) {
	var e struct {
		Checkpoint *Checkpoint `json:"checkpoint"`
	}
	if err = json.Unmarshal(line, &e); err == nil && e.Checkpoint == nil {
		err = errors.New("it says nothing")
	}
	if err != nil {
		return c, err
	}
	return *e.Checkpoint, nil
}

// body is the fields of a checkpoint from the kind on, without the closing brace:
// the signature is to follow.
func (c Checkpoint) body() ([]byte, error) {
	b, err := ext.EncodeJSON(c)
	return append([]byte(`"kind":"`+string(KindCheckpoint)+`","checkpoint":`), b...), err
}

// heads names the other chains in dir, those written to last first, and tells
// which of their files a living process has: what it wrote there need not be on
// the disk yet.
func heads(dir, own string) (c Checkpoint, living []string, err error) {
	names, err := segments(dir)
	if err != nil {
		return c, nil, err
	}
	for _, chain := range others(dir, names, own) {
		if len(c.Heads) == headsMax {
			c.Unnamed++
			continue
		}
		h, used, err := headOf(dir, chain)
		switch {
		case errors.Is(err, fs.ErrNotExist): // dropped meanwhile
			continue
		case err != nil:
			c.Unnamed++
			continue
		}
		c.Heads = append(c.Heads, h)
		if used {
			living = append(living, filepath.Join(dir, h.File))
		}
	}
	return c, living, nil
}

// others is every chain but own, those written to last first.
func others(dir string, names []segmentName, own string) (out [][]segmentName) {
	type dated struct {
		chain []segmentName
		at    int64
	}
	var all []dated
	for _, chain := range byChain(names) {
		last := chain[len(chain)-1]
		if info, err := os.Lstat(filepath.Join(dir, last.String())); err == nil && last.chain != own {
			all = append(all, dated{chain, info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(all, func(a, b dated) int {
		return cmp.Or(cmp.Compare(b.at, a.at), compareNames(b.chain[0], a.chain[0]))
	})
	for _, d := range all {
		out = append(out, d.chain)
	}
	return out
}

// headOf is the last record of a chain, and whether a process writes the segment
// that it is in. A segment without records may be taken back by who made it.
func headOf(dir string, chain []segmentName) (h Head, used bool, err error) {
	for _, n := range slices.Backward(chain) {
		var header bool
		h, header, used, err = headIn(dir, n)
		if err != nil || !header {
			return h, used, err
		}
	}
	return h, used, errors.New("it has no record")
}

// headIn is the last whole line of a segment, and whether that is its header.
func headIn(dir string, n segmentName) (h Head, header, used bool, err error) {
	f, info, err := openRegular(filepath.Join(dir, n.String()))
	if err != nil {
		return h, false, false, err
	}
	defer f.Close()
	used = inUse(f)
	end, err := lastLine(f, info.Size(), n)
	if errors.Is(err, errNoLine) {
		return h, true, used, nil
	}
	return Head{File: n.String(), Seq: end.seq, Size: end.size, Hash: end.hex()}, end.header, used, err
}
