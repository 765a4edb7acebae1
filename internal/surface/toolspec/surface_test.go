package toolspec_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/toolspec"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, toolspec.Surface.Spec) }
