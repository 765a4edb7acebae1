package mortise_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mortise-dev/mortise"
)

// find is a tool of the examples.
type findArguments struct {
	Text string `json:"text" jsonschema:"what to look for"`
}

type found struct {
	Notes []string `json:"notes"`
}

func find(_ context.Context, in findArguments) (any, error) {
	return found{[]string{"about " + in.Text}}, nil
}

// notes is a provider of the examples.
type notes struct{}

func (notes) Contribute() mortise.Contribution {
	return mortise.Contribution{
		Extension: "notes",
		Tools: []mortise.Tool{
			mortise.NewTool(mortise.About{Name: "find", Description: "Find notes.", ReadOnly: true, Closed: true}, find),
		},
		Fragments: []mortise.Fragment{{Name: "use", Tier: mortise.TierReference, Text: "Notes are found by their words."}},
		Policies: []mortise.Policy{{
			Name: "short", Outcome: mortise.Deny, Message: "look for more than two letters",
			Tools: []string{"notes:find"}, When: "size(string(arguments.text)) < 3",
		}},
	}
}

func ExampleCompose() {
	composed, err := mortise.Compose([]mortise.Provider{notes{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(composed)
	// Output:
	// extension notes (plugin): 1 tools, 1 fragments, 1 policies, 0 guards
	// tool notes_find of notes: Find notes.
	// fragment notes:use: extension layer, tier reference, order 0
	// policy notes:short: about notes:find
}

func ExampleCompose_reserved() {
	_, err := mortise.Compose([]mortise.Provider{notes{}}, mortise.ReservedToolNames("notes_find"))
	var refused *mortise.AdmissionError
	if errors.As(err, &refused) {
		r := refused.Refusals[0]
		fmt.Println(r.Extension, r.Cause, r.Owner)
	}
	fmt.Println(err)
	// Output:
	// notes tool-reserved the deployment
	// notes is refused (tool-reserved): its tool "notes:find" would be called "notes_find", and the deployment reserves that name. Rename the tool
}

func ExampleSession_Call() {
	composed, err := mortise.Compose([]mortise.Provider{notes{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := mortise.New(composed)
	defer host.Close()
	session := host.Session(mortise.ForAgent("reader"))

	result, err := session.Call(context.Background(), "notes_find", []byte(`{"text": "rain"}`))
	fmt.Println(result.Text, err)

	_, err = session.Call(context.Background(), "notes_find", []byte(`{"text": "r"}`))
	var denied *mortise.Denied
	if errors.As(err, &denied) {
		fmt.Println(denied.Objections[0].Guard, "denies:", denied.Objections[0].Reason)
	}
	// Output:
	// {"notes":["about rain"]} <nil>
	// notes:short denies: look for more than two letters
}

// A guard is a function that is asked before a tool is called.
func ExampleGuard() {
	quota := mortise.Contribution{Extension: "quota", Guards: []mortise.Guard{{
		Name: "notes", Tools: []string{"notes:*"},
		Judge: func(_ context.Context, a mortise.Action) (mortise.Opinion, error) {
			return mortise.Opinion{Verdict: mortise.Ask, Reason: a.Tool + " was used often today"}, nil
		},
	}}}
	composed, err := mortise.Compose([]mortise.Provider{notes{}, quota})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := mortise.New(composed, mortise.AskPerson(func(_ context.Context, q mortise.Question) (bool, error) {
		fmt.Println("asked:", q.Objections[0].Reason)
		return true, nil
	}))
	defer host.Close()
	result, err := host.Session().Call(context.Background(), "notes_find", []byte(`{"text": "rain"}`))
	fmt.Println(result.Text, err)
	// Output:
	// asked: notes_find was used often today
	// {"notes":["about rain"]} <nil>
}

// An extension that needs to be set up, and ended, says how.
func ExampleOpen() {
	hook := func(name string, phase mortise.Phase) mortise.LifecycleHook {
		return mortise.LifecycleHook{Name: name, Phase: phase, Run: func(context.Context) error {
			fmt.Println(phase, name)
			return nil
		}}
	}
	contribution := notes{}.Contribute()
	contribution.Version = "1.4.0"
	contribution.Lifecycle = []mortise.LifecycleHook{hook("tables", mortise.Install), hook("connections", mortise.Teardown)}
	composed, err := mortise.Compose([]mortise.Provider{contribution})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		host, err := mortise.Open(context.Background(), composed)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(host.Session().Tools()), "tool", host.Close())
	}
	// Output:
	// install tables
	// teardown connections
	// 1 tool <nil>
	// teardown connections
	// 1 tool <nil>
}

// oldPlugin is a plugin of an older interface.
type oldPlugin struct{ name string }

func (p *oldPlugin) Name() string { return p.name }

func (p *oldPlugin) Tools() []mortise.LegacyTool { return nil }

func (p *oldPlugin) Prompt(_ context.Context, state mortise.LegacyState) (string, error) {
	return "The tenant is " + state.Get(mortise.StateTenant) + ".", nil
}

func (p *oldPlugin) ValidateAction(context.Context, mortise.Action) error {
	return errors.New("not on a Sunday")
}

// A plugin that is refused offers nothing, and is still asked for its veto.
func ExampleHost_LoadPlugin() {
	composed, err := mortise.Compose([]mortise.Provider{notes{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	host := mortise.New(composed)
	defer host.Close()
	session := host.Session()
	call := func() error {
		_, err := session.Call(context.Background(), "notes_find", []byte(`{"text": "rain"}`))
		return err
	}
	plugin := &oldPlugin{name: "notes"}

	var refused *mortise.AdmissionError
	if errors.As(host.LoadPlugin(plugin), &refused) {
		fmt.Println("refused:", refused.Refusals[0].Cause, "by", refused.Refusals[0].Owner)
	}
	fmt.Println("denied:", call() != nil)
	host.Forget(plugin)
	fmt.Println("denied:", call() != nil)
	// Output:
	// refused: name-claimed by notes
	// denied: true
	// denied: false
}

// A hook of the program answers what a worktree should be like, here in a mode that nobody
// has set.
func ExampleComposed_Plan() {
	deploying := mortise.Contribution{Extension: "deploying", Hooks: []mortise.Hook{
		{Hook: "axes", Name: "deploy", Answer: func(context.Context, mortise.Asked) (any, error) {
			return []map[string]any{{"name": "deploy", "levels": []string{"off", "staging"}, "blurb": map[string]string{"off": "nothing is deployed", "staging": "to staging"}}}, nil
		}},
		{Hook: "derive_env", Name: "target", Answer: func(_ context.Context, q mortise.Asked) (any, error) {
			return []map[string]any{{"name": "DEPLOY_TARGET", "value": q.Mode["deploy"]}}, nil
		}},
	}}
	composed, err := mortise.Compose([]mortise.Provider{deploying})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := composed.Plan(context.Background(), mortise.Worktree{Dir: "/srv/shop", Mode: map[string]string{"deploy": "staging"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	set, _ := plan.Environment(context.Background(), []string{"HOME=/root"})
	fmt.Println(plan.Mode, set)
	// Output: map[deploy:staging] map[DEPLOY_TARGET:staging]
}
