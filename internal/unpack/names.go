package unpack

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/mortise-dev/mortise/ext"
)

const (
	maxName  = 255  // bytes of one part of a path: more fits on no system
	maxPath  = 1024 // bytes of a path
	maxDepth = 64
	maxLinks = 40 // that lead to one place
)

// Names judges the names of one tree as they come. Make it with NewNames.
type Names struct {
	bounds  Bounds
	entries int
	bytes   int64
	kinds   map[string]Kind   // of what was added, and of the directories above
	folded  map[string]string // what of them a system without case calls them, and the name
}

// NewNames is for a tree of which nothing is known yet.
func NewNames(b Bounds) *Names {
	return &Names{bounds: b.Whole(), kinds: map[string]Kind{}, folded: map[string]string{}}
}

// Add judges one entry. The error is a *RefusedError.
func (n *Names) Add(name string, kind Kind, size int64) error {
	if fault := wrong(name); fault != "" {
		return refuse("%s %s", ext.Quote(ext.Shorten(name, 200)), fault)
	}
	n.entries++
	n.bytes += max(size, 0)
	switch {
	case n.entries > n.bounds.Entries:
		return over("it holds more than %d files and directories", n.bounds.Entries)
	case size > n.bounds.File:
		return over("%s has %d bytes, and a file may have %d", ext.Quote(name), size, n.bounds.File)
	case size < 0 || n.bytes > n.bounds.Bytes:
		return over("its files have more than %d MiB", n.bounds.Bytes>>20)
	}
	if err := n.above(path.Dir(name)); err != nil {
		return err
	}
	return n.place(name, kind)
}

// above makes directories of what lies above an entry.
func (n *Names) above(dir string) error {
	if dir == "." || n.kinds[dir] == Dir {
		return nil
	}
	if err := n.above(path.Dir(dir)); err != nil {
		return err
	}
	return n.place(dir, Dir)
}

// place takes a name for an entry.
func (n *Names) place(name string, kind Kind) error {
	key := fold(name)
	switch other, taken := n.folded[key]; {
	case taken && other == name && kind == Dir && n.kinds[name] == Dir:
		return nil
	case taken && other == name:
		return refuse("%s is there twice", ext.Quote(name))
	case taken:
		return refuse("%s and %s are one name where case does not count", ext.Quote(other), ext.Quote(name))
	}
	n.folded[key], n.kinds[name] = name, kind
	return nil
}

// wrong says what is wrong with a path, "" when nothing is.
func wrong(name string) string {
	switch {
	case name == "":
		return "is no name"
	case len(name) > maxPath:
		return "is longer than any system takes"
	case strings.HasPrefix(name, "/"):
		return "is an absolute path"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.Count(name, "/") >= maxDepth:
		return "lies too deep"
	}
	for part := range strings.SplitSeq(name, "/") {
		if fault := wrongPart(part); fault != "" {
			return fault
		}
	}
	return ""
}

// wrongPart says what is wrong with one part of a path.
func wrongPart(part string) string {
	switch {
	case part == "" || part == ".":
		return "is no plain path"
	case part == "..":
		return "leads upwards"
	case len(part) > maxName:
		return "has a part that is longer than any system takes"
	case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "holds a control character"
	case strings.Contains(part, `\`):
		return `holds a \, which parts paths on some systems`
	case isGit(part):
		return "is a name of git's own directory, on some system: what lies there is run by git"
	}
	return ""
}

// isGit reports whether some system takes a name for .git: without case, with dots,
// blanks or a stream behind it, by its short form, or with characters that show nothing.
func isGit(part string) bool {
	if !strings.ContainsAny(part, "gG") {
		return false
	}
	part, _, _ = strings.Cut(part, ":")
	part = strings.ToLower(strings.Map(shown, part))
	part = strings.TrimRight(part, ". ")
	if part == ".git" {
		return true
	}
	number, short := strings.CutPrefix(part, "git~")
	return short && number != "" && strings.Trim(number, "0123456789") == ""
}

// shown leaves out what some system does not see in a name.
func shown(r rune) rune {
	if r >= 0x80 && (ext.Hidden(r) || unicode.Is(unicode.Cf, r)) {
		return -1
	}
	return r
}

// fold is what systems without case, or with composed letters, take a name for.
func fold(name string) string {
	ascii, lower := true, true
	for i := range len(name) {
		c := name[i]
		ascii = ascii && c < 0x80
		lower = lower && (c < 'A' || c > 'Z')
	}
	switch {
	case ascii && lower:
		return name
	case ascii:
		return strings.ToLower(name)
	}
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.Map(shown, name))))
}

// End judges the tree whole, and where its links lead: all must stay in it, whatever
// links are on their way. That nothing is there is no fault. Names of the links were
// added.
func (n *Names) End(links map[string]string) error {
	if dir, is := n.repository(); is {
		return refuse("the directory %s is a repository of git: git would run what its configuration names for whoever works there", ext.Quote(dir))
	}
	for name, target := range sorted(links) {
		if fault := n.leads(links, name, target); fault != "" {
			return refuse("the link %s leads to %s: %s", ext.Quote(name), ext.Quote(ext.Shorten(target, 200)), fault)
		}
	}
	return nil
}

// repository is a directory that git takes for a repository without a .git.
func (n *Names) repository() (dir string, is bool) {
	for name := range n.kinds {
		if strings.EqualFold(path.Base(name), "HEAD") {
			dir = path.Dir(name)
			if n.has(dir, "objects") && n.has(dir, "refs") {
				return dir, true
			}
		}
	}
	return "", false
}

func (n *Names) has(dir, name string) bool { return n.folded[fold(path.Join(dir, name))] != "" }

// leads follows a link, part by part.
func (n *Names) leads(links map[string]string, name, target string) string {
	if fault := wrongTarget(target); fault != "" {
		return fault
	}
	at, rest, count := path.Dir(name), strings.Split(target, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "it leaves the tree"
			}
			at = path.Dir(at)
			continue
		}
		at = path.Join(at, part)
		next, link := links[n.actual(at)]
		if !link {
			continue
		}
		if count++; count > maxLinks {
			return "" // it leads in circles, and so nowhere
		}
		if fault := wrongTarget(next); fault != "" {
			return fault
		}
		at, rest = path.Dir(at), append(strings.Split(next, "/"), rest...)
	}
	return ""
}

// actual is the name that a path finds where case does not count.
func (n *Names) actual(name string) string {
	if _, there := n.kinds[name]; there {
		return name
	}
	return n.folded[fold(name)]
}

func wrongTarget(target string) string {
	switch {
	case target == "":
		return "it leads nowhere"
	case len(target) > 4*maxPath:
		return "that is too long"
	case strings.HasPrefix(target, "/"), len(target) > 1 && target[1] == ':':
		return "it is an absolute path"
	case strings.ContainsAny(target, "\\\x00"):
		return `it holds a \, which parts paths on some systems`
	}
	return ""
}

// sorted is a map in the order of its keys, so that the same fault is told each time.
func sorted(m map[string]string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
