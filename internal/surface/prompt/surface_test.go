package prompt_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/prompt"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, prompt.Surface.Spec) }
