package cli

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// tested is the page of server test.
func (p *page) tested(r *testedRow) {
	name := p.bold(ext.Escape(r.Name))
	if r.Answers {
		p.line("%s %s: %s", name, p.green("answers"), join(r.counts()))
	} else {
		p.line("%s %s: %s", name, p.red("does not answer"), cut(r.Error, safe))
	}
	var t table
	row := func(name, text string) {
		if text != "" {
			t.row(cell{name, p.dim}, cell{text, nil})
		}
	}
	row("speaks", r.spoken())
	row("calls itself", cut(strings.TrimSpace(r.Server+" "+r.Version), line))
	row("took", r.took())
	row("ended", cut(r.Exit, safe))
	if r.Noise > 0 {
		row("noise", count(r.Noise, "line")+" on standard output that were no messages")
	}
	for _, text := range r.Stderr {
		row("it said", cut(text, safe))
	}
	for _, text := range r.Notes {
		row("odd", cut(text, safe))
	}
	if r.Log != "" {
		row("log", p.call.shown(r.Log))
	}
	if len(r.Beside) > 0 {
		pids := make([]string, len(r.Beside))
		for i, pid := range r.Beside {
			pids[i] = decimal(uint64(pid))
		}
		row("beside", "the workspace is served by process "+enumerate(pids)+"; this was a process of its own, and that one was left alone")
	}
	row("next", r.Next)
	t.full(p)
	p.offered("Tools", r.Tools)
	p.offered("Prompts", r.Prompts)
	p.offered("Resources", r.Resources)
	p.offered("Resource templates", r.Templates)
}

// counts is how much the server offers, of what it offers.
func (r *testedRow) counts() []string {
	out := []string{count(len(r.Tools), "tool")}
	for _, more := range []struct {
		n    int
		what string
	}{{len(r.Prompts), "prompt"}, {len(r.Resources), "resource"}, {len(r.Templates), "resource template"}} {
		if more.n > 0 {
			out = append(out, count(more.n, more.what))
		}
	}
	return out
}

// spoken is the revision, and the way over which it is spoken.
func (r *testedRow) spoken() string {
	switch r.Era {
	case "modern":
		return "revision " + ext.Escape(r.Protocol) + ", without a handshake, over " + ext.Escape(r.Transport)
	case "legacy":
		return "revision " + ext.Escape(r.Protocol) + ", with a handshake, over " + ext.Escape(r.Transport)
	}
	return ""
}

// took is how long it took to start and to answer; "" when it did not come to that.
func (r *testedRow) took() string {
	if r.StartMS == 0 && r.AnswerMS == 0 {
		return ""
	}
	text := fmt.Sprintf("%.4g ms to start", r.StartMS)
	if r.AnswerMS > 0 {
		text += fmt.Sprintf(", %.4g ms to be greeted and to list what it offers", r.AnswerMS)
	}
	if r.Starts > 1 {
		text += "; it was started " + times(r.Starts)
	}
	return text
}

// offered is a list of what a server offers; nothing for none.
func (p *page) offered(head string, rows []offeredRow) {
	if len(rows) == 0 {
		return
	}
	p.gap()
	p.line("%s", p.bold(head))
	var t table
	for _, r := range rows {
		t.row(cell{bounded(r.Name), p.bold}, cell{bounded(r.Description), nil})
	}
	t.write(p)
}
