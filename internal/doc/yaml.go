package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/mortise-dev/mortise/ext"
)

// YAML reads one YAML document. firstLine is the line of the file on which
// data begins. Scalars keep their spelling: nothing but the booleans, numbers
// and nulls of the core schema of YAML 1.2 is anything else than a String.
// Aliases and merge keys are resolved; what they bring in keeps the line where
// it is written. A document without content is Null, without a finding.
func YAML(o ext.Origin, data []byte, firstLine int) (ext.Doc, ext.Findings) {
	return readYAML(o, data, firstLine, nil, nil)
}

// YAMLTagged is YAML for a text in which some tags mean something: a node with one of them
// is a map whose only key is the tag, and whose value is the node as it is without.
func YAMLTagged(o ext.Origin, data []byte, firstLine int, tags ...string) (ext.Doc, ext.Findings) {
	return readYAML(o, data, firstLine, nil, tags)
}

// YAMLRepeated is YAML for a text whose mappings may repeat a key: the first
// counts, and each other is dropped with a finding of the check repeated, whose
// severity is below Error. More than a few are an error all the same.
func YAMLRepeated(o ext.Origin, data []byte, firstLine int, repeated *ext.Check) (ext.Doc, ext.Findings) {
	return readYAML(o, data, firstLine, repeated, nil)
}

func readYAML(o ext.Origin, data []byte, firstLine int, repeated *ext.Check, tags []string) (ext.Doc, ext.Findings) {
	return readYAMLWith(yamlReader{origin: o, repeated: repeated, tags: tags}, data, firstLine)
}

func readYAMLWith(r yamlReader, data []byte, firstLine int) (ext.Doc, ext.Findings) {
	o := r.origin
	body, found := text(o, data, firstLine)
	if len(body) > MaxYAML {
		found.Add(YAMLTooLarge.At(o.At(o.Path, firstLine), "the text has %d bytes, at most %d are read", len(body), MaxYAML))
	}
	if found.Failed() {
		return ext.Doc{}, found
	}
	body = LineFeeds(body)
	r.data, r.lines, r.found = body, yamlLines(body, firstLine), found
	root, ok := r.compose()
	if !ok {
		return ext.Doc{}, r.found
	}
	if root == nil {
		return ext.Doc{File: o.Path, Line: firstLine}, r.found
	}
	d, _ := r.node(root, 1)
	if r.found.Failed() {
		return ext.Doc{}, r.found
	}
	return d, r.found
}

// yamlReader turns the nodes of the library into ours.
type yamlReader struct {
	origin ext.Origin
	data   []byte
	lines  lineTable
	found  ext.Findings

	repeated *ext.Check // tells of a key that is repeated and dropped; nil where that is an error
	tags     []string   // that mean something to who asked
	eleven   bool       // see YAML11
	odd      bool       // a date or a key that is no text in YAML 1.1 was told

	aliased int          // nodes made through aliases
	open    []*yaml.Node // targets of the aliases being followed
}

// node converts n. It reports false when converting cannot go on; the reason
// is then a finding.
func (r *yamlReader) node(n *yaml.Node, depth int) (ext.Doc, bool) {
	if n.Kind == yaml.AliasNode {
		return r.alias(n, depth)
	}
	if !r.count(n, depth) {
		return ext.Doc{}, false
	}
	d := ext.Doc{File: r.origin.Path, Line: r.lines.of(n.Line)}
	ok := true
	switch n.Kind {
	case yaml.MappingNode:
		d.Kind = ext.Map
		d.Map, ok = r.pairs(n, depth)
	case yaml.SequenceNode:
		d.Kind = ext.List
		d.List, ok = r.list(n, depth)
	default:
		d.Kind, d.Text = r.scalar(n)
	}
	if n.Style&yaml.TaggedStyle != 0 && slices.Contains(r.tags, n.Tag) {
		return r.tagged(n, d), ok
	}
	r.tag(n)
	return d, ok
}

// tagged is a node whose tag means something.
func (r *yamlReader) tagged(n *yaml.Node, d ext.Doc) ext.Doc {
	if n.Kind == yaml.ScalarNode && n.Style&quotedStyles == 0 {
		if d.Kind = PlainKind(n.Value); d.Kind == ext.Null {
			d.Text = ""
		}
	}
	return ext.Doc{Kind: ext.Map, File: d.File, Line: d.Line, Map: []ext.Pair{{Key: n.Tag, Line: d.Line, Value: d}}}
}

