package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sshKey makes a key and answers with its file and its public half.
func sshKey(t *testing.T) (file, public string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "x", "-f", file).CombinedOutput(); err != nil {
		t.Skipf("no ssh-keygen: %v %s", err, out)
	}
	data, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.TrimSpace(string(data))
}

// The signature of a commit by ssh counts when its key is allowed, and it is told who
// signed; else why it does not.
func TestSignatureBySSH(t *testing.T) {
	s := serve(t)
	key, public := sshKey(t)
	_, stranger := sshKey(t)
	r, src := s.repo("a.git")
	plain := r.commit("main", file{"100644", "x", "x"})
	signed := r.git("x", "-c", "gpg.format=ssh", "-c", "user.signingKey="+key, "commit-tree", "-S", plain+"^{tree}")
	r.git("", "update-ref", "refs/heads/signed", signed)
	raw := r.git("", "cat-file", "commit", signed)
	forged := r.git(strings.Replace(raw, "\n\nx", "\n\ny", 1), "hash-object", "-w", "-t", "commit", "--stdin")
	r.git("", "update-ref", "refs/heads/forged", forged)
	allowed := func(keys ...string) Signers {
		file := filepath.Join(t.TempDir(), "allowed")
		if err := os.WriteFile(file, []byte(strings.Join(keys, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return Signers{SSH: file}
	}
	g := newGit(t)
	for name, c := range map[string]struct {
		commit string
		by     Signers
		signer string // "" does not count
		why    string
	}{
		"allowed":         {signed, allowed("alice@example.com " + public), "alice@example.com", ""},
		"a stranger's":    {signed, allowed("bob@example.com " + stranger), "", "known"},
		"nobody is known": {signed, Signers{}, "", "known"},
		"forged":          {forged, allowed("alice@example.com " + public), "", "not of this commit"},
		"not signed":      {plain, allowed("alice@example.com " + public), "", "not signed"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := g.Fetch(t.Context(), src, c.commit, filepath.Join(t.TempDir(), "tree"), Fetching{Signers: &c.by})
			if err != nil {
				t.Fatal(err)
			}
			if got := f.Signature; got.OK != (c.signer != "") || c.signer != "" && got.Signer != c.signer || !strings.Contains(got.Why, c.why) || got.OK && got.Why != "" {
				t.Errorf("got %+v, want %q, or %q", got, c.signer, c.why)
			}
		})
	}
}

// A signature by GnuPG counts when its key is trusted in the home that is given.
func TestSignatureByGnuPG(t *testing.T) {
	if _, err := exec.LookPath("gpg"); err != nil {
		t.Skip("no gpg")
	}
	home, err := os.MkdirTemp("", "gpg") // short, for its socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	gpg := func(args ...string) {
		t.Helper()
		cmd := exec.Command("gpg", append([]string{"--batch", "--homedir", home, "--pinentry-mode", "loopback", "--passphrase", ""}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("gpg %v: %v\n%s", args, err, out)
		}
	}
	gpg("--quick-gen-key", "alice@example.com", "ed25519", "sign", "never")
	t.Cleanup(func() { _ = exec.Command("gpgconf", "--homedir", home, "--kill", "gpg-agent").Run() })
	s := serve(t)
	r, src := s.repo("a.git")
	plain := r.commit("main", file{"100644", "x", "x"})
	t.Setenv("GNUPGHOME", home)
	cmd := exec.Command("git", "commit-tree", "-Salice@example.com", "-m", "x", plain+"^{tree}")
	cmd.Env = append(testEnv(), "GIT_DIR="+r.dir, "GNUPGHOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("sign: %v\n%s", err, out)
	}
	signed := strings.TrimSpace(string(out))
	r.git("", "update-ref", "refs/heads/signed", signed)
	g := newGit(t)
	for name, c := range map[string]struct {
		home string
		ok   bool
	}{"trusted": {home, true}, "not known": {t.TempDir(), false}} {
		os.Chmod(c.home, 0o700)
		f, err := g.Fetch(t.Context(), src, signed, filepath.Join(t.TempDir(), "tree"), Fetching{Signers: &Signers{GnuPG: c.home}})
		if err != nil || f.Signature.OK != c.ok || c.ok && !strings.Contains(f.Signature.Signer, "alice") {
			t.Errorf("%s: got %+v, %v, want it counted: %v", name, f.Signature, err, c.ok)
		}
	}
}
