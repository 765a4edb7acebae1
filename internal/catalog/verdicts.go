package catalog

import (
	"bytes"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/file"
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
	if f, err := file.Open(verdicts(p)); err == nil {
		policy.Remembered.Read(f)
		_ = f.Close() // it was read
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
	var text bytes.Buffer
	if err := policy.Remembered.Write(&text); err != nil {
		return err
	}
	return file.Replace(verdicts(p), text.Bytes())
}
