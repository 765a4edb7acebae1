package setting_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/setting"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// FuzzSetting decodes any setting.
func FuzzSetting(f *testing.F) {
	f.Add([]byte(`{"title": "t", "type": "number", "default": 1, "min": 0, "max": "9", "required": "yes"}`))
	f.Add([]byte(`{"type": "file", "multiple": true, "default": ["a", null], "sensitive": true}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, setting.Surface.Spec, "settings/s.json", "", data)
	})
}
