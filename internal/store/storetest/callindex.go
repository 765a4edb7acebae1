package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/state"
)

// indexOf is an empty store as an index of calls. Keeping one is optional.
func indexOf(t *testing.T, open opener) (state.CallIndex, state.Store) {
	t.Helper()
	s := open(t)
	x, ok := s.(state.CallIndex)
	if !ok {
		t.Skip("the store keeps no index of calls")
	}
	return x, s
}

func calls(t tester, x state.CallIndex, beginnings ...string) []state.CallSegment {
	t.Helper()
	got, err := x.Calls(t.Context(), beginnings)
	if err != nil {
		t.Fatalf("Calls(%q): got error %v, want none", beginnings, err)
	}
	return got
}

func changeCalls(t tester, x state.CallIndex, c state.CallChange) {
	t.Helper()
	if err := x.ChangeCalls(t.Context(), c); err != nil {
		t.Fatalf("ChangeCalls(%+v): got error %v, want none", c, err)
	}
}

// block is a block with words.
func block(number int, words ...string) state.CallBlock {
	b := state.CallBlock{Number: number, Start: int64(number) * 100, End: int64(number)*100 + 99, Hash: d1}
	for _, w := range words {
		b.Words += "\n" + w
	}
	return b
}

// twoSegments are a segment of two blocks and one of a single block.
func twoSegments(t tester, x state.CallIndex) (a, b state.CallSegment) {
	t.Helper()
	a = state.CallSegment{
		File: "a", Size: 260, Changed: 1 << 60, End: 250, Begun: "1", Last: odd, Sound: true,
		Blocks: []state.CallBlock{block(0, "iAB\x00", "iAC"), block(1, "tquery", "iAC", "iAC", "iB")},
	}
	b = state.CallSegment{File: "b", Size: 1 << 40, Changed: -1, End: 100, Begun: "2", Last: "3", Sound: true, Blocks: []state.CallBlock{block(0, "tquery", "t\xff\xffé")}}
	changeCalls(t, x, state.CallChange{Segment: b, Anew: true})
	changeCalls(t, x, state.CallChange{Segment: a, Anew: true})
	return a, b
}

func testCalls(t *testing.T, open opener) {
	x, _ := indexOf(t, open)
	if got := calls(t, x); len(got) != 0 {
		t.Errorf("Calls of an index that was never changed: got %v, want nothing", got)
	}
	a, b := twoSegments(t, x)
	with := func(s state.CallSegment, numbers ...int) state.CallSegment {
		s.Blocks = nil
		for _, n := range numbers {
			s.Blocks = append(s.Blocks, block(n))
		}
		return s
	}
	for _, c := range []struct {
		name       string
		beginnings []string
		want       []state.CallSegment
	}{
		{"the last blocks", nil, []state.CallSegment{with(a, 1), with(b, 0)}},
		{"a word", []string{"tquery"}, []state.CallSegment{with(a, 1), with(b, 0)}},
		{"a beginning", []string{"iA"}, []state.CallSegment{with(a, 0, 1), with(b)}},
		{"a longer one", []string{"iAB\x00"}, []state.CallSegment{with(a, 0), with(b)}},
		{"two", []string{"iAC", "t"}, []state.CallSegment{with(a, 1), with(b)}},
		{"two in different blocks", []string{"iAB", "t"}, []state.CallSegment{with(a), with(b)}},
		{"bytes that are no text", []string{"t\xff"}, []state.CallSegment{with(a), with(b, 0)}},
		{"what is within a word alone", []string{"query"}, []state.CallSegment{with(a), with(b)}},
		{"a part of a character", []string{"t\xff\xff\xc3"}, []state.CallSegment{with(a), with(b, 0)}},
		{"longer than any", []string{"tquery2"}, []state.CallSegment{with(a), with(b)}},
		{"every word", []string{""}, []state.CallSegment{with(a, 0, 1), with(b, 0)}},
		{"one, and a quote", []string{`' OR 1 --`}, []state.CallSegment{with(a), with(b)}},
	} {
		if diff := cmp.Diff(c.want, calls(t, x, c.beginnings...)); diff != "" {
			t.Errorf("Calls(%s) (-want +got):\n%s", c.name, diff)
		}
	}
}

func testCallsBesideState(t *testing.T, open opener) {
	x, s := indexOf(t, open)
	put(t, s, state.Switch{Extension: "acme"})
	twoSegments(t, x)
	want := state.Snapshot{Revision: 1, Switches: []state.Switch{{Extension: "acme"}}}
	if diff := cmp.Diff(want, load(t, s)); diff != "" {
		t.Errorf("Load after changes of an index (-want +got):\n%s", diff)
	}
	put(t, s, state.Switch{Extension: "b"})
	if got := calls(t, x); len(got) != 2 {
		t.Errorf("Calls after an update of the state: got %d segments, want both", len(got))
	}
}

