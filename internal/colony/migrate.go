package colony

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// steps make a manifest of one version one of the next: the first is for version 1. What
// they do not speak of stays as it is written.
var steps = []func(ext.Doc) ext.Doc{
	addExtensions,
}

// addExtensions says where each surface lies. What the manifest says already counts.
func addExtensions(d ext.Doc) ext.Doc {
	block := ext.Doc{Kind: ext.Map}
	if own := d.Get("extensions"); own != nil && own.Kind == ext.Map {
		block = *own
	}
	for _, s := range Surfaces {
		if block.Get(string(s)) == nil {
			block = block.With(string(s), surfaceAt(s.Default()))
		}
	}
	return d.With("extensions", block)
}

// Migration is what makes a manifest one of Version.
type Migration struct {
	From, To int
	Manifest *Manifest // as it is then
	Data     []byte    // as a file; what was given where From is To
	Changes  []Difference
}

// Difference is a value that a migration writes: a JSON pointer, and the value as JSON.
type Difference struct {
	Pointer string `json:"pointer"`
	Value   string `json:"value"`
}

// Needed reports whether there is anything to do.
func (m *Migration) Needed() bool { return m.From != m.To }

// Migrate makes a manifest one of Version: what it holds is kept, keys are sorted. One that
// is of Version already is left as it is, to the byte. What cannot be read is an *Error.
func Migrate(data []byte) (*Migration, error) {
	m, d, err := read(data)
	if err != nil {
		return nil, err
	}
	out := &Migration{From: m.Version, To: Version, Manifest: m, Data: data}
	if !out.Needed() {
		return out, nil
	}
	now := d
	for _, step := range steps[m.Version-1:] {
		now = step(now)
	}
	now = now.With("schema_version", number(Version))
	out.Changes = differences("", &d, &now)
	out.Data = encode(&now)
	if out.Manifest, err = Read(out.Data); err != nil { // the step is wrong, or makes it too large
		return nil, fmt.Errorf("migrate the manifest to version %d: %w", Version, err)
	}
	return out, nil
}

// differences are the scalars of now that was has not.
func differences(at string, was, now *ext.Doc) (out []Difference) {
	if now.Kind == ext.Map {
		pairs := slices.SortedFunc(slices.Values(now.Map), func(a, b ext.Pair) int { return cmp.Compare(a.Key, b.Key) })
		for i := range pairs {
			out = append(out, differences(ext.PointerTo(at, pairs[i].Key), was.Get(pairs[i].Key), &pairs[i].Value)...)
		}
		return out
	}
	if was != nil && was.Digest() == now.Digest() {
		return nil
	}
	value := encode(now)
	return []Difference{{at, string(value[:len(value)-1])}}
}
