package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Signers say whose signatures count.
type Signers struct {
	// SSH is an allowed-signers file of ssh-keygen; "" knows nobody.
	SSH string
	// GnuPG is the home of the keys of GnuPG, "" is the person's. A key counts that is
	// certified there.
	GnuPG string
}

// Signature is what became of judging one.
type Signature struct {
	OK     bool
	Signer string // who signed, as the key says it; not escaped
	Key    string // the fingerprint of the key
	Why    string // why it does not count; "" when it does
}

// whys say git's letters for a signature, and nothing for the one that counts.
var whys = map[string]string{
	"G": "", "N": "the commit is not signed", "B": "the signature is not of this commit",
	"U": "the signature is right, and the key is none that is known", "X": "the signature has expired",
	"Y": "the key has expired", "R": "the key was revoked", "E": "the signature cannot be checked: the key is not here",
}

// signature has git judge the signature of a commit in a repository.
func (g *Git) signature(ctx context.Context, store, commit string, by Signers) (*Signature, error) {
	allowed := by.SSH
	if allowed == "" {
		allowed = os.DevNull
	}
	abs, err := filepath.Abs(allowed)
	if err != nil {
		return nil, err
	}
	c := call{gitDir: store, args: []string{"-c", "gpg.ssh.allowedSignersFile=" + abs, "-c", "gpg.minTrustLevel=fully",
		"show", "--no-patch", "--no-show-signature", "--no-textconv", "--no-ext-diff", "--format=%G?%n%GS%n%GF%n%GK", commit, "--"}}
	if by.GnuPG != "" {
		c.env = []string{"GNUPGHOME=" + by.GnuPG}
	}
	var out bytes.Buffer
	c.stdout = &out
	if err := g.run(ctx, c); err != nil {
		return nil, err
	}
	lines := strings.Split(out.String(), "\n")
	for len(lines) < 4 {
		lines = append(lines, "")
	}
	s := &Signature{Signer: lines[1], Key: lines[2]}
	if s.Key == "" {
		s.Key = lines[3]
	}
	why, known := whys[lines[0]]
	if !known {
		why = "git says " + ext.Quote(lines[0]) + " of the signature, which is not known here"
	}
	s.OK, s.Why = known && why == "", why
	return s, nil
}
