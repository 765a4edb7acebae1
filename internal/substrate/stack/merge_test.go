package stack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// made is a stack of files with these texts.
func made(t *testing.T, env []string, texts ...string) *Stack {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &Stack{Declared: true, worktree: dir, exported: variables(env), derived: map[string]string{}, hidden: map[string]bool{}}
	for i, text := range texts {
		name := string(rune('a'+i)) + ".yaml"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, why := s.find(Named{By: ByOverlay, As: name}, []string{dir})
		if why != nil {
			t.Fatal(why.text)
		}
		s.Files = append(s.Files, f)
	}
	return s
}

// service is the text of a file with one service, whose members are given.
func service(members string) string {
	return "services:\n  web:\n    image: i\n    " + strings.ReplaceAll(members, "\n", "\n    ") + "\n"
}

// Each row is one rule of docs/stack.md.
func TestMergeRules(t *testing.T) {
	for _, c := range []struct{ name, below, above, want string }{
		{"a text is replaced", "hostname: a", "hostname: b", "hostname: b"},
		{"nothing leaves what is there", "hostname: a", "hostname:", "hostname: a"},
		{"a mapping is merged by key", "x-a: {a: 1, b: 2}", "x-a: {b: 3, c: 4}", "x-a:\n  a: 1\n  b: 3\n  c: 4"},
		{"a list is appended", "x-a: [1]", "x-a: [1, 2]", "x-a:\n  - 1\n  - 1\n  - 2"},
		{"a command is replaced", "command: [a, b]", "command: [c]", "command:\n  - c"},
		{"a command of another form is replaced", "command: [a, b]", "command: c", "command: c"},
		{"an entrypoint is replaced", "entrypoint: [a]", "entrypoint: []", "entrypoint: []"},
		{"the test of health is replaced", "healthcheck: {test: [a], retries: 1}", "healthcheck: {test: [b]}", "healthcheck:\n  test:\n    - b\n  retries: 1"},
		{"variables go by name", "environment: [A=1, B=2]", "environment: {B: 3, C: }", "environment:\n  A: \"1\"\n  B: 3\n  C: null"},
		{"a variable without value takes the place of one with", "environment: [A=1]", "environment: [A]", "environment:\n  A: null"},
		{"labels go by name", "labels: {a: b}", "labels: [a=c, d]", "labels:\n  a: c\n  d: null"},
		{"the ports are what is published, and where", "ports: ['80:80', '81:81']", "ports: ['0.0.0.0:80:80/tcp', {target: 81, published: 81}]", "ports:\n  - \"0.0.0.0:80:80/tcp\"\n  - target: 81\n    published: 81"},
		{"another published port is another port", "ports: ['80:80']", "ports: ['81:80']", "ports:\n  - \"80:80\"\n  - \"81:80\""},
		{"a port of IPv6", "ports: ['[::1]:80:80']", "ports: ['[::1]:80:80/udp', '[::1]:80:80']", "ports:\n  - \"[::1]:80:80\"\n  - \"[::1]:80:80/udp\""},
		{"volumes go by target", "volumes: ['a:/x', 'b:/y:ro']", "volumes: ['c:/x/', {type: bind, source: d, target: /y}]", "volumes:\n  - \"c:/x/\"\n  - type: bind\n    source: d\n    target: /y"},
		{"a volume of Windows", `volumes: ['C:\a:/x']`, "volumes: ['b:/x']", "volumes:\n  - \"b:/x\""},
		{"devices go by target", "devices: [/dev/a:/dev/x]", "devices: [/dev/b:/dev/x:r, /dev/c]", "devices:\n  - \"/dev/b:/dev/x:r\"\n  - /dev/c"},
		{"secrets go by where they are", "secrets: [a]", "secrets: [{source: b, target: /run/secrets/a}, a]", "secrets:\n  - a"},
		{"files of variables go by path", "env_file: a", "env_file: [b, {path: a, required: false}]", "env_file:\n  - path: a\n    required: false\n  - b"},
		{"nameservers that are there are not twice", "dns: 1.1.1.1", "dns: [8.8.8.8, 1.1.1.1]", "dns:\n  - 1.1.1.1\n  - 8.8.8.8"},
		{"hosts in two forms", "extra_hosts: {a: 1.1.1.1}", "extra_hosts: ['a=1.1.1.1', 'b=2.2.2.2']", "extra_hosts:\n  - a=1.1.1.1\n  - b=2.2.2.2"},
		{"dependencies in two forms", "depends_on: [a]", "depends_on: {b: {condition: service_healthy}}", "depends_on:\n  a:\n    condition: service_started\n    required: true\n  b:\n    condition: service_healthy"},
		{"networks in two forms", "networks: [a]", "networks: {a: {aliases: [x]}, b: }", "networks:\n  a:\n    aliases:\n      - x\n  b: null"},
		{"a build that is a directory", "build: .", "build: {args: [A=1]}", "build:\n  context: .\n  args:\n    - A=1"},
		{"the log of one driver is merged", "logging: {driver: a, options: {x: 1}}", "logging: {driver: a, options: {y: 2}}", "logging:\n  driver: a\n  options:\n    x: 1\n    y: 2"},
		{"the log of another driver is replaced", "logging: {driver: a, options: {x: 1}}", "logging: {driver: b}", "logging:\n  driver: b"},
		{"a limit is replaced", "ulimits: {n: {soft: 1, hard: 2}}", "ulimits: {n: 3}", "ulimits:\n  n: 3"},
		{"reset takes away", "ports: ['80:80']", "ports: !reset []", ""},
		{"reset takes one variable away", "environment: {A: 1, B: 2}", "environment: {A: !reset null}", "environment:\n  B: 2"},
		{"reset of what is not there", "hostname: a", "ports: !reset null", "hostname: a"},
		{"override replaces", "ports: ['80:80']", "ports: !override ['81:80']", "ports:\n  - \"81:80\""},
		{"override replaces by another form", "environment: [A=1]", "environment: !override {B: 2}", "environment:\n  B: 2"},
		{"override of one member", "build: {args: {A: 1}, target: x}", "build: {args: !override {B: 2}}", "build:\n  args:\n    B: 2\n  target: x"},
		{"override where nothing is", "hostname: a", "ports: !override [1]", "hostname: a\nports:\n  - 1"},
		{"an anchor and a merge key", "x-a: &a {k: 1}\nx-b: {<<: *a, l: 2}", "x-b: {l: 3}", "x-a:\n  k: 1\nx-b:\n  l: 3\n  k: 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := made(t, nil, service(c.below), service(c.above)).Merge(false)
			for _, f := range m.Findings {
				if f.Check != OrderLost {
					t.Errorf("found %v", f)
				}
			}
			if got, want := m.YAML(false), made(t, nil, service(c.want)).Merge(true).YAML(false); got != want || got == "" {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// What is replaced and where each value stands is known to the line.
func TestField_MOD08_every_value_has_an_origin(t *testing.T) {
	m := made(t, nil,
		"services:\n  web:\n    image: i\n    env_file: [base.env, local.env]\n    ports:\n      - '80:80'\n",
		"services:\n  web:\n    env_file: [base.env, dev.env, local.env]\n    ports: !override\n      - '81:80'\n",
	).Merge(false)
	got := map[string]Place{}
	for _, l := range m.Leaves() {
		got[l.Pointer] = l.At
	}
	for pointer, want := range map[string]Place{
		"/services/web/image": {"a.yaml", 3}, "/services/web/env_file/0": {"b.yaml", 3}, "/services/web/env_file/2": {"b.yaml", 3}, "/services/web/ports/0": {"b.yaml", 5},
	} {
		if got[pointer] != want {
			t.Errorf("%s: got %v, want %v", pointer, got[pointer], want)
		}
	}
	if r := m.Replaced["/services/web/ports"]; len(r) != 1 || r[0].File != "a.yaml" {
		t.Errorf("replaced at ports: got %v, want the list of a.yaml", r)
	}
	// The order that the second file means is not what the specification's merge gives.
	if len(m.Findings) != 1 || m.Findings[0].Check != OrderLost || !strings.Contains(m.Findings[0].Fix(), "!override") {
		t.Errorf("got %v, want the lost order told", m.Findings)
	}
	whole := made(t, nil, service("env_file: [base.env, local.env]"), service("env_file: !override [base.env, dev.env, local.env]")).Merge(false)
	if want := service("env_file:\n  - base.env\n  - dev.env\n  - local.env"); whole.YAML(false) != want || len(whole.Findings) > 0 {
		t.Errorf("got %s%v, want %s", whole.YAML(false), whole.Findings, want)
	}
}

func TestMergeFaults(t *testing.T) {
	for _, c := range []struct {
		name, below, above string
		check              *ext.Check
		says               string
	}{
		{"a list onto a mapping", service("x-a: {a: 1}"), service("x-a: [1]"), MergeFault, "a.yaml, line 4"},
		{"a mapping onto a list", service("ports: [1]"), service("ports: {a: {b: 1}}"), MergeFault, "ports"},
		{"a text onto a mapping", service("healthcheck: {retries: 1}"), service("healthcheck: no"), MergeFault, `the value "no"`},
		{"no mapping", service("a: b"), "- a", FileFault, "a list, expected a mapping"},
		{"nothing", service("a: b"), "", FileFault, "empty"},
		{"a key that has no meaning", "service: {}", service("a: b"), FileFault, "did you mean services?"},
		{"services that are a list", service("a: b"), "services: [web]", FileFault, "services is a list"},
		{"a service that is a text", service("a: b"), "services: {web: nginx}", FileFault, "expected a mapping"},
		{"a name of a service", service("a: b"), "services: {\"a\\nb\": {image: i}}", FileFault, `"a\nb"`},
		{"a tag at an item", service("a: b"), service("ports: [!reset 1]"), FileFault, "item of a list"},
		{"a service of nothing", service("a: b"), "services: {db: {ports: [1]}}", ServiceFault, `"db"`},
		{"a service whose image is reset", service("a: b"), "services: {web: {image: !reset x}}", ServiceFault, `"web"`},
		{"a variable that is needed", service("a: b"), service("hostname: ${NO:?give one}"), VariableNeeded, "give one"},
		{"a variable without end", service("a: b"), service("hostname: ${NO"), VariableNeeded, "no end"},
		{"no name", service("a: b"), service("hostname: a$1"), VariableNeeded, "no name"},
		{"an odd operator", service("a: b"), service("hostname: ${NO:=x}"), VariableNeeded, "cannot be read"},
		{"a repeated key", service("a: b"), service("a: b\na: c"), nil, "line 4"},
		{"a bomb of aliases", service("a: b"), bomb(), nil, ""},
		{"endless depth", service("a: b"), service("x-a: " + strings.Repeat("[", 5000)), nil, ""},
		{"a huge file", service("a: b"), service("x-a: '" + strings.Repeat("x", 300<<10) + "'"), FileFault, "cannot be read"},
		{"variables that grow without bound", service("a: b"), service("x-a: '" + strings.Repeat("${BIG}", 1000) + "'"), VariableNeeded, "bring in more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := made(t, []string{"BIG=" + strings.Repeat("x", 64<<10)}, c.below, c.above).Merge(false)
			if !m.Findings.Failed() || m.Doc.Kind != ext.Null || m.YAML(false) != "" || string(m.JSON()) != "null" {
				t.Fatalf("got %v and %s, want an error and nothing", m.Findings, m.YAML(false))
			}
			var said []string
			for _, f := range m.Findings {
				said = append(said, f.Message)
				if c.check != nil && f.Check.Severity == ext.Error && f.Check != c.check {
					t.Errorf("got %v, want %s", f, c.check.Code)
				}
				if f.Origin.Path == "" {
					t.Errorf("%v has no file", f)
				}
			}
			if !strings.Contains(strings.Join(said, "\n"), c.says) {
				t.Errorf("got %q, want it to say %q", said, c.says)
			}
		})
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("x-0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		n, before := string(rune('0'+i)), string(rune('0'+i-1))
		b.WriteString("x-" + n + ": &a" + n + " [" + strings.Repeat("*a"+before+", ", 9) + "*a" + before + "]\n")
	}
	return b.String()
}

func TestVariables(t *testing.T) {
	env := []string{"A=1", "EMPTY=", "D=a$b", "MORTISE_INJECT_X=hush", "KEY=hush", "OF=mine"}
	for _, c := range []struct{ text, want string }{
		{"$A", "1"}, {"${A}", "1"}, {"x${A}y$A", "x1y1"}, {"$$A", "$$A"}, {"$D", "a$$b"},
		{"${NO-d}", "d"}, {"${NO:-d}", "d"}, {"${EMPTY-d}", ""}, {"${EMPTY:-d}", "d"}, {"${A:-d}", "1"},
		{"${A:+x}", "x"}, {"${EMPTY:+x}", ""}, {"${EMPTY+x}", "x"}, {"${NO+x}", ""}, {"${A?e}", "1"}, {"${EMPTY?e}", ""},
		{"${NO:-${A}}", "1"}, {"${NO:-${NO:-${A}z}}", "1z"}, {"${NO:-}", ""},
		{"$KEY", "$KEY"}, {"${KEY:?e}", "${KEY:?e}"}, {"${MORTISE_INJECT_X}", "${MORTISE_INJECT_X}"},
		{"$OF", "mine"}, {"$FROM", "plan"},
	} {
		s := made(t, env, "services: {web: {image: 'i"+c.text+"'}}")
		s.derived, s.hidden["KEY"] = map[string]string{"OF": "plan", "FROM": "plan"}, true
		m := s.Merge(false)
		if at := m.Doc.At("/services/web/image"); at == nil || at.Text != "i"+c.want {
			t.Errorf("%s: got %v %v, want %q", c.text, at, m.Findings, "i"+c.want)
		}
		if at := s.Merge(true).Doc.At("/services/web/image"); at == nil || at.Text != "i"+c.text {
			t.Errorf("%s: got %v, want it as it is written", c.text, at)
		}
	}
	if m := made(t, nil, service("hostname: $NO$NO")).Merge(false); len(m.Findings) != 1 || m.Findings[0].Check != VariableUnset {
		t.Errorf("got %v, want one variable told", m.Findings)
	}
}

// What is printed is read as what it was by YAML of every version, and shows all it holds.
func TestYAMLSaysWhatIsThere(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "a.b/c": "a.b/c", "yes": `"yes"`, "No": `"No"`, "1": `"1"`, "1e3": `"1e3"`, "22:22": `"22:22"`, "": `""`, "~": `"~"`, "..": "..", ".": ".", "./a": "./a", "-": `"-"`,
		"a: b": `"a: b"`, "a #b": `"a #b"`, `a"\`: `"a\"\\"`, "a\nb\tc": `"a\nb\tc"`, "\x1b[2J": `"\u001b[2J"`, "\u202e": `"\u202e"`, "\U000e0041": `"\U000e0041"`, "é": `"é"`, "*a": `"*a"`, "!x": `"!x"`, "0x1f": `"0x1f"`, "=": `"="`, "<<": `"<<"`, ".inf": `".inf"`,
	} {
		if got := yamlText(in); got != want {
			t.Errorf("yamlText(%q): got %s, want %s", in, got, want)
		}
	}
	s := made(t, nil, service("x-a: [[1, {a: b, c: [d]}], [], {}]"))
	first := s.Merge(false).YAML(false)
	if again := made(t, nil, first).Merge(false).YAML(false); again != first {
		t.Errorf("got\n%sof\n%s", again, first)
	}
}
