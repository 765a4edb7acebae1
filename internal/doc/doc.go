// Package doc holds the JSON, YAML and TOML readers that fill ext.Doc, the one
// positioned form in which structured content travels. Each reader says the
// exact line of every node and of every fault, keeps the spelling of scalars,
// and is bounded in depth, in nodes and in faults whatever it is given.
//
// A reader returns the zero Doc when a finding is an error. The data given to
// a reader must not be changed afterwards: a Doc may share memory with it.
package doc

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

const (
	// MaxDepth is the deepest nesting of lists and maps that a reader accepts.
	MaxDepth = 64
	// MaxNodes is the largest number of nodes that a reader accepts.
	MaxNodes = 200_000
	// MaxYAML is the largest YAML document that is read, in bytes: the library
	// takes time that grows with the square of it. It cannot hold MaxNodes.
	MaxYAML = 256 << 10

	maxAliased = 10_000 // nodes that may come from YAML aliases
	maxFaults  = 20     // after so many faults a reader stops looking for more
	excerpt    = 80     // characters of foreign text in a message
)

const bom = "\ufeff"

// Text checks that data is text: valid UTF-8 without NUL bytes. It returns data
// without its byte order mark, with a finding for everything it met.
func Text(o ext.Origin, data []byte) ([]byte, ext.Findings) { return text(o, data, 1) }

func text(o ext.Origin, data []byte, first int) ([]byte, ext.Findings) {
	var found ext.Findings
	if rest, ok := bytes.CutPrefix(data, []byte(bom)); ok {
		found.Add(BOM.At(o.At(o.Path, first), "the text begins with a byte order mark, which was skipped"))
		data = rest
	}
	if !utf8.Valid(data) {
		found.Add(notUTF8(o, data, first))
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		found.Add(NULByte.At(o.At(o.Path, first+breaks(data[:at])), "the text holds a NUL byte"))
	}
	return data, found
}

func notUTF8(o ext.Origin, data []byte, first int) ext.Finding {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	f := NotUTF8.At(o.At(o.Path, first+breaks(data[:at])), `byte 0x%02X is not valid UTF-8 here`, data[at])
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return f.With("The file is UTF-16: save it as UTF-8.")
	}
	return f
}

// breaks counts the line ends in data: LF, CRLF and lone CR.
func breaks(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if cr := bytes.Count(data, []byte("\r")); cr > 0 {
		n += cr - bytes.Count(data, []byte("\r\n"))
	}
	return n
}

// LineFeeds is data with every line end, CRLF or lone CR, as a line feed; data
// itself when there is none of these.
func LineFeeds(data []byte) []byte {
	if bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
}

// line is the text of the nth line of data, 1-based; "" past its end.
func line(data []byte, n int) string {
	for l := range bytes.Lines(data) {
		if n--; n == 0 {
			return string(bytes.TrimRight(l, "\n"))
		}
	}
	return ""
}

// quoted is foreign text made fit for a message.
func quoted(s string) string { return ext.Quote(ext.Shorten(strings.TrimSpace(s), excerpt)) }

// said is the message of a library, which may hold foreign text, made fit for
// a finding. Backslashes are kept: the libraries escape what they quote.
func said(s string) string {
	return strings.ReplaceAll(ext.Escape(ext.Shorten(s, 2*excerpt)), `\\`, `\`)
}

// keys finds a key that is repeated within one map. The zero value is ready.
type keys struct {
	first map[string]int // line of each key; nil while there are few
	known int            // so many of the pairs are in first
}

// line is where pairs already has key, 0 where it has not. It must be called
// before each pair is added.
func (k *keys) line(pairs []ext.Pair, key string) int {
	const few = 12 // so many are compared one by one
	if k.first == nil {
		if len(pairs) < few {
			for i := range pairs {
				if pairs[i].Key == key {
					return pairs[i].Line
				}
			}
			return 0
		}
		k.first = make(map[string]int, 2*few)
	}
	for ; k.known < len(pairs); k.known++ {
		p := &pairs[k.known]
		if _, ok := k.first[p.Key]; !ok {
			k.first[p.Key] = p.Line
		}
	}
	return k.first[key]
}
