package gateway

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/session"
)

// A template of a plugin does not swallow addresses of the owner's, and a wide
// one none of a narrow one.
func TestFittingTakesTheOwnersAndTheNarrowest(t *testing.T) {
	offer := func(template string, trust ext.Trust) session.Offer {
		o := session.Offer{Name: template}
		o.Entry.Origin.Trust = trust
		return o
	}
	templates := []session.Offer{
		offer("notes://{+a}", ext.Plugin), offer("notes://{year}/{+rest}", ext.Owner), offer("files://{+all}", ext.Plugin), offer("files://public/{name}", ext.Plugin),
	}
	for uri, want := range map[string]string{
		"notes://2026/secret": "notes://{year}/{+rest}", "notes://today": "notes://{+a}", "files://public/a": "files://public/{name}", "files://b": "files://{+all}",
	} {
		if got := fitting(templates, uri); got == nil || got.Name != want {
			t.Errorf("%s: got %+v, want %s", uri, got, want)
		}
	}
	if got := fitting(templates, "other://x"); got != nil {
		t.Errorf("other://x: got %s, want none", got.Name)
	}
}
