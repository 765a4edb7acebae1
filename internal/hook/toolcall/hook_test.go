package toolcall_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestBefore(t *testing.T) { surfacetest.Run(t, toolcall.Before.Spec) }
