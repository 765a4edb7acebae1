package doc

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Checks of YAML11.
var (
	// YAMLLastCounts is a key that stands twice in a mapping.
	YAMLLastCounts = &ext.Check{
		Code: "yaml-last-counts", Severity: ext.Warning,
		Doc: "A mapping has the same key twice, and the last one counts.",
		Fix: "Keep one of the two.",
	}
	// YAMLTagUnknown is a tag that has no meaning.
	YAMLTagUnknown = &ext.Check{
		Code: "yaml-tag-unknown", Severity: ext.Error,
		Doc: "A value has a tag that means nothing here, so that what the value is cannot be told.",
		Fix: "Remove the tag.",
	}
	// YAMLDate is a date.
	YAMLDate = &ext.Check{
		Code: "yaml-date", Severity: ext.Info,
		Doc: "YAML 1.1 takes a value without quotes for a date; it is kept as the text that it is.",
		Fix: "Nothing, or put it in quotes.",
	}
	// YAMLKeyText is a key that is no text.
	YAMLKeyText = &ext.Check{
		Code: "yaml-key-text", Severity: ext.Info,
		Doc: "YAML 1.1 takes a key without quotes for something else than text, such as a number or a boolean; it is kept as the text that it is.",
		Fix: "Nothing, or put it in quotes.",
	}
)

// YAML11 is YAML for a text whose scalars have the types of YAML 1.1: yes and off are
// booleans, 017, 1_000 and 1:30 are numbers, 1e3 and 0o17 are text. Scalars keep their
// spelling; Bool11 and Number11 say what they are. Dates and keys are text; the first of
// which YAML 1.1 says otherwise is told. Of a key that is repeated the last counts. A tag that is
// none of the core schema's is an error.
func YAML11(o ext.Origin, data []byte) (ext.Doc, ext.Findings) {
	return readYAMLWith(yamlReader{origin: o, eleven: true}, data, 1)
}

var (
	int11   = pattern.New(`^([-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+)$`)
	float11 = pattern.New(`^([-+]?[0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	date11  = pattern.New(`^([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?([ \t]*(Z|[-+][0-9]{1,2}(:?[0-9]{2})?))?)$`)
)

// plainKind11 is the kind of a scalar without quotes in YAML 1.1.
func plainKind11(s string) ext.Kind {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return ext.Null
	}
	for _, word := range [...]string{"yes", "no", "true", "false", "on", "off"} {
		if s == word || s == strings.ToUpper(word) || s == strings.ToUpper(word[:1])+word[1:] {
			return ext.Bool
		}
	}
	if c := s[0]; (c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.') && (int11.MatchString(s) || float11.MatchString(s)) {
		return ext.Number
	}
	return ext.String
}

// Bool11 is the value of a boolean of YAML 1.1.
func Bool11(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "true", "on":
		return true
	}
	return false
}

// Number11 is the value of a number of YAML 1.1: int64, *big.Int where that is too
// small, or float64. ok is false for what is none.
func Number11(s string) (n any, ok bool) {
	bare := strings.ToLower(strings.ReplaceAll(s, "_", ""))
	sign, rest := "", bare
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		sign, rest = rest[:1], rest[1:]
	}
	whole := int11.MatchString(s)
	switch {
	case rest == ".inf":
		return math.Inf(1 - 2*strings.Count(sign, "-")), true
	case bare == ".nan":
		return math.NaN(), true
	case strings.Contains(rest, ":"):
		return sexagesimal(sign, rest, whole)
	case whole && len(rest) > 1 && rest[0] == '0' && rest[1] != 'x' && rest[1] != 'b':
		return integer11(sign, rest[1:], 8)
	case whole && strings.HasPrefix(rest, "0x"):
		return integer11(sign, rest[2:], 16)
	case whole && strings.HasPrefix(rest, "0b"):
		return integer11(sign, rest[2:], 2)
	case whole:
		return integer11(sign, rest, 10)
	}
	f, err := strconv.ParseFloat(bare, 64)
	return f, err == nil || math.IsInf(f, 0)
}

func integer11(sign, digits string, base int) (any, bool) {
	b, ok := new(big.Int).SetString(sign+digits, base)
	switch {
	case !ok:
		return nil, false
	case b.IsInt64():
		return b.Int64(), true
	}
	return b, true
}

// sexagesimal is a number of base 60, as hours, minutes and seconds are.
func sexagesimal(sign, s string, whole bool) (any, bool) {
	total := new(big.Float)
	for part := range strings.SplitSeq(s, ":") {
		f, ok := new(big.Float).SetString(part)
		if !ok {
			return nil, false
		}
		total.Add(total.Mul(total, big.NewFloat(60)), f)
	}
	if sign == "-" {
		total.Neg(total)
	}
	if n, accuracy := total.Int64(); whole && accuracy == big.Exact {
		return n, true
	}
	f, _ := total.Float64()
	return f, !whole
}
