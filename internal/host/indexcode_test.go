package host

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/session"
)

func somePart() *part {
	return &part{
		Listing: Listing{
			Digest: "d", Found: 2, Admitted: 1, Refused: 1, UnknownFormat: 3,
			Extensions: []ExtensionRow{{Name: "a", Format: "f", Root: "/r", Status: "admitted", Entries: 1, Quarantined: true}},
			Entries:    []EntryRow{{Surface: "skill", Name: "é", Line: 7, Description: "x\x00y", Cost: session.Cost{Catalogue: session.Size{Characters: 1, Tokens: 2}, Body: session.Size{Characters: 3, Tokens: 4}}}, {}},
			Findings:   []FindingRow{{Severity: "error", Message: "m", Line: -1, Field: "name", Want: "w"}},
		},
		stamps: []root.Stamp{{Path: "p", Kind: root.File, Dev: 1<<63 + 1, Ino: 2, Size: 3, Mtime: -4, Ctime: 5, Coarse: true}, {Path: "q", Kind: root.Missing}},
	}
}

// What is written is what is read, and only under its own key.
func TestIndexRoundTrip(t *testing.T) {
	key := ext.Sum([]byte("key"))
	want := somePart()
	data := encodePart(want, key)
	got := new(part)
	stamps, ok := decodePart(data, key, got)
	if !ok || !cmp.Equal(want.Listing, got.Listing) || !cmp.Equal(want.stamps, stamps) {
		t.Errorf("read back: %v\n%s", ok, cmp.Diff(want.Listing, got.Listing))
	}
	if _, ok := decodePart(data, ext.Sum([]byte("other")), new(part)); ok {
		t.Error("an index was read under another key")
	}
}

// FuzzIndex reads hostile bytes under a checksum that fits: no crash, no hang,
// no more memory than the bytes are worth.
func FuzzIndex(f *testing.F) {
	key := ext.Digest{}
	data := encodePart(somePart(), key)
	f.Add(data[len(magic)+len(key) : len(data)-4])
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, body []byte) {
		data := append(append([]byte(magic), key[:]...), body...)
		data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
		p := new(part)
		stamps, ok := decodePart(data, key, p)
		if ok && len(stamps)+len(p.Entries)+len(p.Findings)+len(p.Extensions) > len(body) {
			t.Errorf("%d bytes made %d rows", len(body), len(stamps)+len(p.Entries)+len(p.Findings)+len(p.Extensions))
		}
	})
}
