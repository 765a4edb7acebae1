package conform

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface/agent"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/skill"
)

// claudeEntry is what Claude Code's validation refuses of an entry and is taken
// here. Of files it opens those below the usual directories.
func claudeEntry(c *admit.Contribution) ext.Findings {
	front := frontOf(c)
	if front == nil {
		return claudeGuard(c)
	}
	if front.Kind != ext.Map || !strings.HasPrefix(c.Origin.Path, c.Spec.Dir+"/") {
		return nil
	}
	s := claudeFront[c.Spec.Name]
	return append(s.findings(FrontMatter, c.Origin, front), claudeUnread(c, front)...)
}

// frontOf is the front matter of what has some; else nil.
func frontOf(c *admit.Contribution) *ext.Doc {
	switch v := c.Value.(type) {
	case skill.Skill:
		return &v.Front
	case agent.Agent:
		return &v.Front
	case command.Command:
		return &v.Front
	}
	return nil
}

// Front matter as Claude Code takes it. A value that is null says nothing.
var (
	frontText  = shape{text: anyText, plain: []ext.Kind{ext.Null}}
	frontWords = shape{text: anyText, list: &aText, plain: []ext.Kind{ext.Null}}
	frontLine  = shape{text: anyText, plain: []ext.Kind{ext.Null, ext.Number, ext.Bool}}
	frontShell = shape{text: like(`^(?i)\s*(bash|powershell)\s*$`, "bash or powershell"), plain: []ext.Kind{ext.Null}}

	claudeFront = map[string]shape{
		"skill":   optional(map[string]shape{"name": frontText, "description": frontLine, "allowed-tools": frontWords, "shell": frontShell}),
		"agent":   optional(map[string]shape{"name": frontText, "description": frontLine, "allowed-tools": frontWords}),
		"command": optional(map[string]shape{"name": frontText, "description": frontLine, "allowed-tools": frontWords, "shell": frontShell}),
	}
)

// claudeUnread tells of front matter that was mended here and is not there:
// Claude Code takes nothing of it then, no field at all.
func claudeUnread(c *admit.Contribution, front *ext.Doc) ext.Findings {
	for _, f := range c.Findings {
		lines := f.Check == frontmatter.Lines
		if (lines || f.Check == frontmatter.Requoted) && !claudeMends(front, f.Origin.Line, lines) {
			return ext.Findings{FrontMatter.At(f.Origin, "Claude Code cannot read it as YAML, and takes none of the front matter")}
		}
	}
	return nil
}

// claudeMends reports whether Claude Code reads the value that begins on a line
// and was mended here. Where the YAML is at fault it puts quotes around the
// value of every line "key: value" that has a character with a meaning in it,
// blocks of text included, and tries once more. lines: the value ran over
// several, each of which must then be such a line.
//
// The value is known as it was taken, without quotes at its ends and without
// what all its lines are indented with. Where that leaves it open, it is taken
// to be mended.
func claudeMends(front *ext.Doc, line int, lines bool) bool {
	mended := false
	for _, p := range front.Map {
		switch {
		case p.Line == line:
			mended = p.Value.Kind == ext.String && p.Value.Line == line && everyLine(p, lines)
		case p.Value.Kind == ext.String && strings.Contains(p.Value.Text, "\n"):
			return false // a block
		}
	}
	return mended
}

func everyLine(p ext.Pair, lines bool) bool {
	for i, line := range strings.Split(p.Key+": "+p.Value.Text, "\n") {
		m := claudeLine.FindStringSubmatch(line)
		switch {
		case line == "":
		case m == nil, wrapped(m[1]) && i > 0:
			return false
		case !claudeMeaning.MatchString(m[1]) && !(lines && readable(m[1])):
			return false
		}
	}
	return true
}

var (
	claudeLine    = pattern.New(`^[A-Za-z_-]+:\s+(.+)$`)
	claudeMeaning = pattern.New("[{}\\[\\]*&#!|>%@`]|: ")
)

// wrapped reports whether a value stands in quotes: it is left alone then.
func wrapped(s string) bool {
	return len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0]
}

// readable reports whether a value is YAML as it stands.
func readable(s string) bool {
	_, fs := doc.YAML(ext.Origin{}, []byte("x: "+s), 1)
	return !fs.Failed()
}
