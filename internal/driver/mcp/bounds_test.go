package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// scripted is the wire to a server that answers as a function does.
type scripted struct {
	fickle
	answer func(f *rpc.Frame) []byte // the result
	sent   [][]byte                  // every message that it sent, whole
}

func (w *scripted) send(_ context.Context, m *letter) error {
	id, ok := m.id, m.id != 0
	f := m.frame
	if !ok {
		return nil
	}
	w.sent = append(w.sent, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, id, w.answer(f)))
	w.conn.take(w.sent[len(w.sent)-1], 0)
	return nil
}

func script(j *journal, answer func(f *rpc.Frame) []byte) *scripted {
	w := &scripted{fickle: fickle{conn: newConn(j)}, answer: answer}
	w.conn.wire, w.conn.shared = w, true
	return w
}

var toolsOnly = &hello{offers: map[string]bool{"tools": true}}

// TestDescriptionKeepsNoPages wants the pages of a list to be given up when
// their entries were taken out of them.
func TestDescriptionKeepsNoPages(t *testing.T) {
	pages := 0
	w := script(&journal{}, func(*rpc.Frame) []byte {
		pages++
		return fmt.Appendf(nil, `{"pad":"%s","tools":[{"name":"t%d"}],"nextCursor":"%d"}`, strings.Repeat("x", 1000), pages, pages)
	})
	d := &description{conn: w.conn}
	items, err := d.drain(context.Background(), lists()[0])
	if err != nil || len(items) != maxPages {
		t.Fatalf("got %d entries, %v; want %d", len(items), err, maxPages)
	}
	for _, page := range w.sent {
		clear(page)
	}
	for i, item := range items {
		if want := fmt.Sprintf(`{"name":"t%d"}`, i+1); string(item) != want {
			t.Fatalf("entry %d without its page: got %q, want %s", i, item, want)
		}
	}
}

// TestDescriptionReadsSoMuch wants a list to be read no further than a bound,
// with a note, whatever makes it long.
func TestDescriptionReadsSoMuch(t *testing.T) {
	pad := strings.Repeat("x", 4<<20)
	for _, c := range []struct {
		name  string
		page  func(i int) string
		pages int
		tools int
		want  string
	}{
		{"padding", func(i int) string {
			return fmt.Sprintf(`{"pad":"%s","tools":[{"name":"t%d"}],"nextCursor":"%d"}`, pad, i, i)
		}, maxRead / len(pad), maxRead / len(pad), "its pages are more than 32 MiB"},
		{"padding in what is dropped", func(i int) string {
			return fmt.Sprintf(`{"tools":[{"name":"same"},{"pad":"%s"}],"nextCursor":"%d"}`, pad, i)
		}, maxRead / len(pad), 1, "its pages are more than 32 MiB"},
		{"a cursor", func(i int) string {
			return fmt.Sprintf(`{"tools":[{"name":"t%d"}],"nextCursor":"%s"}`, i, pad)
		}, 1, 1, "a cursor is longer than 64 KiB"},
		{"entries of one page", func(int) string {
			return `{"tools":[{"name":"first"}` + strings.Repeat(",1", 1<<20) + `]}`
		}, 1, 1, "more than 10000 entries"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pages := 0
			w := script(&journal{}, func(*rpc.Frame) []byte {
				pages++
				return []byte(c.page(pages))
			})
			d, err := describe(context.Background(), w.conn, toolsOnly)
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(d.notes, "\n"); pages != c.pages || d.counts.tools != c.tools || !strings.Contains(notes, c.want) {
				t.Errorf("got %d pages, %d tools and %q; want %d, %d and a note that has %q", pages, d.counts.tools, notes, c.pages, c.tools, c.want)
			}
		})
	}
}

