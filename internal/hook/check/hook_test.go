package check_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
)

func TestDoctor(t *testing.T) { hooktest.Run(t, check.Doctor.Spec, "testdata/doctor_checks") }
func TestBox(t *testing.T)    { hooktest.Run(t, check.Box.Spec, "testdata/box_doctor_checks") }
func TestFixes(t *testing.T)  { hooktest.Run(t, check.Fixes.Spec, "testdata/doctor_fixes") }
func TestVerify(t *testing.T) { hooktest.Run(t, check.Verify.Spec, "testdata/verify_checks") }
