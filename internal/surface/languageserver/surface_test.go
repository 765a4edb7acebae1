package languageserver_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/languageserver"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, languageserver.Surface.Spec) }
