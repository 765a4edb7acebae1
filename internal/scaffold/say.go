package scaffold

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// Said is what whoever uses a template says of its variables, by their names. Only one that
// takes several has more than one.
type Said map[string][]string

// mostText is how many bytes a text may have, and mostTexts how many there may be of one
// variable.
const (
	mostText  = 4 << 10
	mostTexts = 100
)

// take makes values of a name and of what was said. What is not there and must be, what the
// template does not know, and what cannot be written are errors of usage.
func (t *Template) take(name string, said Said) (values, error) {
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if t.variable(key) == nil {
			return nil, t.unknown(key)
		}
	}
	v := values{"name": slug(name), "stem": slug(stem(name))}
	for i := range t.Variables {
		of := &t.Variables[i]
		all, err := of.texts(said[of.Name])
		if err != nil {
			return nil, err
		}
		if of.Required && len(all) == 0 {
			return nil, ext.AsUsage(fmt.Errorf("a new %s must say %s, with --%s", word(t.Surface), strings.NewReplacer("`", "").Replace(of.Doc), of.Name))
		}
		if v[of.Name], err = of.value(all); err != nil {
			return nil, err
		}
	}
	if v["label"] == text("") {
		v["label"] = text(strings.Join(words(name), " "))
	}
	if _, has := v["class"]; !has {
		return v, nil
	}
	if v["class"] == identifier("") {
		v["class"] = identifier(capitalised(name))
	}
	return v, t.named(string(v["class"].(identifier)), v)
}

func (t *Template) unknown(key string) error {
	names := make([]string, len(t.Variables))
	for i := range t.Variables {
		names[i] = t.Variables[i].Name
	}
	if near := spelling.Nearest(key, names); near != "" {
		return ext.AsUsage(fmt.Errorf("the template %s takes no --%s; did you mean --%s?", t.ID, ext.Escape(key), near))
	}
	return ext.AsUsage(fmt.Errorf("the template %s takes no --%s; it takes --%s", t.ID, ext.Escape(key), strings.Join(names, ", --")))
}

// named refuses a class with a name that its own file has for something else.
func (t *Template) named(class string, v values) error {
	if err := checkIdentifier("class", class); err != nil {
		return err
	}
	taken := t.binds
	if base, ok := v["base"].(dotted); ok {
		taken = append(slices.Clip(taken), base.last())
	}
	if slices.Contains(taken, class) {
		return ext.AsUsage(fmt.Errorf("the class %s would have the name of what its file imports; say another with --class", ext.Quote(class)))
	}
	return nil
}

// texts are what was said of a variable, without blanks around it; nothing where that is
// nothing.
func (of *Variable) texts(said []string) (out []string, err error) {
	for _, s := range said {
		s = strings.TrimSpace(s)
		switch {
		case len(s) > mostText:
			return nil, ext.AsUsage(fmt.Errorf("--%s has %d bytes, and may have %d", of.Name, len(s), mostText))
		case !utf8.ValidString(s):
			return nil, ext.AsUsage(fmt.Errorf("--%s is not UTF-8: %s", of.Name, ext.Quote(ext.Shorten(s, 80))))
		case unseen.Hides(s):
			return nil, ext.AsRefused(fmt.Errorf("--%s: %s", of.Name, hidden(s)))
		case s != "":
			out = append(out, s)
		case of.Kind == Texts:
			return nil, ext.AsUsage(fmt.Errorf("--%s says nothing; leave it out", of.Name))
		}
	}
	if len(out) > 1 && of.Kind != Texts && of.Kind != Keywords {
		return nil, ext.AsUsage(fmt.Errorf("--%s is said %d times, and may be said once", of.Name, len(out)))
	}
	if len(out) > mostTexts {
		return nil, ext.AsUsage(fmt.Errorf("--%s is said %d times, and may be said %d times", of.Name, len(out), mostTexts))
	}
	if len(out) == 0 && of.Default != "" {
		out = []string{of.Default}
	}
	return out, nil
}

// hidden says what in a text nobody sees, which discovery refuses wherever it stands.
func hidden(s string) string {
	for _, f := range unseen.InNode(ext.Origin{}, &ext.Doc{Kind: ext.String, Text: s}) {
		if f.Check == unseen.Hidden {
			return f.Message + ", which nobody sees, and nothing with it is found; leave it out"
		}
	}
	return "it holds what nobody sees; leave it out"
}

// value is what was said as what it is to be.
func (of *Variable) value(all []string) (value, error) {
	one := ""
	if len(all) > 0 {
		one = all[0]
	}
	switch of.Kind {
	case Texts:
		return texts(all), nil
	case Keywords:
		return readKeywords(of.Name, all)
	case Identifier:
		if one != "" {
			return identifier(one), checkIdentifier(of.Name, one)
		}
		return identifier(""), nil
	case Class:
		return dotted(one), checkClass(of.Name, one)
	}
	return text(one), nil
}

// checkClass refuses what is not module.Class; none is not said.
func checkClass(flag, class string) error {
	if class == "" {
		return nil
	}
	parts := strings.Split(class, ".")
	if len(parts) < 2 {
		return ext.AsUsage(fmt.Errorf("--%s: %s is written MODULE.CLASS", flag, ext.Quote(ext.Shorten(class, 80))))
	}
	for _, p := range parts {
		if err := checkIdentifier(flag, p); err != nil {
			return err
		}
	}
	return nil
}
