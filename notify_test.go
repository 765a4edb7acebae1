package mortise_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
)

// notifying is a provider with notifications of one extension.
func notifying(x string, all ...mortise.Notification) mortise.Provider {
	return mortise.Contribution{Extension: x, Notifications: all}
}

// adopted is a workspace that its person adopted, and the environment in which it was.
func adopted(t *testing.T, files ...string) (dir string, env []string, h *host.Host) {
	t.Helper()
	dir, home := golden.Dir(t, golden.Files(files...)), t.TempDir()
	env = []string{"MORTISE_HOME=" + home}
	paths, err := config.Home(env)
	if err != nil {
		t.Fatal(err)
	}
	ws, err := config.FindWorkspace(dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	h, done, err := catalog.Open(t.Context(), host.Place{Workspace: ws, Paths: paths, Env: env}, host.Changing, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = done() })
	p, _, err := h.Propose(t.Context())
	if err == nil {
		err = h.Adopt(t.Context(), "ada", p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, env, h
}

// sent gathers what is delivered.
type sent []mortise.Notified

func (s *sent) deliver(_ context.Context, n mortise.Notified) error {
	*s = append(*s, n)
	return nil
}

// TestNotify wants a notification to be found over everything that is enabled, its
// places to be filled with the values as they are, and what is wrong to be told by
// name.
func TestNotify(t *testing.T) {
	c, err := mortise.Compose([]mortise.Provider{
		notifying("builds", mortise.Notification{ID: "failed", Title: "Build failed", Severity: "error", Channel: "builds", Template: "{{repo}} failed: {{why}}"}),
		notifying("other", mortise.Notification{ID: "failed", Title: "Other", Template: "x"}, mortise.Notification{ID: "done", Title: "Done", Template: "All is done."}),
	})
	if err != nil {
		t.Fatal(err)
	}
	dir, env, workspace := adopted(t, "mortise.toml", "[plugins.acme]\npath = \"./acme\"\n", ".mortise/notifications/own.yaml", "title: Own\ntemplate: Mine.\n",
		"acme/notifications/disk.yaml", "id: disk.full\ntitle: Disk\nseverity: warning\ntemplate: '{{disk}} is full.'\n", "acme/notifications/done.yaml", "title: Done\ntemplate: Done.\n")
	var got sent
	h := mortise.New(c, mortise.NotifyBy(got.deliver), mortise.InWorkspace(dir, env))
	defer h.Close()
	for _, k := range []struct {
		id     string
		values map[string]string
		want   *mortise.Notified
		fails  string
	}{
		{"builds:failed", map[string]string{"repo": "a/b", "why": "{{repo}} $(date)", "more": "x"}, &mortise.Notified{ID: "builds:failed", Title: "Build failed", Severity: "error", Channel: "builds", Text: "a/b failed: {{repo}} $(date)", Unused: []string{"more"}}, ""},
		{"disk.full", map[string]string{"disk": "sda"}, &mortise.Notified{ID: "acme:disk.full", Title: "Disk", Severity: "warning", Text: "sda is full."}, ""},
		{"own", nil, &mortise.Notified{ID: "owner:own", Title: "Own", Severity: "info", Text: "Mine."}, ""},
		{"acme:done", nil, &mortise.Notified{ID: "acme:done", Title: "Done", Severity: "info", Text: "Done."}, ""},
		{"builds:failed", map[string]string{"why": "x"}, nil, "needs values for repo, which are not given"},
		{"failed", nil, nil, `the notification "failed" is ambiguous: builds:failed, other:failed; name one by its qualified id`},
		{"done", nil, nil, "other:done, acme:done (in " + dir + ")"},
		{"disk.ful", nil, nil, "did you mean disk.full?"},
		{"", nil, nil, "there is no notification"},
	} {
		got = nil
		err := h.Notify(t.Context(), k.id, k.values)
		if k.want == nil {
			if ext.KindOf(err) != ext.Usage || err == nil || !strings.Contains(err.Error(), k.fails) || len(got) > 0 {
				t.Errorf("Notify(%s): got %v and %d delivered, want an error with %q", k.id, err, len(got), k.fails)
			}
			continue
		}
		if diff := cmp.Diff(sent{*k.want}, got); err != nil || diff != "" {
			t.Errorf("Notify(%s): got error %v (-want +got):\n%s", k.id, err, diff)
		}
	}
	if _, err := workspace.Disable(t.Context(), host.Change{Subject: "acme", Reason: "no", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if err := h.Notify(t.Context(), "acme:disk.full", map[string]string{"disk": "sda"}); err == nil {
		t.Error("a notification of a disabled plugin: got it delivered, want none of that id")
	}
}

// TestNotifyDelivery wants what the function says to be returned, a panic too, a long
// text to be cut and told, and a line in the log where there is no function.
func TestNotifyDelivery(t *testing.T) {
	c, err := mortise.Compose([]mortise.Provider{notifying("a", mortise.Notification{ID: "n", Title: "T\nU", Severity: "warning", Template: "{{v}}"})})
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"v": "x\nlevel=ERROR \u202e"}
	broken := errors.New("nobody is at home")
	if err := mortise.New(c, mortise.NotifyBy(func(context.Context, mortise.Notified) error { return broken })).Notify(t.Context(), "n", values); !errors.Is(err, broken) {
		t.Errorf("a function that fails: got %v, want what it says", err)
	}
	if err := mortise.New(c, mortise.NotifyBy(func(context.Context, mortise.Notified) error { panic("no") })).Notify(t.Context(), "n", values); err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("a function that panics: got %v, want that", err)
	}
	var got sent
	if err := mortise.New(c, mortise.NotifyBy(got.deliver)).Notify(t.Context(), "n", map[string]string{"v": strings.Repeat("x", 5_000)}); err != nil || len(got) != 1 || !got[0].Shortened || len([]rune(got[0].Text)) != 4_000 {
		t.Errorf("a long value: got %v and error %v, want 4,000 characters and to be told", got, err)
	}
	var log bytes.Buffer
	was := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(was)
	h := mortise.New(c)
	if err := h.Notify(t.Context(), "n", values); err != nil {
		t.Fatal(err)
	}
	if line := log.String(); strings.Count(line, "\n") != 1 || !strings.Contains(line, "level=WARN msg=notification id=a:n title=") || !strings.Contains(line, `\u202e`) {
		t.Errorf("the log: got %q, want one line", line)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if err := h.Notify(t.Context(), "n", values); !errors.Is(err, mortise.ErrClosed) {
		t.Errorf("Notify of a closed host: got %v, want ErrClosed", err)
	}
}

// TestNotificationsAreJudged wants a contribution with a template that cannot be read
// to be refused whole, and a workspace that cannot be read to be told.
func TestNotificationsAreJudged(t *testing.T) {
	if _, err := mortise.Compose([]mortise.Provider{notifying("a", mortise.Notification{ID: "n", Title: "T", Template: "{{.Exec}}"})}); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "a place of the template") {
		t.Errorf("a template that is none: got %v, want a refusal", err)
	}
	if _, err := mortise.Compose([]mortise.Provider{notifying("a", mortise.Notification{ID: "n/../x", Title: "T", Template: "x"})}); ext.KindOf(err) != ext.Refused {
		t.Errorf("an id that is a path: got %v, want a refusal", err)
	}
	h := mortise.New(nil, mortise.InWorkspace(filepath.Join(t.TempDir(), "none"), os.Environ()))
	defer h.Close()
	if err := h.Notify(t.Context(), "n", nil); err == nil {
		t.Error("a workspace that is not there: got no error")
	}
}
