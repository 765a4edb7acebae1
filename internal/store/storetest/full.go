package storetest

import (
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

// odd holds what a store could trip over: quotes, a NUL, an escape, a byte
// that is not UTF-8, and text of several scripts.
const odd = "it's \"odd\"\x00\x1b[31m\xff\n-- ; Ελληνικά 日本語 🔧"

var (
	noon   = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	abroad = time.Date(2026, 3, 1, 21, 0, 0, 1, time.FixedZone("far", 9*3600))
	d1     = ext.Sum([]byte("one"))
	d2     = ext.Sum([]byte("two"))
)

// full is a tidy snapshot in which every field of every kind of record is set.
func full() state.Snapshot {
	return state.Snapshot{
		Roster: []state.Installed{
			{Name: "zeta", Source: "https://example.org/zeta", Ref: "v1", Kind: state.Git, Within: odd, Commit: "c0ffee", Submodules: true, Digest: d1, Pinned: true, Before: odd, DigestBefore: d2, Order: -1, By: "ada", At: noon},
			{Name: "acme", Source: odd, Digest: d2, Order: 2, By: odd, At: noon},
			{Name: "acme", Scope: "repo:1", Source: "/src/acme", Ref: odd, Commit: odd, Order: 2},
		},
		Switches: []state.Switch{
			{Extension: "acme", Entry: "skill/deploy", Reason: odd, By: "ada", At: noon},
			{Workspace: "repo:1", Extension: "acme", Reason: "too loud"},
			{Workspace: "repo:1", Extension: "acme", Entry: odd},
		},
		Adoptions: []state.Adoption{
			{Workspace: odd, Digest: d1, Place: odd, Snapshot: odd, By: "ada", At: noon},
			{Workspace: "repo:1", Digest: d2, By: "ada", At: noon},
			{Workspace: "repo:1", Digest: d2, Place: "/src/one", Snapshot: "{}", By: "ada", At: noon},
			{Workspace: "repo:1", Digest: d2, Place: "/src/two", Snapshot: "[]", By: "bob", At: noon.Add(time.Hour)},
		},
		Grants: []state.Grant{
			{Kind: "code", Subject: "acme:guard", Digest: d1, By: "ada", At: noon, Until: noon.Add(time.Hour)},
			{Kind: "server", Subject: odd, Digest: d1, By: odd, At: noon},
		},
		Pins: []state.Pin{
			{Extension: "acme", Server: "search", Tool: odd, Digest: d1, At: noon},
			{Workspace: "repo:1", Extension: "acme", Server: "search", Tool: "query", Digest: d1, By: odd, At: noon},
			{Extension: "acme", Server: "search", Tool: "query", Digest: d2, At: noon},
		},
		Guards: []state.Guard{
			{Extension: "acme", Scope: d1, Name: "no-push", Event: "tool-call", Matcher: odd, Code: d2, At: noon},
			{Extension: "acme", Scope: d1, Name: "no-push", Event: "tool-call", Matcher: "shell", Code: d2, At: noon},
		},
		Descriptions: []state.Description{
			{Workspace: odd, Extension: "acme", Server: odd, Declaration: d1, Content: odd, At: noon},
			{Workspace: "repo:1", Extension: "acme", Server: "search", Declaration: d2, Content: "{}", At: noon},
		},
		Connections: []state.Connection{
			{Workspace: "repo:1", Client: "claude-code", Event: "PreToolUse", At: noon},
			{Workspace: "repo:1", Client: "claude-code", Event: odd, At: noon},
		},
	}
}

// records is everything that s lists.
func records(s state.Snapshot) (all []state.Record) {
	for _, r := range s.Roster {
		all = append(all, r)
	}
	for _, r := range s.Switches {
		all = append(all, r)
	}
	for _, r := range s.Adoptions {
		all = append(all, r)
	}
	for _, r := range s.Grants {
		all = append(all, r)
	}
	for _, r := range s.Pins {
		all = append(all, r)
	}
	for _, r := range s.Guards {
		all = append(all, r)
	}
	for _, r := range s.Descriptions {
		all = append(all, r)
	}
	for _, r := range s.Connections {
		all = append(all, r)
	}
	return all
}