func testCallsMoved(t *testing.T, open opener) {
	x, _ := indexOf(t, open)
	a, _ := twoSegments(t, x)
	before := calls(t, x, "")
	more := a
	more.End, more.Blocks = 300, []state.CallBlock{block(2, "iZ"), block(1, "iY")}
	other := more
	other.File = "c"
	for _, c := range []struct {
		name   string
		change state.CallChange
	}{
		{"of another end", state.CallChange{Gone: []string{"b"}, Segment: more, Was: 100}},
		{"of a segment that is not kept", state.CallChange{Gone: []string{"b"}, Segment: other, Was: 0}},
	} {
		if err := x.ChangeCalls(t.Context(), c.change); !errors.Is(err, state.ErrMoved) {
			t.Errorf("ChangeCalls(%s): got error %v, want ErrMoved", c.name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.ChangeCalls(ctx, state.CallChange{Gone: []string{"a"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("ChangeCalls with a done context: got error %v, want its own", err)
	}
	if diff := cmp.Diff(before, calls(t, x, "")); diff != "" {
		t.Errorf("Calls after changes that failed (-want +got):\n%s", diff)
	}
	changeCalls(t, x, state.CallChange{Segment: more, Was: 250})
	if got := calls(t, x, "i"); len(got) != 2 || len(got[0].Blocks) != 3 || got[0].End != 300 {
		t.Errorf("Calls after a change that fits: got %+v, want three blocks of a", got)
	}
	if got := calls(t, x, "tq"); len(got[0].Blocks) != 0 {
		t.Errorf("Calls of a word of a block that was replaced: got %+v, want none", got)
	}
}

// callsModel is an index of calls, kept in the plainest way.
type callsModel struct {
	segments map[string]state.CallSegment // Blocks are all, by number
}

func (m *callsModel) change(c state.CallChange) error {
	g := c.Segment
	gone := slices.Clone(c.Gone)
	old, kept := m.segments[g.File]
	if g.File != "" && !c.Anew && (!kept || slices.Contains(gone, g.File) || old.End != c.Was) {
		return state.ErrMoved
	}
	if c.Anew {
		gone = append(gone, g.File)
	}
	for _, file := range gone {
		delete(m.segments, file)
	}
	if g.File == "" {
		return nil
	}
	blocks := slices.Clone(m.segments[g.File].Blocks)
	for _, b := range g.Blocks {
		blocks = append(slices.DeleteFunc(blocks, func(o state.CallBlock) bool { return o.Number == b.Number }), b)
	}
	slices.SortFunc(blocks, func(a, b state.CallBlock) int { return a.Number - b.Number })
	g.Blocks = blocks
	m.segments[g.File] = g
	return nil
}

func (m *callsModel) calls(beginnings []string) (out []state.CallSegment) {
	for _, g := range m.segments {
		var found []state.CallBlock
		for i, b := range g.Blocks {
			has := len(beginnings) > 0 || i == len(g.Blocks)-1
			for _, begin := range beginnings {
				has = has && hasWord(b.Words, begin)
			}
			if b.Words = ""; has {
				found = append(found, b)
			}
		}
		g.Blocks = found
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b state.CallSegment) int { return strings.Compare(a.File, b.File) })
	return out
}

func hasWord(words, beginning string) bool {
	_, words, _ = strings.Cut(words, "\n")
	for w := range strings.SplitSeq(words, "\n") {
		if words != "" && strings.HasPrefix(w, beginning) {
			return true
		}
	}
	return false
}

var (
	genFile  = rapid.SampledFrom([]string{"a", "b", "c"})
	genWord  = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte("ab\x00\xfe\xff'")), 1, 4), func(b []byte) string { return string(b) })
	genBlock = rapid.Custom(func(t *rapid.T) state.CallBlock {
		return state.CallBlock{
			Number: rapid.IntRange(0, 4).Draw(t, "number"), Start: rapid.Int64Range(0, 99).Draw(t, "start"), End: rapid.Int64Range(0, 99).Draw(t, "end"), Hash: genSum.Draw(t, "hash"),
			Words: strings.Join(rapid.Map(rapid.SliceOfN(genWord, 0, 4), func(ws []string) []string {
				return append([]string{""}, ws...)
			}).Draw(t, "words"), "\n"),
		}
	})
	genChange = rapid.Custom(func(t *rapid.T) state.CallChange {
		return state.CallChange{
			Gone: rapid.SliceOfN(genFile, 0, 1).Draw(t, "gone"), Anew: rapid.Bool().Draw(t, "anew"), Was: rapid.Int64Range(0, 1).Draw(t, "was"),
			Segment: state.CallSegment{
				File: rapid.OneOf(rapid.Just(""), genFile, genFile).Draw(t, "file"), Size: rapid.Int64().Draw(t, "size"), Changed: rapid.Int64().Draw(t, "changed"),
				End: rapid.Int64Range(0, 1).Draw(t, "end"), Begun: genText.Draw(t, "begun"), Last: genText.Draw(t, "last"), Sound: rapid.Bool().Draw(t, "sound"),
				Blocks: rapid.SliceOfNDistinct(genBlock, 0, 3, func(b state.CallBlock) int { return b.Number }).Draw(t, "blocks"),
			},
		}
	})
)

func testCallsModel(t *testing.T, open opener) {
	indexOf(t, open)
	rapid.Check(t, func(rt *rapid.T) {
		x, _ := indexOf(t, open)
		m := callsModel{segments: map[string]state.CallSegment{}}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			c := genChange.Draw(rt, "change")
			want, got := m.change(c), x.ChangeCalls(rt.Context(), c)
			if !errors.Is(got, want) {
				rt.Fatalf("ChangeCalls: got error %v, want %v", got, want)
			}
			beginnings := rapid.SliceOfN(genWord, 0, 3).Draw(rt, "beginnings")
			if diff := cmp.Diff(m.calls(beginnings), calls(rt, x, beginnings...)); diff != "" {
				rt.Fatalf("Calls(%q) (-want +got):\n%s", beginnings, diff)
			}
		}
	})
}
