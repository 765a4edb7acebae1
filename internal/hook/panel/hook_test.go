package panel_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/panel"
)

func TestPanels(t *testing.T) { hooktest.Run(t, panel.Panels.Spec, "testdata") }