// TestGreetingBounded wants what a server says when it is greeted to count as
// a part of its description, and too much of it to be left out with a note.
func TestGreetingBounded(t *testing.T) {
	long := strings.Repeat("é", maxInstructions)
	w := script(&journal{}, func(f *rpc.Frame) []byte {
		if f.Method == "initialize" {
			return []byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"pad":"` + long + `"}},` +
				`"serverInfo":{"name":"` + strings.Repeat("x", maxBytes) + `"},"instructions":"a` + long + `"}`)
		}
		return []byte(`{"tools":[{"name":"small"},{"name":"` + strings.Repeat("y", maxBytes-512<<10) + `"}]}`)
	})
	h, err := shake(context.Background(), w.conn, Client{}, &abilities{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.sent {
		clear(m)
	}
	d, err := describe(context.Background(), w.conn, h)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Capabilities map[string]struct{ Pad string }
		ServerInfo   any
		Instructions string
		Tools        []any
		Notes        []string
	}
	if err := json.Unmarshal(d.doc, &got); err != nil {
		t.Fatal(err)
	}
	if want := "a" + long[:maxInstructions-2]; got.Instructions != want {
		t.Errorf("instructions: got %d bytes, want the first %d", len(got.Instructions), len(want))
	}
	if got.ServerInfo != nil || got.Capabilities["tools"].Pad != long || len(got.Tools) != 1 || len(d.doc) > maxBytes+1<<10 {
		t.Errorf("got %d bytes with %d tools, want its capabilities, one tool, no serverInfo, and 8 MiB at most", len(d.doc), len(got.Tools))
	}
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"its serverInfo is longer than 2048 KiB", "its instructions are longer than 256 KiB", "8 MiB in all"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes: got %q, want %q in them", notes, want)
		}
	}
}

// TestInstructionsWhole wants instructions that are short enough to stay the
// bytes that came.
func TestInstructionsWhole(t *testing.T) {
	raw := `"` + strings.Repeat(`\u0061`, maxInstructions) + `"`
	h, err := readHello([]byte(`{"protocolVersion":"2025-06-18","instructions":` + raw + `}`))
	if err != nil || string(h.parts["instructions"]) != raw || len(h.notes) != 0 {
		t.Errorf("got %d bytes, %q, %v; want the %d that came", len(h.parts["instructions"]), h.notes, err, len(raw))
	}
}

// drained is all that waits in a lane.
func drained(t *testing.T, l *Lane) (out []string) {
	t.Helper()
	l.finish(l.conn)
	for {
		raw, err := l.Recv(context.Background())
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
}

// TestLaneHoldsSoMuch wants notices that nobody fetches to be dropped beyond a
// number and beyond their bytes, the oldest first, with a note, and no question
// of the server to be dropped or to lose its place.
func TestLaneHoldsSoMuch(t *testing.T) {
	for _, c := range []struct {
		name       string
		size, kept int
	}{
		{"many", 0, maxQueued},
		{"large", 1 << 20, maxHeld>>20 - 1}, // with what is around the padding
		{"too large", maxHeld, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			w := script(&journal{path: path}, nil)
			l, err := w.conn.lane(nil)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{}
			notices := c.kept + 10
			pad := strings.Repeat("x", c.size)
			for i := range notices {
				if i == 3 || i == notices-1 { // a question between notices, and one before the last
					question := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list","params":{"pad":"%s"}}`, i, pad)
					f, err := rpc.Read([]byte(question))
					if err != nil {
						t.Fatal(err)
					}
					l.bring(&f, nil)
					want = append(want, question)
				}
				notice := fmt.Sprintf(`{"jsonrpc":"2.0","method":"x","params":{"i":%d,"pad":"%s"}}`, i, pad)
				f, err := rpc.Read([]byte(notice))
				if err != nil {
					t.Fatal(err)
				}
				l.bring(&f, nil)
				if i >= notices-c.kept {
					want = append(want, notice)
				}
			}
			got := drained(t, l)
			if len(got) != len(want) {
				t.Fatalf("got %d frames, want 2 questions and %d notices", len(got), c.kept)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("frame %d: got %.80q, want %.80q", i, got[i], want[i])
				}
			}
			l.Close()
			w.conn.log.close()
			b, err := os.ReadFile(path)
			if err != nil || strings.Count(string(b), "the oldest notices are dropped") != 1 || !strings.Contains(string(b), "10 notices were dropped") {
				t.Errorf("log: got %q, %v; want one note when it began and the count", b, err)
			}
		})
	}
}

// TestLaneKeepsNoBatch wants a notice to be kept without the batch that it came
// in.
func TestLaneKeepsNoBatch(t *testing.T) {
	w := script(&journal{}, nil)
	l, err := w.conn.lane(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.conn.launch(&flight{errand: &errand{lane: l}, caller: true}); err != nil {
		t.Fatal(err)
	}
	const notice = `{"jsonrpc":"2.0","method":"notifications/message"}`
	batch := []byte(`[` + notice + `, "padding"]`)
	w.conn.take(batch, 0)
	clear(batch)
	if got := drained(t, l); len(got) != 1 || got[0] != notice {
		t.Errorf("got %q, want the notice", got)
	}
}

// TestBatchBounded wants a batch of more messages than are taken in to be
// noise.
func TestBatchBounded(t *testing.T) {
	w := script(&journal{}, nil)
	w.conn.take([]byte(`[`+strings.Repeat(`1,`, rpc.MaxBatch)+`1]`), 0)
	if got := w.conn.log.counted(); got != 1 {
		t.Errorf("noise: got %d lines, want the batch as one", got)
	}
}

// TestUnheardTold wants notices that belonged to nobody to be noted in the end.
func TestUnheardTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w := script(&journal{path: path}, nil)
	for range 2 {
		l, err := w.conn.lane(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.conn.launch(&flight{errand: &errand{lane: l}, caller: true}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		w.conn.take([]byte(`{"jsonrpc":"2.0","method":"notifications/message"}`), 0)
	}
	w.conn.end(errClosed)
	w.conn.log.close()
	if b, err := os.ReadFile(path); err != nil || !strings.Contains(string(b), "3 notices reached nobody") {
		t.Errorf("log: got %q, %v; want the 3 notices", b, err)
	}
}

// TestStdioOmits wants a server that asks without end and reads no answer to
// cost a bounded queue and two notes, and no answer to repeat an endless id.
func TestStdioOmits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	c := newConn(&journal{path: path})
	w := &stdio{conn: c, out: make(chan []byte, outbox)} // nobody takes anything out
	c.wire = w
	c.take([]byte(`{"jsonrpc":"2.0","id":"`+strings.Repeat("x", maxID)+`","method":"ping"}`), 0)
	if len(w.out) != 0 || c.log.counted() != 1 {
		t.Errorf("an endless id: got %d answers and %d lines of noise, want none and 1", len(w.out), c.log.counted())
	}
	for i := range outbox + 100 {
		c.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i), 0)
	}
	c.end(errClosed)
	c.log.close()
	b, err := os.ReadFile(path)
	if log := string(b); err != nil || len(w.out) != outbox || strings.Count(log, "left out") != 2 || !strings.Contains(log, "100 messages of ours were left out") {
		t.Errorf("got %d answers and %q, %v; want %d, a note when the first was left out, and their number", len(w.out), b, err, outbox)
	}
}
