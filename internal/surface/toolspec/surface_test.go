package toolspec_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, toolspec.Surface.Spec) }
