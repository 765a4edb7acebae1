package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
)

// Found is what a reference means at a source.
type Found struct {
	Commit string // the whole hash; of a tag the commit that it names
	Ref    string // the full name, as refs/tags/v1; "" where a commit was asked for
	At     Source // as it was reached: give it to Fetch
}

// Resolve asks a source what ref means there: "" or HEAD, a branch, a tag (of two of one
// name the tag counts, as for git), a full name that begins with refs/, the whole hash
// of a commit, which is taken for what it is without asking, or the beginning of one,
// which is found where a branch or a tag is there. The error is an *Error.
func (g *Git) Resolve(ctx context.Context, s Source, ref string) (Found, error) {
	doing := "resolve " + describe(ref) + " of " + s.String()
	if ref == "" {
		ref = "HEAD"
	}
	if err := checkRef(ref); err != nil {
		return Found{}, ext.AsUsage(err)
	}
	if IsCommit(ref) {
		return Found{Commit: ref, At: s}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.opt.Resolving, errLate)
	defer cancel()
	var found Found
	at, err := g.reach(s, doing, func(at Source) error {
		refs, err := g.list(ctx, at, ref)
		if err == nil {
			found, err = pick(refs, ref)
		}
		return err
	})
	found.At = at
	return found, err
}

func describe(ref string) string {
	if ref == "" {
		return "HEAD"
	}
	return ext.Escape(ext.Shorten(ref, 100))
}

// reach tries the addresses of a source in turn, as long as another could do better.
// When none does, the first error is told.
func (g *Git) reach(s Source, doing string, try func(Source) error) (at Source, err error) {
	for i, at := range s.addresses() {
		failed := failure(doing, try(at))
		if failed == nil {
			return at, nil
		}
		kind := KindOf(failed)
		if i == 0 || KindOf(err) == Moved { // that it moved says less than what came of it
			err = failed
		}
		if kind != Moved && kind != Missing && kind != Login {
			break
		}
	}
	return s, err
}

// Ask is one question of ResolveAll.
type Ask struct {
	Source Source
	Ref    string
}

// Answer is what came of an Ask.
type Answer struct {
	Found
	Err error
}

// ResolveAll is Resolve for many, several at once, with the answers in the order of the
// questions. One that fails costs the others nothing.
func (g *Git) ResolveAll(ctx context.Context, asks []Ask) []Answer {
	answers := make([]Answer, len(asks))
	slots := make(chan struct{}, g.opt.Parallel)
	var all sync.WaitGroup
	for i, a := range asks {
		slots <- struct{}{}
		all.Go(func() {
			answers[i].Found, answers[i].Err = g.Resolve(ctx, a.Source, a.Ref)
			<-slots
		})
	}
	all.Wait()
	return answers
}

// list asks a source for the references that could be meant.
func (g *Git) list(ctx context.Context, s Source, ref string) (map[string]string, error) {
	args := []string{"ls-remote", "--quiet", "--", s.String()}
	switch {
	case ref == "HEAD" || strings.HasPrefix(ref, "refs/"):
		args = append(args, ref, ref+"^{}")
	case !abbrevRE.MatchString(ref):
		args = append(args, "refs/heads/"+ref, "refs/tags/"+ref, "refs/tags/"+ref+"^{}")
	}
	out := &bounded{most: 32 << 20}
	err := g.run(ctx, call{args: args, scheme: s.scheme, stdout: out})
	if out.over {
		return nil, errTooBig
	}
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out.String()) {
		hash, name, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && IsCommit(hash) {
			refs[name] = hash
		}
	}
	return refs, nil
}

// bounded takes so many bytes.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.over = true
		return 0, errTooBig
	}
	return b.Buffer.Write(p)
}

// pick is what ref means among references.
func pick(refs map[string]string, ref string) (Found, error) {
	names := []string{ref}
	if ref != "HEAD" && !strings.HasPrefix(ref, "refs/") {
		names = []string{"refs/tags/" + ref, "refs/heads/" + ref}
	}
	for _, name := range names {
		if hash := refs[name+"^{}"]; hash != "" {
			return Found{Commit: hash, Ref: name}, nil
		}
		if hash := refs[name]; hash != "" {
			return Found{Commit: hash, Ref: name}, nil
		}
	}
	if abbrevRE.MatchString(ref) {
		return begin(refs, ref)
	}
	advice := "correct the reference"
	if ref == "HEAD" {
		advice = "it has no default branch, or nothing in it yet: name a branch or a tag"
	}
	return Found{}, &Error{Kind: NoRef, Advice: advice}
}

// begin is the one tip whose hash begins so.
func begin(refs map[string]string, short string) (Found, error) {
	found := ""
	for name, hash := range refs {
		if peeled := refs[name+"^{}"]; peeled != "" {
			hash = peeled
		}
		if !strings.HasPrefix(hash, short) {
			continue
		}
		if found != "" && found != hash {
			return Found{}, &Error{Kind: NoRef, Detail: "several commits begin so", Advice: "give more of the hash"}
		}
		found = hash
	}
	if found == "" {
		return Found{}, &Error{Kind: NoRef, Advice: "the beginning of a hash is found only where a branch or a tag is: give the whole"}
	}
	return Found{Commit: found}, nil
}

// String says a found commit for people: its first twelve digits, and the reference.
func (f Found) String() string {
	s := f.Commit[:min(12, len(f.Commit))]
	if f.Ref != "" {
		s += fmt.Sprintf(" (%s)", ext.Escape(f.Ref))
	}
	return s
}
