// Package sarif writes findings as SARIF 2.1.0, the format in which other
// programs take in what a checker found.
package sarif

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Version and Schema say which SARIF a log is.
const (
	Version = "2.1.0"
	Schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// Base is what relative addresses of a log are relative to.
const Base = "%SRCROOT%"

// Tool is the program that found something.
type Tool struct {
	Name, Version, URI string
	Help               string // the page that describes the rules, each at a fragment that is its code; "" for none
}

// Finding is one thing that was found.
type Finding struct {
	Code     string
	Severity string // of ext.Severity
	Message  string
	// Key is what tells the finding from others of its code in its file, where its
	// message says what changes with every edit; "": the message does.
	Key   string
	Fix   string
	File  string // absolute; "" where it is about no file
	Line  int    // 0: the whole file
	About string // the extension
}

// New is the log of one run. Rules are everything that could have been found, in
// their order; a finding by another code gets a rule of its own after them.
// Files below base get addresses relative to it, so that the log is the same
// wherever base lies.
func New(t Tool, rules []*ext.Check, base string, findings []Finding) *Log {
	r := run{base: base, at: map[string]int{}, seen: map[string]int{}}
	r.Tool.Driver = Driver{Name: t.Name, Version: t.Version, InformationURI: t.URI, Rules: []Rule{}}
	r.help = t.Help
	r.ColumnKind = "unicodeCodePoints"
	r.BaseIDs = map[string]Artifact{Base: {Description: &Text{"The directory that was checked, or the workspace that it lies in."}}}
	r.Results = make([]Result, 0, len(findings))
	for _, c := range rules {
		r.rule(c)
	}
	for i := range findings {
		r.add(&findings[i])
	}
	return &Log{Schema: Schema, Version: Version, Runs: []Run{r.Run}}
}

// run is one run while it is made.
type run struct {
	Run
	base, help string
	at         map[string]int // rules by code
	seen       map[string]int // fingerprints, and how often
}

// rule adds a rule, once.
func (r *run) rule(c *ext.Check) {
	if _, there := r.at[c.Code]; there {
		return
	}
	rules := &r.Tool.Driver.Rules
	r.at[c.Code] = len(*rules)
	rule := Rule{ID: c.Code, Name: pascal(c.Code), Default: &Default{level(c.Severity.String())}}
	if c.Doc != "" {
		rule.Short = &Text{c.Doc}
	}
	if c.Fix != "" {
		rule.Help = &Text{c.Fix}
	}
	if r.help != "" {
		rule.HelpURI = r.help + "#" + c.Code
	}
	*rules = append(*rules, rule)
}

func (r *run) add(f *Finding) {
	if _, known := r.at[f.Code]; !known {
		r.rule(&ext.Check{Code: f.Code})
	}
	message := f.Message
	if f.Fix != "" && level(f.Severity) != "note" {
		message = strings.TrimRight(message, ".") + ". " + f.Fix
	}
	out := Result{RuleID: f.Code, RuleIndex: r.at[f.Code], Level: level(f.Severity), Message: Text{message}}
	where := ""
	if f.File != "" {
		place := Physical{Artifact: r.artifact(f.File)}
		if f.Line > 0 {
			place.Region = &Region{f.Line}
		}
		where = place.Artifact.URI
		out.Locations = []Location{{place}}
	}
	if f.About != "" {
		out.Properties = map[string]string{"extension": f.About}
	}
	out.Fingerprints = map[string]string{fingerprint: r.print(f, where)}
	r.Results = append(r.Results, out)
}

// fingerprint names how findings are told apart.
const fingerprint = "mortise/v1"

// lines are the places that a message names: they move when text does.
var lines = pattern.New(`:[0-9]+|\blines? [0-9]+`)

// print identifies a finding wherever its line moves to, and however often the
// same is found in one file.
func (r *run) print(f *Finding, where string) string {
	h := ext.NewHash("finding").Text(f.Code, where, f.About, cmp.Or(f.Key, lines.ReplaceAllString(f.Message, "")))
	key := h.Sum().String()
	r.seen[key]++
	sum := ext.NewHash("finding, counted").Text(key).Int(r.seen[key]).Sum()
	return strings.TrimPrefix(sum.String(), "sha256:")[:32]
}

// artifact is the address of a file: relative to the base where it lies below
// that.
func (r *run) artifact(file string) Artifact {
	rel, err := filepath.Rel(r.base, file)
	if r.base != "" && err == nil && filepath.IsLocal(rel) {
		return Artifact{URI: escaped(filepath.ToSlash(rel)), BaseID: Base}
	}
	name := filepath.ToSlash(file)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // a drive
	}
	return Artifact{URI: "file://" + escaped(name)}
}

// escaped is a path as part of an address.
func escaped(p string) string {
	return (&url.URL{Path: p}).String()
}

// level is the word for a severity.
func level(severity string) string {
	if severity == ext.Error.String() || severity == ext.Warning.String() {
		return severity
	}
	return "note"
}

// pascal is a code as SARIF likes names: "skill-name-differs" is
// "SkillNameDiffers".
func pascal(code string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(code, "-") {
		for i, c := range part {
			if i == 0 {
				c = unicode.ToUpper(c)
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}

// String is a result on one line, for tests and logs.
func (r Result) String() string { return fmt.Sprintf("%s %s %s", r.Level, r.RuleID, r.Message.Text) }
