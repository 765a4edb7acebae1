package roster

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// noteText is what a note about a plugin says: what it is called, its commit (of an
// archive its SHA-256), and the digest of its directory.
func noteText(i *state.Installed) string {
	return fmt.Sprintf("mortise plugin\n%s\n%s\n%s\n", i.Name, i.Commit, i.Digest)
}

// SignNote is a note about what is installed, signed with a key of NewNoteKey.
func SignNote(i *state.Installed, key string) (string, error) {
	if i.Commit == "" {
		return "", ext.AsRefused(fmt.Errorf("%s is read where it lies, and has no commit that a note could be about", i.Name))
	}
	s, err := note.NewSigner(strings.TrimSpace(key))
	if err != nil {
		return "", ext.AsUsage(fmt.Errorf("the key cannot be used: %w", err))
	}
	signed, err := note.Sign(&note.Note{Text: noteText(i)}, s)
	return string(signed), err
}

// NewNoteKey makes a key for notes: the one to sign with, which is secret, and the one
// that a rule's file of signers has.
func NewNoteKey(name string) (secret, public string, err error) {
	secret, public, err = note.GenerateKey(rand.Reader, name)
	if err != nil {
		return "", "", err
	}
	if _, err := note.NewVerifier(public); err != nil || strings.ContainsFunc(name, ext.Hidden) {
		return "", "", fmt.Errorf("%s is no name of a key; use a host's, such as team.example.org", ext.Quote(ext.Shorten(name, 80)))
	}
	return secret, public, nil
}

// checkNote judges a note about a line by the keys of a rule.
func checkNote(rule *Rule, i *state.Installed, text string) error {
	if text == "" {
		return ext.AsRefused(fmt.Errorf("%s needs a signed note by the rule %s (%s); give the one that its publisher signed with --note FILE", i.Name, rule.Name, rule.Where))
	}
	keys, err := verifiers(rule)
	if err != nil {
		return err
	}
	n, err := note.Open([]byte(text), keys)
	if err != nil {
		return ext.AsRefused(fmt.Errorf("the note about %s: %w (rule %s, %s)", i.Name, err, rule.Name, rule.Where))
	}
	if want := noteText(i); n.Text != want {
		return ext.AsRefused(fmt.Errorf("the note is about something else than what was fetched of %s: it says %s, and it is %s", i.Name, ext.Quote(flat(n.Text)), ext.Quote(flat(want))))
	}
	return nil
}

func flat(text string) string { return ext.Shorten(strings.Join(strings.Fields(text), " "), 300) }

// mostSigners is the largest file of verifier keys.
const mostSigners = 1 << 20

// verifiers are the keys of a rule: one a line, "#" begins a comment.
func verifiers(rule *Rule) (note.Verifiers, error) {
	if rule.Signers == "" {
		return nil, ext.AsRefused(fmt.Errorf("%s: the rule %s wants signed notes and names no file of signers", rule.Where, rule.Name))
	}
	data, err := file.ReadAtMost(rule.Signers, mostSigners)
	if err != nil {
		return nil, fmt.Errorf("read the signers of the rule %s: %w", rule.Name, err)
	}
	var keys []note.Verifier
	for n, line := range bytes.Split(data, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		v, err := note.NewVerifier(text)
		if err != nil {
			return nil, ext.AsRefused(fmt.Errorf("%s:%d: %w", rule.Signers, n+1, err))
		}
		keys = append(keys, v)
	}
	return note.VerifierList(keys...), nil
}

// proof is what of a plugin must be signed.
type proof struct {
	rules []Rule
	note  string
	onRef bool // a branch or a tag must lead to the commit
}

// prove is what must be signed of a line, with a note about it. What the rules do not let
// in, and what can have no such signature, is a refusal.
func (r *Roster) prove(i *state.Installed, note string) (*proof, error) {
	rules, err := r.permit(i)
	if err != nil {
		return nil, err
	}
	p := &proof{rules: rules, note: note}
	return p, p.possible(i)
}

// commits reports whether a commit must be signed, so that it is fetched even where its
// checkout is there: only the repository has the signature.
func (p *proof) commits() bool { return p.wants(SignedCommit) }

func (p *proof) wants(what string) bool {
	for i := range p.rules {
		if p.rules[i].Signed == what {
			return true
		}
	}
	return false
}

// possible refuses what can have no such signature.
func (p *proof) possible(i *state.Installed) error {
	for n := range p.rules {
		rule := &p.rules[n]
		if i.Kind == state.Linked || i.Kind == state.Archive && rule.Signed == SignedCommit {
			return ext.AsRefused(fmt.Errorf("the rule %s (%s) wants a signed %s, and a %s has none", rule.Name, rule.Where, rule.Signed, i.Kind))
		}
	}
	return nil
}

// fetched fetches a commit and judges its signature by all rules that want one.
func (p *proof) fetched(ctx context.Context, g *git.Git, from git.Found, dir string, o git.Fetching) (f *git.Fetched, err error) {
	o.Ref, o.OnRef = from.Ref, p.onRef
	judged := false
	for i := range p.rules {
		rule := &p.rules[i]
		if rule.Signed != SignedCommit {
			continue
		}
		if judged { // one rule after the other: each may know other signers
			return nil, ext.AsRefused(fmt.Errorf("%s and another rule want the commit signed by signers of their own; leave one of them (%s)", rule.Name, rule.Where))
		}
		judged = true
		o.Signers = &git.Signers{SSH: rule.Signers}
		f, err = g.Fetch(ctx, from.At, from.Commit, dir, o)
		switch {
		case err != nil:
			return nil, err
		case f.Signature == nil:
			return nil, errors.New("git said nothing of the signature")
		case !f.Signature.OK:
			return nil, ext.AsRefused(fmt.Errorf("%s needs a commit that is signed, by the rule %s (%s): %s", short(from.Commit), rule.Name, rule.Where, ext.Escape(f.Signature.Why)))
		}
	}
	if judged {
		return f, nil
	}
	return g.Fetch(ctx, from.At, from.Commit, dir, o)
}

// noted judges the note about a line whose content is known.
func (p *proof) noted(i *state.Installed) error {
	for n := range p.rules {
		if p.rules[n].Signed != SignedNote {
			continue
		}
		if err := checkNote(&p.rules[n], i, p.note); err != nil {
			return err
		}
	}
	return nil
}

func short(commit string) string { return commit[:min(12, len(commit))] }
