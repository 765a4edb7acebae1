package cli

import "github.com/mortise-dev/mortise/internal/host"

// explanation is the JSON document of explain.
type explanation struct {
	Name       string                  `json:"name"`
	Adopted    bool                    `json:"adopted"` // false: it is what adoption would give
	Entries    []host.EntryMeaning     `json:"entries"`
	Extensions []host.ExtensionMeaning `json:"extensions"`
	Settings   []setting               `json:"settings"`
	Findings   []host.FindingRow       `json:"findings"`
	Answers    []host.AnswerMeaning    `json:"answers"`
}

func explanationOf(x *host.Explanation, adopted bool) explanation {
	out := explanation{
		Name: x.Name, Adopted: adopted,
		Entries: x.Entries, Extensions: x.Extensions, Settings: []setting{}, Findings: x.Findings, Answers: x.Answers,
	}
	for _, v := range x.Settings {
		s := setting{Key: v.Key, saying: sayingOf(v.Said), Layers: []saying{}}
		for _, said := range v.Shadowed {
			s.Layers = append(s.Layers, sayingOf(said))
		}
		out.Settings = append(out.Settings, s)
	}
	return out
}
