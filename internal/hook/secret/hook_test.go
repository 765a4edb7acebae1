package secret_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/secret"
)

func TestWanted(t *testing.T) { hooktest.Run(t, secret.Wanted.Spec, "testdata") }
