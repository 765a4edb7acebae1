package dependency_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/dependency"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, dependency.Surface.Spec) }
