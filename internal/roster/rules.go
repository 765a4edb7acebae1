package roster

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// Rule says what may be installed from a source and all that lies below it.
type Rule struct {
	Name    string
	From    string // as git.ParsePattern reads it
	Allow   bool   // where any rule allows something, nothing else may be installed
	Block   bool
	Signed  string // SignedCommit, SignedNote; "" wants nothing signed
	Signers string // absolute path of the file that says whose signatures count; "" is gpg's own keys
	Where   string // where it is written, for people
}

// What a rule wants signed.
const (
	SignedCommit = "commit"
	SignedNote   = "note"
)

// identity is what a line comes from, as rules compare it.
func identity(i *state.Installed) (string, error) {
	if i.Kind == state.Linked || i.Kind == state.Archive && git.IsPath(i.Source) {
		return "file://" + filepath.ToSlash(i.Source), nil
	}
	if i.Kind == state.Archive {
		return archiveIdentity(i.Source)
	}
	s, _, err := git.Parse(i.Source, git.Allow{Local: true, Plain: true})
	if err != nil {
		return "", err
	}
	if s.Local() { // a link must not lead past a rule
		real, err := filepath.EvalSymlinks(s.Path())
		if err != nil {
			return s.Identity(), nil //nolint:nilerr // who fetches says what is wrong with it
		}
		return "file://" + filepath.ToSlash(real), nil
	}
	return s.Identity(), nil
}

// permit asks the rules about a line, and is those of them that want something signed.
// It is asked before anything is fetched.
func (r *Roster) permit(i *state.Installed) ([]Rule, error) {
	if r.Rules == nil {
		return nil, nil
	}
	rules, err := r.Rules()
	if err != nil {
		return nil, ext.AsRefused(fmt.Errorf("nothing is installed or updated: %w", err))
	}
	id, err := identity(i)
	if err != nil {
		return nil, err
	}
	return judge(rules, id)
}

// allowing reports whether some rule allows something, so that all else is not.
func (r *Roster) allowing() (bool, error) {
	if r.Rules == nil {
		return false, nil
	}
	rules, err := r.Rules()
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.Allow }), err
}

func judge(rules []Rule, id string) (signed []Rule, err error) {
	var allowing *Rule
	allowed := false
	for n := range rules {
		rule := &rules[n]
		p, err := git.ParsePattern(rule.From)
		if err == nil && filepath.IsAbs(rule.From) { // a link must not lead past a rule
			if real, failed := filepath.EvalSymlinks(rule.From); failed == nil {
				p, err = git.ParsePattern(filepath.ToSlash(real))
			}
		}
		if err != nil {
			return nil, ext.AsRefused(fmt.Errorf("%s: the rule %s about sources: %w", rule.Where, rule.Name, err))
		}
		switch {
		case rule.Block && p.CoversFolded(id):
			return nil, ext.AsRefused(fmt.Errorf("%s is blocked by the rule %s about sources (%s)", ext.Quote(id), rule.Name, rule.Where))
		case rule.Allow && allowing == nil:
			allowing = rule
		}
		allowed = allowed || rule.Allow && p.Covers(id)
		if rule.Signed != "" && p.CoversFolded(id) {
			signed = append(signed, *rule)
		}
	}
	if allowing != nil && !allowed {
		return nil, ext.AsRefused(fmt.Errorf("%s is covered by no rule that allows it, and there are such rules (%s, %s)", ext.Quote(id), allowing.Name, allowing.Where))
	}
	return signed, nil
}
