package rule

import "strings"

// Words of a trigger whose meaning is known.
const (
	alwaysOn  = "always_on"
	byFiles   = "glob"
	byManual  = "manual"
	byMeaning = "model_decision"
)

// When says in one line when the rule applies, for an agent that decides
// whether to read it, and for listings. What the author wrote in it is as it
// was written.
func (r Rule) When() string {
	files := "when working on files that match " + strings.Join(r.Applies, ", ")
	switch {
	case r.Always:
		return "always"
	case len(r.Applies) > 0 && (r.Trigger == "" || r.Trigger == byFiles):
		return files
	case len(r.Applies) > 0:
		return files + "; trigger: " + r.Trigger
	case r.Trigger == byManual:
		return "when a person asks for it"
	case r.Trigger == "" || r.Trigger == byMeaning:
		return "when what it is about comes up"
	}
	return "trigger: " + r.Trigger
}

// Text is the rule as an agent is served it: its text, and above it, where it
// does not always apply, when it does. MIMEType is its type.
func (r Rule) Text() string {
	if r.Always {
		return r.Body
	}
	return "Applies: " + r.When() + ".\n\n" + r.Body
}

// MIMEType is the type of what Text returns.
const MIMEType = "text/markdown"
