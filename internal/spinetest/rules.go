package spinetest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

func sorted(m map[string]surface.Presence) []string { return slices.Sorted(maps.Keys(m)) }

// Take removes the file of a name from files and returns its content.
func Take(files *[]txtar.File, name string) string {
	for i, f := range *files {
		if f.Name == name {
			*files = slices.Delete(*files, i, i+1)
			return string(f.Data)
		}
	}
	return ""
}

// Now is the time at which tests judge grants.
var Now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Rules reads rules from lines of words:
//
//	adopted, whole, alone, granted, asked
//	first (what servers of the owner's say first counts as approved)
//	disable EXTENSION [SURFACE/ENTRY] [reason …]
//	off EXTENSION reason …
//	grant EXTENSION [stale|lapsed]
//
// A grant is for the candidate's whole tree unless it is stale.
func Rules(t testing.TB, text string, cs []discover.Candidate) admit.Rules {
	t.Helper()
	r := admit.Rules{State: &state.Snapshot{}, Workspace: "here", Now: Now}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		rule(t, &r, words, cs)
	}
	return r
}

func rule(t testing.TB, r *admit.Rules, words []string, cs []discover.Candidate) {
	t.Helper()
	switch words[0] {
	case "adopted":
		r.Adopted = true
	case "whole":
		r.Whole = true
	case "alone":
		r.Alone = true
	case "first":
		r.First = ext.Owner
	case "granted":
		r.Granted = true
	case "asked":
		r.Asked = map[string]bool{toolcall.Before.Name: true}
	case "disable":
		s := state.Switch{Extension: ext.Name(words[1])}
		rest := words[2:]
		if len(rest) > 0 && strings.Contains(rest[0], "/") {
			s.Entry, rest = rest[0], rest[1:]
		}
		s.Reason = strings.Join(rest, " ")
		r.State.Put(s)
	case "off":
		if r.Off == nil {
			r.Off = map[ext.Name]string{}
		}
		r.Off[ext.Name(words[1])] = strings.Join(words[2:], " ")
	case "grant":
		grant(t, r, words[1:], cs)
	default:
		t.Fatalf("rule %q is not known", words)
	}
}

func grant(t testing.TB, r *admit.Rules, words []string, cs []discover.Candidate) {
	t.Helper()
	for i := range cs {
		if string(cs[i].Tree().Extension) != words[0] {
			continue
		}
		g := state.Grant{Kind: admit.GrantCode, Subject: words[0], Digest: cs[i].Content()}
		switch strings.Join(words[1:], " ") {
		case "stale":
			g.Digest = ext.Sum([]byte("what was there before"))
		case "lapsed":
			g.Until = Now
		}
		r.State.Put(g)
	}
}
