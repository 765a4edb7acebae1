package box_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/box"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
)

func TestArguments(t *testing.T) { hooktest.Run(t, box.Arguments.Spec, "testdata/box_args") }
func TestBootstrap(t *testing.T) { hooktest.Run(t, box.Bootstrap.Spec, "testdata/box_bootstrap") }
