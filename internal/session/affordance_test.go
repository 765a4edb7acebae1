package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/session"
)

func affordance(title, when, text string) string {
	return "---\ntitle: " + title + "\nwhen: " + when + "\n---\n" + text + "\n"
}

// TestAffordancesAreOneBlock wants all affordances together under one heading: the
// owner's as they are, below all else of the owner's, those of extensions fenced,
// above the rest of theirs. No extension's text comes above the owner's.
func TestAffordancesAreOneBlock(t *testing.T) {
	s, _ := composed(t, []ext.Name{"zeta", "alpha"},
		"alpha/affordances/a/AFFORDANCE.md", affordance("Alpha", "asked", "Alpha can."), "alpha/prompts/p.md", "Alpha says.",
		"zeta/affordances/a/AFFORDANCE.md", affordance("Zeta", "ever", "Zeta can."),
		"owner/affordances/a/AFFORDANCE.md", affordance("Own", "never", "The owner can."), "owner/prompts/p.md", fragment("reference", "9", "The owner says."),
	)
	v := s.View()
	outside, inside, err := fenced(v.Text, v.Boundary)
	if err != nil {
		t.Fatal(err)
	}
	if want := "## Zeta\n\nWhen: ever\n\nZeta can.|## Alpha\n\nWhen: asked\n\nAlpha can.|Alpha says."; strings.Join(inside, "|") != want {
		t.Errorf("inside the fences: got %q, want %q", inside, want)
	}
	if want := "The owner says.\n\n# What can be done here\n\n## Own\n\nWhen: never\n\nThe owner can.\n\nWhat follows comes from"; !strings.HasPrefix(outside, want) || strings.Count(v.Text, "# What can be done here") != 1 {
		t.Errorf("outside the fences: got\n%s\nwant it to begin with\n%s\nand the heading once", outside, want)
	}
	if !strings.Contains(v.Text, v.Boundary+" begins: extension zeta, what can be done\n") || !strings.Contains(v.Text, v.Boundary+" begins: extension alpha\n") {
		t.Errorf("got\n%s\nwant the fence of an affordance to say that it is one", v.Text)
	}
	if len(v.Prompt) != 5 || v.Prompt[1].Tier != "affordance" || v.Prompt[1].Layer != "owner" || v.Prompt[1].Catalogue.Characters == 0 {
		t.Errorf("items: got %+v, want five, the second the owner's affordance with its size", v.Prompt)
	}
}

// TestAffordancesCostNoFragmentItsPlace wants an extension that says more than it
// may to lose what can be done, and not a rule of its own, although that is read
// later.
func TestAffordancesCostNoFragmentItsPlace(t *testing.T) {
	files := []string{"acme/prompts/rule.md", fragment("rule", "0", strings.Repeat("r", 5_000))}
	for i := range 3 {
		files = append(files, fmt.Sprintf("acme/affordances/a%d/AFFORDANCE.md", i), affordance("A", "w", strings.Repeat("a", 2_000)))
	}
	s, _ := composed(t, nil, files...)
	left := s.LeftOut()
	if len(left) != 2 || !left[0].Affordance || !left[1].Affordance || left[0].By != session.ByExtension {
		t.Errorf("left out: got %+v, want two affordances", left)
	}
	if v := s.View(); len(v.LeftOut) != 2 || len(v.Prompt) != 2 || !strings.Contains(v.Text, "2 of extension acme") {
		t.Errorf("the text says\n%s\nwant it to tell of two that are left out", v.Text)
	}
}

// TestTasksArePrompts wants a task to be a prompt that takes its inputs and a
// resource with its instructions, beside a command of the same name, and both to
// be named and sized in the session.
func TestTasksArePrompts(t *testing.T) {
	s, c := composed(t, nil,
		"acme/tasks/release/TASK.md", "---\ntitle: Make a release\ndescription: Tag it.\ninputs: {version: {description: Which one., required: true}, notes: What changed.}\n---\nTag $ARGUMENTS.\n",
		"acme/tasks/release/more.txt", "more", "acme/commands/release.md", "Release it.\n", "acme/tasks/tidy/TASK.md", "---\ndescription: Tidy up.\n---\nTidy.\n",
	)
	o := s.Offer(session.OfferOptions{})
	p, plain := o.Prompt("acme_task-release"), o.Prompt("acme_task-tidy")
	if p == nil || plain == nil || o.Prompt("acme_release") == nil || len(o.Hidden) > 0 {
		t.Fatalf("prompts: got %+v, hidden %+v, want two tasks beside the command", o.Prompts, o.Hidden)
	}
	if want := `{"name":"acme_task-release","title":"Make a release","description":"Tag it.","arguments":[{"name":"arguments","description":"version: Which one; notes (optional): What changed","required":false}]}`; string(p.Definition) != want {
		t.Errorf("the prompt: got %s, want %s", p.Definition, want)
	}
	if got := p.Command.With("1.2"); got != "Tag 1.2.\n" {
		t.Errorf("the prompt with 1.2: got %q", got)
	}
	if strings.Contains(string(plain.Definition), "arguments") {
		t.Errorf("a task without inputs: got %s, want no argument", plain.Definition)
	}
	if r := o.Resource("task://acme/release/TASK.md"); r == nil || r.Text != "Tag $ARGUMENTS.\n" {
		t.Errorf("the resource: got %+v, want the instructions", r)
	}
	if v := s.View(); len(v.Tasks) != 2 || v.Tasks[0].Body.Characters == 0 || v.Total.Catalogue != adding(c).Catalogue {
		t.Errorf("the session: got %+v, want both with their sizes, and the total that the entries add up to", v.Tasks)
	}
	if only := s.Offer(session.OfferOptions{Only: "acme:x"}); len(only.Prompts)+len(only.Resources) > 0 {
		t.Errorf("of one server alone: got %+v, want no task", only.Prompts)
	}
}
