package sarif_test

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/sarif"
)

var (
	tool  = sarif.Tool{Name: "mortise", Version: "1.2.3", URI: "https://example.org/mortise", Help: "https://example.org/checks"}
	rules = []*ext.Check{
		{Code: "field-missing", Severity: ext.Error, Doc: "A field is missing.", Fix: "Add the field."},
		{Code: "name-near-miss", Severity: ext.Warning, Doc: "A name is nearly right.", Fix: "Rename the file."},
		{Code: "bom", Severity: ext.Info, Doc: "A mark.", Fix: "Nothing."},
	}
)

func base(parts ...string) string {
	root := "/srv"
	if filepath.Separator == '\\' {
		root = `C:\srv`
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

var found = []sarif.Finding{
	{Code: "field-missing", Severity: "error", Message: "field description is missing", Fix: "Add the field.", File: base("repo", "a b", "SKILL.md"), Line: 3, About: "acme"},
	{Code: "name-near-miss", Severity: "error", Message: "the file is named so", Fix: "Rename the file.", File: base("repo", "c:d", "skill.md"), About: "acme"},
	{Code: "bom", Severity: "info", Message: "a mark", Fix: "Nothing.", File: base("else", "x.md"), Line: 1},
	{Code: "later", Severity: "warning", Message: "of a check that nobody listed"},
	{Code: "field-missing", Severity: "error", Message: "field description is missing", Fix: "Add the field.", File: base("repo", "a b", "SKILL.md"), Line: 9, About: "acme"},
}

// decoded is a log as another program reads it.
func decoded(t *testing.T, l *sarif.Log) map[string]any {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// allowed are the keys that the schema of SARIF 2.1.0 has for each object that
// is written here, and those among them that it requires.
var allowed = map[string]struct{ keys, required []string }{
	"log":    {[]string{"$schema", "version", "runs", "inlineExternalProperties", "properties"}, []string{"version", "runs"}},
	"run":    {[]string{"tool", "originalUriBaseIds", "columnKind", "results", "invocations", "artifacts", "automationDetails", "properties"}, []string{"tool"}},
	"tool":   {[]string{"driver", "extensions", "properties"}, []string{"driver"}},
	"driver": {[]string{"name", "version", "semanticVersion", "informationUri", "rules", "organization", "fullName", "properties"}, []string{"name"}},
	"rule":   {[]string{"id", "name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration", "properties"}, []string{"id"}},
	"result": {[]string{"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "fingerprints", "kind", "properties"}, []string{"message"}},
	"text":   {[]string{"text", "markdown", "id", "arguments"}, []string{"text"}},
	"place":  {[]string{"artifactLocation", "region", "contextRegion", "address"}, nil},
	"file":   {[]string{"uri", "uriBaseId", "index", "description"}, nil},
	"region": {[]string{"startLine", "startColumn", "endLine", "endColumn"}, []string{"startLine"}},
}

// object wants v to be an object of a kind, with no key that the schema does not
// have and every one that it requires.
func object(t *testing.T, kind string, v any) map[string]any {
	t.Helper()
	o, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s: got %T, want an object", kind, v)
	}
	for k := range o {
		if !slices.Contains(allowed[kind].keys, k) {
			t.Errorf("%s has the key %q, which the schema does not", kind, k)
		}
	}
	for _, k := range allowed[kind].required {
		if o[k] == nil {
			t.Errorf("%s lacks %q", kind, k)
		}
	}
	return o
}

func items(t *testing.T, v any) []any {
	t.Helper()
	list, ok := v.([]any)
	if !ok {
		t.Fatalf("got %T, want a list", v)
	}
	return list
}

// TestStructure holds a log to what the schema says of the objects in it.
func TestStructure(t *testing.T) {
	log := object(t, "log", decoded(t, sarif.New(tool, rules, base("repo"), found)))
	if log["version"] != "2.1.0" || !strings.Contains(log["$schema"].(string), "sarif-schema-2.1.0") {
		t.Errorf("version: got %v of %v, want 2.1.0", log["version"], log["$schema"])
	}
	run := object(t, "run", items(t, log["runs"])[0])
	driver := object(t, "driver", object(t, "tool", run["tool"])["driver"])
	listed := items(t, driver["rules"])
	ids := map[string]bool{}
	for _, r := range listed {
		rule := object(t, "rule", r)
		id := rule["id"].(string)
		if ids[id] {
			t.Errorf("rule %s is there twice; the schema wants them to differ", id)
		}
		ids[id] = true
		if name := rule["name"].(string); !regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`).MatchString(name) {
			t.Errorf("rule %s is named %q, want words without anything between", id, name)
		}
		for _, k := range []string{"shortDescription", "help"} {
			if rule[k] != nil {
				object(t, "text", rule[k])
			}
		}
	}
	if column := run["columnKind"]; column != "unicodeCodePoints" && column != "utf16CodeUnits" {
		t.Errorf("columnKind: got %v, want one of the two", column)
	}
	bases := run["originalUriBaseIds"].(map[string]any)
	results := items(t, run["results"])
	if len(results) != len(found) {
		t.Fatalf("got %d results, want %d", len(results), len(found))
	}
	for i, r := range results {
		result := object(t, "result", r)
		object(t, "text", result["message"])
		if level := result["level"].(string); !slices.Contains([]string{"none", "note", "warning", "error"}, level) {
			t.Errorf("level: got %q, which is none", level)
		}
		if at := int(result["ruleIndex"].(float64)); listed[at].(map[string]any)["id"] != result["ruleId"] {
			t.Errorf("result %d: the rule at %d is not %v", i, at, result["ruleId"])
		}
		if result["locations"] == nil {
			continue
		}
		for _, l := range items(t, result["locations"]) {
			place := object(t, "place", l.(map[string]any)["physicalLocation"])
			file := object(t, "file", place["artifactLocation"])
			u, err := url.Parse(file["uri"].(string))
			id, relative := file["uriBaseId"].(string)
			if err != nil || relative == (u.Scheme != "") || relative && bases[id] == nil {
				t.Errorf("address %v from %q: want one relative to a base that is there, or an absolute one", file["uri"], id)
			}
			if place["region"] != nil {
				if n := object(t, "region", place["region"])["startLine"].(float64); n < 1 {
					t.Errorf("startLine: got %v, want 1 or more", n)
				}
			}
		}
	}
}

func TestResults(t *testing.T) {
	run := sarif.New(tool, rules, base("repo"), found).Runs[0]
	if n := len(run.Tool.Driver.Rules); n != 4 || run.Tool.Driver.Rules[3].ID != "later" || run.Tool.Driver.Rules[1].Name != "NameNearMiss" || run.Tool.Driver.Rules[2].Default.Level != "note" {
		t.Errorf("rules: got %+v, want those listed and then the one that was not", run.Tool.Driver.Rules)
	}
	for i, want := range []string{"field-missing", "name-near-miss", "bom", "later"} {
		if got := run.Tool.Driver.Rules[i].HelpURI; got != tool.Help+"#"+want {
			t.Errorf("rule %d: the help is at %q, want it at its own place of %s", i, got, tool.Help)
		}
	}
	if bare := sarif.New(sarif.Tool{Name: "x"}, rules, "", nil).Runs[0].Tool.Driver.Rules[0].HelpURI; bare != "" {
		t.Errorf("without a page of help: got %q, want none", bare)
	}
	for i, want := range []string{
		"error field-missing field description is missing. Add the field.",
		"error name-near-miss the file is named so. Rename the file.",
		"note bom a mark",
		"warning later of a check that nobody listed",
	} {
		if got := run.Results[i].String(); got != want {
			t.Errorf("result %d: got %q, want %q", i, got, want)
		}
	}
	outside := "file://" + filepath.ToSlash(base("else", "x.md"))
	if filepath.Separator == '\\' {
		outside = "file:///" + filepath.ToSlash(base("else", "x.md"))
	}
	for i, want := range []string{"a%20b/SKILL.md", "./c:d/skill.md", outside} {
		if got := run.Results[i].Locations[0].Physical.Artifact.URI; got != want {
			t.Errorf("address %d: got %q, want %q", i, got, want)
		}
	}
	if run.Results[3].Locations != nil {
		t.Errorf("a finding about no file: got %v, want no place", run.Results[3].Locations)
	}
}

// TestFingerprints wants them to differ for what differs and to stay when lines
// move or the directory does.
func TestFingerprints(t *testing.T) {
	print := func(base string, fs ...sarif.Finding) []string {
		var out []string
		for _, r := range sarif.New(tool, rules, base, fs).Runs[0].Results {
			out = append(out, r.Fingerprints["mortise/v1"])
		}
		return out
	}
	at := func(root string, line int, message string) sarif.Finding {
		return sarif.Finding{Code: "field-missing", Severity: "error", Message: message, File: filepath.Join(root, "x.md"), Line: line, About: "a"}
	}
	one := print(base("repo"), at(base("repo"), 3, "also in a:x.md:7"))
	for name, same := range map[string][]string{
		"on another line":            print(base("repo"), at(base("repo"), 30, "also in a:x.md:7")),
		"naming another line":        print(base("repo"), at(base("repo"), 3, "also in a:x.md:70")),
		"in another place":           print(base("moved"), at(base("moved"), 3, "also in a:x.md:7")),
		"among others that differ":   print(base("repo"), at(base("repo"), 3, "also in a:x.md:7"), at(base("repo"), 4, "other")),
		"as a warning":               print(base("repo"), sarif.Finding{Code: "field-missing", Severity: "warning", Message: "also in a:x.md:7", File: base("repo", "x.md"), About: "a"}),
		"before the same once again": print(base("repo"), at(base("repo"), 3, "also in a:x.md:7"), at(base("repo"), 9, "also in a:x.md:9")),
	} {
		if same[0] != one[0] {
			t.Errorf("%s: got another fingerprint, want the same", name)
		}
	}
	spent := func(key, message string) string {
		f := at(base("repo"), 3, message)
		f.Key = key
		return print(base("repo"), f)[0]
	}
	if spent("budget", "270 tokens, and 200 is the budget") != spent("budget", "271 tokens, and 200 is the budget") {
		t.Error("two messages under one key: got two fingerprints, want one")
	}
	if spent("budget", "m") == spent("other", "m") || spent("budget", "m") == spent("", "m") {
		t.Error("two keys: got one fingerprint, want two")
	}
	all := print(base("repo"), at(base("repo"), 3, "m"), at(base("repo"), 9, "m"), at(base("repo", "sub"), 3, "m"), at(base("repo"), 3, "n"), sarif.Finding{Code: "bom", Message: "m", File: base("repo", "x.md"), About: "a"})
	slices.Sort(all)
	if len(slices.Compact(all)) != 5 {
		t.Errorf("five findings: got the fingerprints %q, want five", all)
	}
}

// TestNothing wants an empty list of results, not none.
func TestNothing(t *testing.T) {
	data, err := json.Marshal(sarif.New(tool, nil, "", nil))
	if err != nil || !strings.Contains(string(data), `"results":[]`) || !strings.Contains(string(data), `"rules":[]`) {
		t.Errorf("nothing found: got %s, %v, want empty lists", data, err)
	}
}
