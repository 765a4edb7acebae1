package catalog

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// verdicts is the file that remembers which expressions of policies are sound, so
// that a start need not find it out again. It lies with the state: who can change
// it decides what policies are asked about.
func verdicts(p host.Place) string { return filepath.Join(p.Paths.State, "policies") }

// knowVerdicts reads what is remembered and returns how to remember what became
// known since. Failing to costs time alone.
func knowVerdicts(p host.Place) (remember func() error) {
	if info, err := os.Lstat(verdicts(p)); err == nil && info.Mode().IsRegular() { // anything else might make it wait
		if f, err := os.Open(verdicts(p)); err == nil {
			policy.Remembered.Read(f)
			_ = f.Close() // it was read
		}
	}
	known := policy.Remembered.Len()
	return func() error {
		if policy.Remembered.Len() == known {
			return nil
		}
		_ = writeVerdicts(p) // what is not kept is found out again
		return nil
	}
}

func writeVerdicts(p host.Place) error {
	f, err := os.CreateTemp(p.Paths.State, ".policies-*")
	if err != nil {
		return err
	}
	err = errors.Join(policy.Remembered.Write(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), verdicts(p))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
