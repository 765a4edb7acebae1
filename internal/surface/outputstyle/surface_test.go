package outputstyle_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/outputstyle"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, outputstyle.Surface.Spec) }
