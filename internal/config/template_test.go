package config

import (
	"strings"
	"testing"
)

// advice are the lines of the template that can be taken literally.
func advice(template string) (lines []int) {
	for i, line := range strings.Split(template, "\n") {
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			lines = append(lines, i)
		}
	}
	return lines
}

func uncommented(template string) string {
	lines := strings.Split(template, "\n")
	for _, i := range advice(template) {
		lines[i] = lines[i][1:]
	}
	return strings.Join(lines, "\n")
}

// TestField_CLI01 is advice that made the configuration invalid when it was
// followed literally: each line of the template, and what findings say to do.
func TestField_CLI01(t *testing.T) {
	template := Template()
	if n := len(advice(template)); n < 7 {
		t.Fatalf("Template: got %d lines of advice, want one for each key at least:\n%s", n, template)
	}
	for _, i := range advice(template) {
		lines := strings.Split(template, "\n")
		lines[i] = lines[i][1:]
		c, findings := lay(t, map[string]string{"ws/mortise.toml": strings.Join(lines, "\n")}).load(t)
		if len(findings) != 0 {
			t.Errorf("Load of the template with %q: got %v, want no finding", lines[i], findings)
		}
		if said := effective(c); !strings.Contains(said, "mortise.toml") {
			t.Errorf("Load of the template with %q: got nothing from it, want the value", lines[i])
		}
	}
}

// TestField_CLI01_Widens follows the advice of every config-widens finding.
func TestField_CLI01_Widens(t *testing.T) {
	for key, text := range map[string]string{
		"limits.files":         "[limits]\nfiles = 30000\n",
		"limits.file_bytes":    "limits.file_bytes = 2_000_000\n",
		"owner.path":           "[owner]\npath = \"/srv/owner\"\n",
		"plugins.acme.enabled": "[plugins.acme]\npath = \"./acme\"\nenabled = true\n",
	} {
		own := ""
		if key == "plugins.acme.enabled" {
			own = "[plugins.acme]\nenabled = false\n"
		}
		p := lay(t, map[string]string{"ws/mortise.toml": text, "home/config.toml": own})
		c, findings := p.load(t)
		wanted, _ := c.Explain(key)
		if len(findings) != 1 || findings[0].Check != Widens || len(wanted.Shadowed) == 0 {
			t.Fatalf("Load(%q): got %v, want one config-widens", text, findings)
		}
		line, table := cutAdvice(t, findings[0].Fix(), p.User)
		p.write(t, "home/config.toml", "["+table+"]\n"+line+"\n")
		c, _ = p.load(t)
		if got, _ := c.Explain(key); got.Text != wanted.Shadowed[0].Text {
			t.Errorf("Load after following %q: got %s = %s, want %s", findings[0].Fix(), key, got.Text, wanted.Shadowed[0].Text)
		}
	}
}

func cutAdvice(t *testing.T, fix, file string) (line, table string) {
	t.Helper()
	rest, ok := strings.CutPrefix(fix, "To have it, write ")
	line, rest, ok2 := strings.Cut(rest, " under [")
	table, rest, ok3 := strings.Cut(rest, "] in ")
	if !ok || !ok2 || !ok3 || !strings.Contains(rest, "config.toml") {
		t.Fatalf("Fix: got %q, want what to write in %s", fix, file)
	}
	return line, table
}

// TestField_CLI01_Nearest puts the key that is named in the place of the unknown one.
func TestField_CLI01_Nearest(t *testing.T) {
	for _, text := range []string{
		"trust.hole = true", "limits.file_kbytes = 9", "whole = true", "limts.files = 1", "colour = \"never\"",
		"plugins.acme.enabeld = false", "plugins.acme.pth = \"./acme\"",
	} {
		_, findings := lay(t, map[string]string{"ws/mortise.toml": text}).load(t)
		if len(findings) == 0 || findings[0].Check != UnknownKey {
			t.Fatalf("Load(%s): got %v, want an unknown key", text, findings)
		}
		_, rest, _ := strings.Cut(findings[0].Message, `unknown key "`)
		unknown, rest, _ := strings.Cut(rest, `"; did you mean "`)
		meant, _, ok := strings.Cut(rest, `"`)
		if !ok {
			t.Fatalf("Load(%s): got %v, want the nearest key", text, findings)
		}
		mended := strings.Replace(text, unknown, meant, 1)
		if _, findings := lay(t, map[string]string{"ws/mortise.toml": mended}).load(t); len(findings) != 0 {
			t.Errorf("Load(%s), mended as advised: got %v, want no finding", mended, findings)
		}
	}
}
