package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// parity runs the script of one behaviour of the reference system.
func parity(t *testing.T, name string) {
	testscript.Run(t, params(testscript.Params{Files: []string{filepath.Join(scripts, "parity", name)}}))
}

func TestField_MOD08(t *testing.T)                      { field(t, "mod08.txtar") }
func TestParity015_overlays_of_extensions(t *testing.T) { parity(t, "015.txtar") }
func TestParity016_rows_come_first(t *testing.T)        { parity(t, "016.txtar") }

// Where the reference says nothing of an overlay that is missing, we do (law 10).
func TestParity095_missing_files(t *testing.T) { parity(t, "095.txtar") }

func TestParity100_a_condition_on_no_axis(t *testing.T) { parity(t, "100.txtar") }
