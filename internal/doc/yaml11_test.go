package doc_test

import (
	"fmt"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// TestYAML11 reads one plain scalar as YAML 1.1 has it (behaviour 52), and dates as text.
func TestYAML11(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"on", "bool true"}, {"No", "bool false"}, {"yes", "bool true"}, {"OFF", "bool false"}, {"oN", "string oN"}, {"y", "string y"},
		{"1:30:00", "int64 5400"}, {"12:30", "int64 750"}, {"-1:30", "int64 -90"}, {"1:30.5", "float64 90.5"}, {"017", "int64 15"}, {"0o17", "string 0o17"},
		{"1_000", "int64 1000"}, {"1e3", "string 1e3"}, {"1.0e+3", "float64 1000"}, {"0x1F", "int64 31"}, {"0b101", "int64 5"}, {"0", "int64 0"}, {"08", "string 08"},
		{"99999999999999999999", "*big.Int 99999999999999999999"}, {".5", "float64 0.5"}, {"-.inf", "float64 -Inf"}, {".nan", "float64 NaN"}, {"1.", "float64 1"},
		{"~", "null"}, {"", "null"}, {"'yes'", "string yes"}, {`"12:30"`, "string 12:30"}, {"!!str no", "string no"},
		{"2020-01-01", "string 2020-01-01 (yaml-date)"}, {"2020-1-1 10:00:00", "string 2020-1-1 10:00:00 (yaml-date)"},
	} {
		d, found := doc.YAML11(ext.Origin{Extension: "acme", Path: "a.yaml"}, []byte("k: "+c.in+"\n"))
		v := d.Get("k")
		if v == nil {
			t.Errorf("k: %s: got no value, %v", c.in, found)
			continue
		}
		got := "string " + v.Text
		switch v.Kind {
		case ext.Null:
			got = "null"
		case ext.Bool:
			got = fmt.Sprint("bool ", doc.Bool11(v.Text))
		case ext.Number:
			n, ok := doc.Number11(v.Text)
			if got = fmt.Sprintf("%T %v", n, n); !ok {
				got = "no number"
			}
		}
		for _, f := range found {
			got += " (" + f.Check.Code + ")"
		}
		if got != c.want {
			t.Errorf("k: %s: got %s, want %s", c.in, got, c.want)
		}
	}
}

// TestYAML11Structure wants what the reference drops or overwrites in silence to be told:
// the last of a repeated key counts (behaviour 49), a tag that means nothing refuses
// (51), and so do two documents (48).
func TestYAML11Structure(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a key twice", "a: 1\nb: 2\na: 3\n", "a=3 b=2 [yaml-last-counts 3]"},
		{"a key that is a boolean", "on: 1\n1: 2\n", "on=1 1=2 [yaml-key-text 1]"},
		{"an unknown tag", "a: !thing 1\n", " [yaml-tag-unknown 1]"},
		{"a tag of Python's", "a: !!python/object:os.system 1\n", " [yaml-tag-unknown 1]"},
		{"two documents", "a: 1\n---\nb: 2\n", " [yaml-multiple-documents 2]"},
		{"a value that holds itself", "a: &x\n  b: *x\n", " [yaml-alias-limit 2]"},
		{"a tab", "a:\n\tb: 1\n", " [yaml-syntax 2]"},
		{"merged", "a: &x {k: on}\nb:\n  <<: *x\n", "a= b="},
		{"a byte order mark", "\ufeffa: 1\n", "a=1 [bom 1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, found := doc.YAML11(ext.Origin{Extension: "acme", Path: "a.yaml"}, []byte(c.in))
			got := ""
			for i := range d.Map {
				if i > 0 {
					got += " "
				}
				got += d.Map[i].Key + "=" + d.Map[i].Value.Text
			}
			for _, f := range found {
				got += fmt.Sprintf(" [%s %d]", f.Check.Code, f.Origin.Line)
			}
			if got != c.want {
				t.Errorf("YAML11: got %q, want %q", got, c.want)
			}
		})
	}
}
