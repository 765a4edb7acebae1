package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// schema is the tree of all tables and keys.
var schema = tableOf(reflect.TypeFor[Settings](), &node{kind: kindTable})

// kind is what a node of the schema holds.
type kind uint8

const (
	kindTable kind = iota // children
	kindNamed             // tables of any name, each with the children
	kindText              // a string
	kindBool              // a boolean
	kindInt               // an integer
	kindOpen              // a table that is kept as it is
	kindWords             // a string, or an array of them; in rows alone
	kindRows              // an array of tables, each with the children
)

// node is one table or key, made from a field's tags.
type node struct {
	name     string // the last part
	path     string // dotted; the name of a named table stands in it as NAME
	doc      string
	kind     kind
	children []*node
	index    []int // of the field, from Settings or from the struct of a named table

	def     any // string, bool or int; nil for tables
	enum    []string
	min     *int
	form    string
	widens  string
	example string // TOML
}

// tableOf fills n with a child for every field of t that has a key.
func tableOf(t reflect.Type, n *node) *node {
	for f := range fields(t) {
		child := &node{
			name: f.Tag.Get("toml"), doc: f.Tag.Get("doc"),
			form: f.Tag.Get("form"), widens: f.Tag.Get("widens"), example: f.Tag.Get("example"),
			index: append(n.index[:len(n.index):len(n.index)], f.Index...),
		}
		child.path = join(n.path, child.name)
		child.shape(f)
		n.children = append(n.children, child)
	}
	return n
}

func fields(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("toml") != "" && !yield(f) {
				return
			}
		}
	}
}

// shape takes the rest from the field's type. It panics on a field that cannot
// be a key, which the first test finds.
func (n *node) shape(f reflect.StructField) {
	def := f.Tag.Get("default")
	switch t := f.Type; {
	case t == reflect.TypeFor[Rows]():
		n.kind = kindRows
		n.children = tableOf(rows[n.name].of, &node{path: n.path}).children
	case t == reflect.TypeFor[[]string]():
		n.kind = kindWords
	case t == reflect.TypeFor[ext.Doc]():
		n.kind = kindOpen
	case t.Kind() == reflect.Struct:
		n.kind = kindTable
		tableOf(t, n)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		n.kind = kindNamed
		rows := tableOf(t.Elem(), &node{path: n.path + ".NAME"})
		n.children = rows.children
	case t.Kind() == reflect.String:
		n.kind, n.def = kindText, def
		if enum := f.Tag.Get("enum"); enum != "" {
			n.enum = strings.Split(enum, ",")
		}
	case t.Kind() == reflect.Bool:
		n.kind, n.def = kindBool, def == "true"
	case t.Kind() == reflect.Int:
		n.kind, n.def = kindInt, must(strconv.Atoi(def))
		if least := f.Tag.Get("min"); least != "" {
			n.min = new(must(strconv.Atoi(least)))
		}
	default:
		panic(fmt.Sprintf("config: field %s cannot be a key", f.Name))
	}
	n.known()
}

func (n *node) known() {
	if n.form != "" && forms[n.form].says == "" || n.widens != "" && widenings[n.widens] == nil || n.doc == "" {
		panic(fmt.Sprintf("config: key %s has an unknown form, an unknown widening or no doc", n.path))
	}
}

func must(i int, err error) int {
	if err != nil {
		panic(err)
	}
	return i
}

// isKey is true for what has a value and false for tables of keys.
func (n *node) isKey() bool { return n.kind > kindNamed && n.kind < kindWords }

// keys calls yield for every key outside named tables, in the order of Settings.
func (n *node) keys(yield func(*node) bool) bool {
	for _, c := range n.children {
		if c.isKey() && !yield(c) || c.kind == kindTable && !c.keys(yield) {
			return false
		}
	}
	return true
}

func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// variable is the name of the environment variable that sets a key.
func (n *node) variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(n.path, ".", "_"))
}

var bare = pattern.New(`^[A-Za-z0-9_-]+$`)

// join is the dotted key of last in the table named before, quoted where TOML
// wants it so.
func join(before, last string) string {
	if !bare.MatchString(last) {
		last = ext.Quote(last)
	}
	if before == "" {
		return last
	}
	return before + "." + last
}