func (r *yamlReader) list(n *yaml.Node, depth int) ([]ext.Doc, bool) {
	list := make([]ext.Doc, 0, len(n.Content))
	for _, c := range n.Content {
		d, ok := r.node(c, depth+1)
		if !ok {
			return nil, false
		}
		list = append(list, d)
	}
	return list, true
}

func (r *yamlReader) pairs(n *yaml.Node, depth int) ([]ext.Pair, bool) {
	var seen keys
	pairs := make([]ext.Pair, 0, len(n.Content)/2)
	var merge *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" && merge == nil {
			merge = v
			continue
		}
		key, ok := r.key(k)
		if !ok {
			return nil, false
		}
		line := r.lines.of(k.Line)
		first := seen.line(pairs, key)
		if first > 0 {
			ok = r.repeat(line, key, first)
		}
		d, went := r.node(v, depth+1)
		if !ok || !went {
			return nil, false
		}
		if first > 0 && r.eleven {
			last(pairs, ext.Pair{Key: key, Line: line, Value: d})
			continue
		}
		if first > 0 && r.repeated != nil {
			continue
		}
		pairs = append(pairs, ext.Pair{Key: key, Line: line, Value: d})
	}
	if merge != nil {
		return r.merged(pairs, merge, depth, &seen)
	}
	return pairs, true
}

// repeat tells of a key that is repeated. It reports whether to read on.
func (r *yamlReader) repeat(line int, key string, first int) bool {
	switch {
	case r.repeated == nil && !r.eleven:
		return r.add(Repeated(YAMLDuplicateKey, r.at(line), key, first))
	case len(r.open) > 0: // told where it is written
		return true
	case len(r.found) >= maxFaults:
		return r.stop(Repeated(YAMLDuplicateKey, r.at(line), key, first))
	}
	if r.eleven {
		r.found.Add(Repeated(YAMLLastCounts, r.at(line), key, first).With("Keep one of the two; the one on line %d counts now.", line))
		return true
	}
	r.found.Add(Repeated(r.repeated, r.at(line), key, first))
	return true
}

// last puts p in the place of the pair with its key.
func last(pairs []ext.Pair, p ext.Pair) {
	for i := range pairs {
		if pairs[i].Key == p.Key {
			pairs[i] = p
		}
	}
}

// Repeated is the finding of check c for a key at o that is also on line first.
func Repeated(c *ext.Check, o ext.Origin, key string, first int) ext.Finding {
	f := c.At(o, "key %s is here and on line %d", quoted(key), first)
	if c.Severity >= ext.Error {
		return f
	}
	return f.With("Keep one of the two; the one on line %d counts now.", first)
}

// key is the text of a key. A key that is no scalar is a finding and ends the
// reading.
func (r *yamlReader) key(k *yaml.Node) (string, bool) {
	target := k
	if k.Kind == yaml.AliasNode {
		target = k.Alias
	}
	if target.Kind != yaml.ScalarNode {
		return "", r.stop(YAMLKey.At(r.at(r.lines.of(k.Line)), "a key is %s; text was expected", shape(target)))
	}
	if r.eleven && !r.odd && target.Style&quotedStyles == 0 && plainKind11(target.Value) != ext.String {
		r.odd = true
		r.found.Add(YAMLKeyText.At(r.at(r.lines.of(k.Line)), "the key %s is kept as text", quoted(target.Value)))
	}
	return target.Value, true
}

