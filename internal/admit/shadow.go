package admit

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Shadows is a server's tool that passes for another's.
var Shadows = &ext.Check{
	Code: "tool-shadows", Severity: ext.Error,
	Doc: "A server's tool goes by the name by which clients call a tool of another server, or of Mortise: as its own name, as a title, or so nearly that nobody sees the difference. An agent that means the other could call this one. It is refused.",
	Fix: "Disable the server, or tell its authors; a tool that has this name in good faith must be renamed by them.",
}

// presenting is a value that says what its entry goes by: names that agents and
// people see.
type presenting interface{ Presents() []string }

// callable is a tool as clients call it.
type callable struct {
	extension    ext.Name
	server       string // "" for code
	called       string // by clients
	at           int    // where its tree stands in the order of the candidates
	contribution *Contribution
}

// shadow refuses the tools of servers that pass for others. Names that clients call
// tools by differ by construction, so what is left is a tool that goes by another's
// such name, as its own or as a title, and two such names that nobody can tell apart,
// of which the later is refused. It depends on names alone, not on who was there
// first, so that a server cannot take a name by being earlier; and what is pending or
// disabled has its name all the same.
func shadow(ds []Decision, rules *Rules) {
	if rules.Called == nil {
		return
	}
	tools, by := callables(ds, rules), map[string][]*callable{}
	for i := range tools {
		k := lookAlike(tools[i].called)
		by[k] = append(by[k], &tools[i])
	}
	for i := range tools {
		t := &tools[i]
		if t.server == "" || t.contribution.Status == EntryDisabled {
			continue
		}
		for _, name := range t.contribution.Value.(presenting).Presents() {
			t.passesFor(by[lookAlike(name)], name)
		}
		earlier := slices.DeleteFunc(slices.Clone(by[lookAlike(t.called)]), func(o *callable) bool { return o.at >= t.at })
		t.passesFor(earlier, t.called)
	}
}

// callables are the tools of servers, as these describe themselves, and those that
// are built in. What is refused for a fault of its own is none.
func callables(ds []Decision, rules *Rules) []callable {
	var out []callable
	for i := range ds {
		d := &ds[i]
		served := d.tree.Describes
		if d.status == Outdated || served == nil && d.tree.Origin.Trust < ext.Builtin {
			continue
		}
		for j := range d.contributions {
			c := &d.contributions[j]
			if !c.Spec.Called || c.Status == EntryRefused {
				continue
			}
			t := callable{extension: d.tree.Extension, at: i, contribution: c}
			name := c.Name
			if served != nil {
				if _, ok := c.Value.(presenting); !ok {
					continue
				}
				t.server, name = served.Entry, strings.TrimPrefix(c.Name, served.Entry+"/")
			}
			t.called = rules.Called(t.extension, t.server, name)
			out = append(out, t)
		}
	}
	return out
}

// passesFor refuses t when it goes by the name of a tool of another server's.
func (t *callable) passesFor(others []*callable, name string) {
	c := t.contribution
	for _, o := range others {
		if c.Status == EntryRefused || o.extension == t.extension && o.server == t.server {
			continue
		}
		c.Status, c.Reason = EntryRefused, "it passes for another server's tool"
		c.Findings = append(slices.Clip(c.Findings), Shadows.At(c.Origin, "the tool %s goes by %s, and clients call %s by %s",
			ext.Quote(ext.Shorten(ext.Qualified(t.extension, c.Name), 200)), ext.Quote(ext.Shorten(name, 200)),
			ext.Quote(ext.Shorten(ext.Qualified(o.extension, o.contribution.Name), 200)), ext.Quote(o.called)))
		return
	}
}

// lookAlike is the key under which names compare that people cannot tell apart:
// surface.Fold, and letters of other scripts, and digits, as the Latin letters that
// they look like.
func lookAlike(name string) string {
	key := make([]byte, 0, 64)
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 0x80:
			return looks.Replace(surface.Fold(name))
		case c == 'n' || c == 'N':
			if n := len(key); n > 0 && key[n-1] == 'r' {
				key[n-1] = 'm'
				continue
			}
			key = append(key, 'n')
		case c >= 'A' && c <= 'Z':
			key = append(key, alike(c+'a'-'A'))
		default:
			key = append(key, alike(c))
		}
	}
	return string(key)
}

// alike is looks for one character.
func alike(c byte) byte {
	switch c {
	case '0':
		return 'o'
	case '1', 'i', '|':
		return 'l'
	}
	return c
}

// looks are what looks like a letter that stands in names that clients call by,
// after folding: of Cyrillic, Greek, Armenian and others the forms that are drawn
// alike. Of ASCII it does what lookAlike does itself, which is faster.
var looks = strings.NewReplacer(
	"0", "o", "1", "l", "i", "l", "|", "l",
	"а", "a", "ɑ", "a", "α", "a",
	"ь", "b", "в", "b", "β", "b",
	"с", "c", "ϲ", "c", "ᴄ", "c",
	"ԁ", "d", "ɗ", "d",
	"е", "e", "ҽ", "e", "є", "e", "ε", "e",
	"ƒ", "f", "ғ", "f",
	"ɡ", "g", "ց", "g",
	"һ", "h", "н", "h", "η", "h", "հ", "h",
	"і", "l", "ı", "l", "ι", "l", "ӏ", "l", "ǀ", "l", "ⅰ", "l",
	"ј", "j", "ϳ", "j",
	"к", "k", "κ", "k",
	"м", "m", "μ", "m", "rn", "m",
	"п", "n", "ո", "n", "ν", "v", "ѵ", "v",
	"о", "o", "ο", "o", "օ", "o", "σ", "o", "ө", "o", "ø", "o",
	"р", "p", "ρ", "p",
	"ԛ", "q", "զ", "q",
	"г", "r", "ʀ", "r",
	"ѕ", "s", "ꜱ", "s",
	"т", "t", "τ", "t",
	"υ", "u", "ս", "u", "ц", "u",
	"ѡ", "w", "ԝ", "w", "ω", "w",
	"х", "x", "χ", "x",
	"у", "y", "γ", "y", "ү", "y",
	"ᴢ", "z", "ζ", "z",
	"‐", "-", "‑", "-", "–", "-", "—", "-", "−", "-", "ー", "-",
	"＿", "_", "‗", "_",
)
