package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// keywords are what a decorator is given, in the order in which it was said.
type keywords []keyword

type keyword struct {
	name  string
	value ext.Doc
}

// taken is what the decorator of deployments takes, and of which kind; one that is not here
// takes an object of Python, which nobody can say in JSON.
var taken = map[string]ext.Kind{
	"name": ext.String, "autoscaling_config": ext.Map, "ray_actor_options": ext.Map, "max_concurrency": ext.Number,
	"logging_config": ext.Map, "health_check_config": ext.Map, "enable_kafka_logs": ext.Bool,
}

// readKeywords takes KEY=VALUE apart.
func readKeywords(flag string, all []string) (keywords, error) {
	var out keywords
	for _, said := range all {
		key, value, ok := strings.Cut(said, "=")
		fail := func(format string, args ...any) error {
			return ext.AsUsage(fmt.Errorf("--%s %s: %s", flag, ext.Quote(ext.Shorten(key, 80)), fmt.Sprintf(format, args...)))
		}
		known := pysrc.Reference().Keywords
		want, ours := taken[key]
		switch near := spelling.Nearest(key, known); {
		case !ok:
			return nil, ext.AsUsage(fmt.Errorf("--%s %s: it is written KEY=VALUE", flag, ext.Quote(ext.Shorten(said, 80))))
		case !slices.Contains(known, key) && near != "":
			return nil, fail("the decorator takes no such argument; did you mean %s?", near)
		case !slices.Contains(known, key):
			return nil, fail("the decorator takes no such argument; it takes %s", strings.Join(known, ", "))
		case !ours:
			return nil, fail("it takes a class or an object of Python; write it into the file yourself")
		case slices.ContainsFunc(out, func(k keyword) bool { return k.name == key }):
			return nil, fail("it is said twice")
		}
		d := ext.Doc{Kind: ext.String, Text: value}
		if want != ext.String {
			var found ext.Findings
			if d, found = doc.JSON(ext.Origin{}, []byte(value)); found.Failed() {
				return nil, fail("its value is no JSON: %s", found[0].Message)
			}
		}
		if d.Kind != want {
			return nil, fail("it takes %s, and not %s", want, d.Kind)
		}
		out = append(out, keyword{key, d})
	}
	return out, nil
}

func (k keywords) as(form string) (string, bool) {
	if form != "arguments" || len(k) == 0 {
		return "", form == "arguments"
	}
	var b strings.Builder
	b.WriteString("(\n")
	for _, one := range k {
		b.WriteString("    " + one.name + "=")
		pythonValue(&b, &one.value)
		b.WriteString(",\n")
	}
	b.WriteString(")")
	return b.String(), true
}

// pythonValue writes a value of JSON as one of Python.
func pythonValue(b *strings.Builder, d *ext.Doc) {
	switch d.Kind {
	case ext.Null:
		b.WriteString("None")
	case ext.Bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[d.Text == "true"])
	case ext.Number:
		b.WriteString(number(d.Text))
	case ext.List:
		b.WriteByte('[')
		for i := range d.List {
			if i > 0 {
				b.WriteString(", ")
			}
			pythonValue(b, &d.List[i])
		}
		b.WriteByte(']')
	case ext.Map:
		b.WriteByte('{')
		for i := range d.Map {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quoted(d.Map[i].Key) + ": ")
			pythonValue(b, &d.Map[i].Value)
		}
		b.WriteByte('}')
	default:
		b.WriteString(quoted(d.Text))
	}
}

// number is a number of JSON as Python writes it, which has the same ones; anything else is
// written as a text, and so not lost.
func number(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err != nil || strings.Trim(s, "0123456789+-.eE") != "" {
		return quoted(s)
	}
	return s
}