// merged adds what the merge key << brings in: of each mapping, in order, the
// keys that are not there yet.
func (r *yamlReader) merged(pairs []ext.Pair, from *yaml.Node, depth int, seen *keys) ([]ext.Pair, bool) {
	d, ok := r.node(from, depth+1)
	if !ok {
		return nil, false
	}
	sources := []ext.Doc{d}
	if d.Kind == ext.List {
		sources = d.List
	}
	for _, s := range sources {
		if s.Kind != ext.Map {
			return nil, r.stop(YAMLSyntax.At(r.at(r.lines.of(from.Line)), "the merge key << has %s; a mapping was expected", s.Kind))
		}
		for _, p := range s.Map {
			if seen.line(pairs, p.Key) == 0 {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs, true
}

func (r *yamlReader) alias(n *yaml.Node, depth int) (ext.Doc, bool) {
	if slices.Contains(r.open, n.Alias) {
		return ext.Doc{}, r.stop(YAMLAliasLimit.At(r.at(r.lines.of(n.Line)), "alias %s stands for something that contains it", quoted("*"+n.Value)))
	}
	r.open = append(r.open, n.Alias)
	d, ok := r.node(n.Alias, depth)
	r.open = r.open[:len(r.open)-1]
	return d, ok
}

// count holds the limits.
func (r *yamlReader) count(n *yaml.Node, depth int) bool {
	if len(r.open) > 0 {
		r.aliased++
	}
	at := r.at(r.lines.of(n.Line))
	switch {
	case depth > MaxDepth && n.Kind != yaml.ScalarNode:
		return r.stop(deep(at))
	case r.aliased > maxAliased:
		return r.stop(YAMLAliasLimit.At(at, "the aliases stand for more than %d values", maxAliased))
	}
	return true
}

// tag tells of a tag that has no meaning here.
func (r *yamlReader) tag(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle == 0 || slices.Contains(known, n.Tag) || len(r.open) > 0 || len(r.found) >= maxFaults {
		return
	}
	if r.eleven {
		r.found.Add(YAMLTagUnknown.At(r.at(r.lines.of(n.Line)), "tag %s means nothing here", quoted(n.Tag)))
		return
	}
	r.found.Add(YAMLTag.At(r.at(r.lines.of(n.Line)), "tag %s was ignored", quoted(n.Tag)))
}

var known = []string{"!!str", "!!null", "!!bool", "!!int", "!!float", "!!seq", "!!map"}

func (r *yamlReader) at(line int) ext.Origin { return r.origin.At(r.origin.Path, line) }

// add reports whether there is room for more findings.
func (r *yamlReader) add(f ext.Finding) bool {
	r.found.Add(f)
	return len(r.found) < maxFaults
}

func (r *yamlReader) stop(f ext.Finding) bool {
	r.found.Add(f)
	return false
}

func deep(at ext.Origin) ext.Finding {
	return NestingLimit.At(at, "the document is nested more than %d levels deep", MaxDepth)
}

func shape(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode {
		return "a list"
	}
	return "a mapping"
}

// compose has the library read the text: one document, or none.
func (r *yamlReader) compose() (*yaml.Node, bool) {
	limits := &yamlLimits{}
	root, next, err := load(r.data, limits)
	switch {
	case limits.deep:
		at := r.lines.of(1)
		if fault := (*yaml.LoadError)(nil); errors.As(err, &fault) {
			at = r.lines.of(fault.Mark.Line)
		}
		return nil, r.stop(deep(r.at(at)))
	case err != nil:
		return nil, r.stop(r.syntax(err))
	case next != nil:
		return nil, r.stop(YAMLMultipleDocuments.At(r.at(r.lines.of(next.Line)), "another document begins here; one was expected"))
	case root == nil || len(root.Content) == 0:
		return nil, true
	}
	return root.Content[0], true
}

// load reads up to two documents; what is not there is nil. The library must
// not end the program, whatever the text is.
func load(data []byte, limits *yamlLimits) (root, next *yaml.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the text cannot be read: %v", v)
		}
	}()
	l, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(limits))
	if err != nil {
		return nil, nil, err
	}
	root, next = new(yaml.Node), new(yaml.Node)
	if err := l.Load(root); err != nil {
		return nil, nil, unlessEOF(err)
	}
	if err := l.Load(next); err != nil {
		return root, nil, unlessEOF(err)
	}
	return root, next, nil
}

func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// yamlLimits bounds the library while it reads. Aliases are bounded later,
// when they are followed.
type yamlLimits struct{ deep bool }

var errDeep = errors.New("nested too deeply")

// CheckDepth is called by the library at each deeper level.
func (l *yamlLimits) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > MaxDepth {
		l.deep = true
		return errDeep
	}
	return nil
}

// CheckAlias is called by the library before it follows an alias.
func (l *yamlLimits) CheckAlias(int, int) error { return nil }
