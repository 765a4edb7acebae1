package notification_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/surface/notification"
)

// TestFill wants values to stand in their places as they are, whatever they look
// like, and a place without a value to be told by its name.
func TestFill(t *testing.T) {
	for _, c := range []struct {
		name, template string
		values         map[string]string
		text           string
		missing        []string
	}{
		{"no place", "All is done.", nil, "All is done.", nil},
		{"a value", "{{a}} and {{ a }}", map[string]string{"a": "x"}, "x and x", nil},
		{"an empty value is one", "[{{a}}]", map[string]string{"a": ""}, "[]", nil},
		{"a value that looks like a place", "{{a}}{{b}}", map[string]string{"a": "{{b}}", "b": "$(date) {{{{"}, "{{b}}$(date) {{{{", nil},
		{"two braces", "{{{{a}} is {{a}}", map[string]string{"a": "x"}, "{{a}} is x", nil},
		{"missing ones, sorted, once", "{{b}} {{a}} {{b}} {{c}}", map[string]string{"c": ""}, "", []string{"a", "b"}},
		{"bytes that are no text", "{{a}}", map[string]string{"a": "x\xffy"}, "x\uFFFDy", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			template, err := notification.Parse(c.template)
			if err != nil {
				t.Fatal(err)
			}
			text, missing, cut := template.Fill(c.values)
			if text != c.text || cut || cmp.Diff(c.missing, missing) != "" {
				t.Errorf("Fill: got %q, missing %q, cut %v, want %q, missing %q", text, missing, cut, c.text, c.missing)
			}
		})
	}
}

// TestFillIsBounded wants no value to make a text longer than it may be, and one
// that would be to be told.
func TestFillIsBounded(t *testing.T) {
	template, err := notification.Parse(strings.Repeat("{{a}}", notification.MaxPlaces))
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{strings.Repeat("ß", 1<<20), strings.Repeat("x", 100)} {
		text, _, cut := template.Fill(map[string]string{"a": value})
		if n := utf8.RuneCountInString(text); n != notification.MaxText || !cut || !strings.HasSuffix(text, "…") {
			t.Errorf("got %d characters, cut %v, want %d that end in …", n, cut, notification.MaxText)
		}
	}
	if _, err := notification.Parse(strings.Repeat("{{a}}", notification.MaxPlaces+1)); err == nil {
		t.Error("a template with too many places: got no error")
	}
	if _, err := notification.Parse(strings.Repeat("x", notification.MaxTemplate+1)); err == nil {
		t.Error("a template that is too long: got no error")
	}
}

// TestFillWritesValuesAsTheyAre wants the text of any template that can be read to
// be its pieces with the values between them.
func TestFillWritesValuesAsTheyAre(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringMatching(`[a-z {}$%.]{0,12}`), 1, 6).Draw(r, "pieces")
		value := rapid.String().Draw(r, "value")
		var source, want strings.Builder
		for i, p := range pieces {
			p = strings.Trim(p, "{}")
			if i > 0 {
				source.WriteString("{{v}}")
				want.WriteString(strings.ToValidUTF8(value, "\uFFFD"))
			}
			source.WriteString(strings.ReplaceAll(p, "{{", "{{{{"))
			want.WriteString(p)
		}
		template, err := notification.Parse(source.String())
		if err != nil {
			r.Fatalf("Parse(%q): %v", source.String(), err)
		}
		if got, missing, _ := template.Fill(map[string]string{"v": value}); got != want.String() || missing != nil {
			r.Fatalf("Fill of %q: got %q and missing %q, want %q", source.String(), got, missing, want.String())
		}
	})
}
