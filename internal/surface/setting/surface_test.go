package setting_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/setting"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, setting.Surface.Spec) }
