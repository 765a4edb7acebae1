//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/author"
)

// TestTasksReachClients: a task is a prompt that takes what is asked for and a
// resource, what can be done stands in the text, and the API and the assets are at
// the same address. What a command writes while it is served a client gets, and a
// disabled plugin has nothing of all that.
func TestTasksReachClients(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml": "[plugins.acme]\npath = \"./acme\"\n", "acme/tasks/deploy/TASK.md": "---\ndescription: Put it there.\ninputs: [where]\n---\nPut it at $ARGUMENTS.\n",
		"acme/affordances/charts/AFFORDANCE.md": "---\ntitle: Charts\nwhen: asked\n---\nNumbers become charts.\n", "acme/assets/logo.png": "png",
	})
	p.must("trust", "--yes")
	s := p.serve()
	base := strings.TrimSuffix(s.url, "/mcp")
	get := func(path string) (int, string) {
		t.Helper()
		res, err := http.Get(base + path) //nolint:noctx // loopback, and the program ends with the test
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	changed := make(chan struct{}, 100)
	c := connect(t, s.url, &mcp.ClientOptions{PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed <- struct{}{} }})
	got, err := c.GetPrompt(c.Context, &mcp.GetPromptParams{Name: "acme_task-deploy", Arguments: map[string]string{"arguments": "the shelf"}})
	if err != nil || len(got.Messages) != 1 || got.Messages[0].Content.(*mcp.TextContent).Text != "Put it at the shelf.\n" {
		t.Fatalf("prompts/get: got %+v and error %v, want the instructions with what was typed", got, err)
	}
	read, err := c.ReadResource(c.Context, &mcp.ReadResourceParams{URI: "task://acme/deploy/TASK.md"})
	if err != nil || len(read.Contents) != 1 || read.Contents[0].Text != "Put it at $ARGUMENTS.\n" {
		t.Errorf("resources/read: got %+v and error %v, want the instructions", read, err)
	}
	if text := c.InitializeResult().Instructions; !strings.Contains(text, "# What can be done here") || !strings.Contains(text, "begins: extension acme, what can be done") || !strings.Contains(text, "Numbers become charts.") {
		t.Errorf("the instructions: got\n%s\nwant what can be done, fenced", text)
	}
	var list author.Listed
	if code, body := get("/api/tasks"); code != http.StatusOK || json.Unmarshal([]byte(body), &list) != nil || len(list.Tasks) != 1 || list.Tasks[0].Writable {
		t.Errorf("GET /api/tasks: got %d and %s, want the one that is not writable", code, body)
	}
	if code, body := get("/assets/acme/logo.png"); code != http.StatusOK || body != "png" {
		t.Errorf("GET /assets/acme/logo.png: got %d and %q", code, body)
	}
	p.must("task", "new", "mine", "--description", "Mine.")
	for !c.offers("owner_task-mine") { // there may be a notice too many, none too few
		select {
		case <-changed:
		case <-c.Done():
			t.Fatal("a new task: nobody told of it")
		}
	}
	p.must("disable", "acme", "--reason", "not now")
	if _, err := c.GetPrompt(c.Context, &mcp.GetPromptParams{Name: "acme_task-deploy"}); err == nil {
		t.Error("the task of a disabled plugin: got it, want a refusal")
	}
	if code, _ := get("/assets/acme/logo.png"); code != http.StatusNotFound {
		t.Errorf("the asset of a disabled plugin: got %d, want 404", code)
	}
	s.ends(t, syscall.SIGINT)
}

// offers reports whether prompts/list has a prompt.
func (c client) offers(prompt string) bool {
	c.Helper()
	list, err := c.ListPrompts(c.Context, nil)
	if err != nil {
		c.Fatalf("prompts/list: %v", err)
	}
	for _, p := range list.Prompts {
		if p.Name == prompt {
			return true
		}
	}
	return false
}
