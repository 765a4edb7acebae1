package executable_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/executable"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, executable.Surface.Spec) }
