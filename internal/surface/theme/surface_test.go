package theme_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
	"github.com/mortise-dev/mortise/internal/surface/theme"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, theme.Surface.Spec) }
