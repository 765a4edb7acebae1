package overlay_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/overlay"
)

func TestOverlays(t *testing.T) { hooktest.Run(t, overlay.Overlays.Spec, "testdata") }
