package policy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

// TestMemoryIsWrittenAndRead wants a later process to know what an earlier found
// out, refusals too.
func TestMemoryIsWrittenAndRead(t *testing.T) {
	first := NewMemory(10)
	expressions := []string{`tool == "a" && arguments.x == 1`, `nobody == "\x1b"`, `tool.startsWith("a") || tool in ["b"]`, `tool == "a" && tool == "b"`, `arguments.a.exists(x, x == "b")`}
	for _, e := range expressions {
		first.verdict(e)
	}
	var b bytes.Buffer
	if err := first.Write(&b); err != nil {
		t.Fatal(err)
	}
	second := NewMemory(10)
	if n := second.Read(bytes.NewReader(b.Bytes())); n != len(expressions) || second.Len() != n {
		t.Fatalf("Read: got %d verdicts and then %d, want %d", n, second.Len(), len(expressions))
	}
	for _, e := range expressions {
		got, ok := second.known[keyOf(e)]
		if want := examine(e); !ok || !reflect.DeepEqual(got.Value.(*memo).verdict, want) {
			t.Errorf("%s: got %+v, want %+v", e, got, want)
		}
	}
	var again bytes.Buffer
	if err := second.Write(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Errorf("Write of what was read: got %v and other bytes, want the same", err)
	}
}

// TestMemoryIgnoresWhatIsOdd wants anything but what Write wrote to count as
// nothing.
func TestMemoryIgnoresWhatIsOdd(t *testing.T) {
	m := NewMemory(10)
	m.verdict(`tool == "a"`)
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.String()
	head := fileKind + "\n" + environment + "\n"
	for name, text := range map[string]string{
		"nothing":               "",
		"another kind":          strings.Replace(whole, "verdicts 1", "verdicts 2", 1),
		"another build":         strings.Replace(whole, library, "v0.1.0", 1),
		"cut off":               whole[:len(whole)-1],
		"more":                  whole + " ",
		"changed":               strings.Replace(whole, `"tool"`, `"mode"`, 1),
		"a form that is none":   signed(head, `[{"key":"sha256:`+strings.Repeat("0", 64)+`","v":{"k":{"d":[[{"f":9,"t":"a"}],null,null],"c":1}}}]`),
		"a check that is none":  signed(head, `[{"key":"sha256:`+strings.Repeat("0", 64)+`","v":{"x":[{"c":"x","m":"y"}]}}]`),
		"a key that is unknown": signed(head, `[{"key":"sha256:`+strings.Repeat("0", 64)+`","v":{},"w":1}]`),
		"no list":               signed(head, `{}`),
	} {
		other := NewMemory(10)
		if n := other.Read(strings.NewReader(text)); n != 0 || other.Len() != 0 {
			t.Errorf("%s: got %d verdicts, want none", name, other.Len())
		}
	}
	if n := NewMemory(10).Read(broken{}); n != 0 {
		t.Errorf("a reader that fails: got %d verdicts, want none", n)
	}
	if err := m.Write(broken{}); err == nil {
		t.Error("a writer that fails: got no error")
	}
	rapid.Check(t, func(t *rapid.T) {
		changed := []byte(whole)
		changed[rapid.IntRange(0, len(changed)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		if n := NewMemory(10).Read(bytes.NewReader(changed)); n != 0 {
			t.Fatalf("one byte changed: got %d verdicts, want none", n)
		}
	})
}

func signed(head, body string) string { return head + ext.Sum([]byte(body)).String() + "\n" + body }

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("broken") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

// TestMemoryIsBounded wants the last that were asked about to be kept.
func TestMemoryIsBounded(t *testing.T) {
	m := NewMemory(3)
	for i := range 5 {
		m.verdict(`tool == "a"`)
		m.verdict(fmt.Sprintf("tool == %q", fmt.Sprint(i)))
	}
	if m.Len() != 3 || m.known[keyOf(`tool == "a"`)] == nil || m.known[keyOf(`tool == "0"`)] != nil || m.known[keyOf(`tool == "4"`)] == nil {
		t.Errorf("got %d verdicts, want the 3 asked about last", m.Len())
	}
	if n := NewMemory(0); n.condition(`tool == "a"`) == nil || n.Len() != 0 {
		t.Error("a memory of nothing: want conditions all the same")
	}
}

// TestMemoryShares wants two policies of one expression to have one program, in one
// set and in the next, and a program that nobody has to be dropped.
func TestMemoryShares(t *testing.T) {
	const when = `tool == "shared" && arguments.x == 1`
	func() {
		one := NewSet(rules(Policy{Outcome: Deny, When: when}, Policy{Outcome: Ask, When: when}))
		two := NewSet(rules(Policy{Outcome: Deny, When: when}))
		if one.rules[0].condition != one.rules[1].condition || one.rules[0].condition != two.rules[0].condition {
			t.Error("got several conditions of one expression, want one")
		}
		runtime.KeepAlive(one)
	}()
	runtime.GC()
	runtime.GC()
	if c := Remembered.known[keyOf(when)].Value.(*memo).condition.Value(); c != nil {
		t.Error("the condition is still there after all its sets, want it dropped")
	}
}

// TestMemoryAtOnce wants decoding, judging, reading and writing at once to be safe.
func TestMemoryAtOnce(t *testing.T) {
	m := NewMemory(20)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 60 {
				e := fmt.Sprintf(`tool == "t%d" || arguments.x == %d`, (g+i)%30, i%3)
				m.verdict(e)
				if ok, err := m.condition(e).holds(t.Context(), &question{action: &Action{Tool: fmt.Sprint("t", (g+i)%30)}}); !ok || err != nil {
					t.Errorf("%s: got %v, %v, want true", e, ok, err)
				}
				if i%20 == 0 {
					var b bytes.Buffer
					m.Write(&b)
					m.Read(&b)
				}
			}
		})
	}
	all.Wait()
	if m.Len() > 20 {
		t.Errorf("got %d verdicts, want at most 20", m.Len())
	}
}

// TestLibraryIsTheOneRequired wants what was remembered under one version of the
// library not to be believed under another.
func TestLibraryIsTheOneRequired(t *testing.T) {
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "cel.dev/cel-go " + library + "\n"; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod does not require %q: correct library, on which remembered verdicts depend", strings.TrimSpace(want))
	}
}
