package surfacetest

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// show is a case's outcome as text: what reading noticed, then each entry with
// its value and findings.
func (c *aCase) show() string {
	var b strings.Builder
	for _, f := range c.layout {
		fmt.Fprintf(&b, "- %s\n", f)
	}
	for _, d := range c.broken {
		fmt.Fprintf(&b, "broken: %s\n", d.Path)
		show(&b, d.Findings)
	}
	for _, d := range c.docs {
		if len(d.Findings) > 0 {
			fmt.Fprintf(&b, "read: %s\n", d.Path)
			show(&b, d.Findings)
		}
	}
	for _, e := range c.entries {
		fmt.Fprintf(&b, "%s at %s:%d", ext.Escape(e.Name), e.Origin.Path, e.Origin.Line)
		if e.Findings.Failed() {
			b.WriteString(": at fault\n")
		} else {
			fmt.Fprintf(&b, ": %s\n\t%s\n", ext.Quote(e.Description), dump(reflect.ValueOf(e.Value)))
		}
		show(&b, e.Findings)
	}
	return b.String()
}

func show(b *strings.Builder, fs ext.Findings) {
	for _, f := range fs {
		fmt.Fprintf(b, "\t- %s\n", f)
	}
}

// dump is a value in one line, without what is zero.
func dump(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return dump(v.Elem())
	case reflect.Struct:
		if d, ok := v.Interface().(ext.Doc); ok {
			return compact(&d)
		}
		var parts []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+"="+dump(f))
			}
		}
		return "{" + strings.Join(parts, " ") + "}"
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = dump(v.Index(i))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.String:
		return ext.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// compact is a node in one line.
func compact(d *ext.Doc) string {
	var parts []string
	switch d.Kind {
	case ext.Map:
		for i := range d.Map {
			parts = append(parts, ext.Escape(d.Map[i].Key)+":"+compact(&d.Map[i].Value))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case ext.List:
		for i := range d.List {
			parts = append(parts, compact(&d.List[i]))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case ext.String:
		return ext.Quote(ext.Shorten(d.Text, 60))
	case ext.Null:
		return "null"
	}
	return ext.Escape(d.Text)
}
