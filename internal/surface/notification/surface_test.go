package notification_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/notification"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, notification.Surface.Spec) }

// FuzzNotification decodes any document.
func FuzzNotification(f *testing.F) {
	f.Add([]byte("id: a\ntitle: T\nseverity: error\ntemplate: x {{y}} {{{{ z\n"))
	f.Add([]byte("title: T\ntemplate: '{{'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, notification.Surface.Spec, "notifications/a.yaml", "", data)
	})
}
