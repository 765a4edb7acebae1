package sarif

// Log is a SARIF file. Of what SARIF has, it holds what a checker of files says.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// Run is what one run of one tool found.
type Run struct {
	Tool struct {
		Driver Driver `json:"driver"`
	} `json:"tool"`
	BaseIDs    map[string]Artifact `json:"originalUriBaseIds"`
	ColumnKind string              `json:"columnKind"`
	Results    []Result            `json:"results"`
}

// Driver is the tool itself.
type Driver struct {
	Name           string `json:"name"`
	Version        string `json:"version,omitempty"`
	InformationURI string `json:"informationUri,omitempty"`
	Rules          []Rule `json:"rules"`
}

// Rule is something that can be found.
type Rule struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Short   *Text    `json:"shortDescription,omitempty"`
	Help    *Text    `json:"help,omitempty"`
	HelpURI string   `json:"helpUri,omitempty"`
	Default *Default `json:"defaultConfiguration,omitempty"`
}

// Default is how severe a rule's results are where nothing else is said.
type Default struct {
	Level string `json:"level"`
}

// Text is a message in plain text.
type Text struct {
	Text string `json:"text"`
}

// Result is something that was found.
type Result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"` // error, warning or note
	Message      Text              `json:"message"`
	Locations    []Location        `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]string `json:"properties,omitempty"`
}

// Location is where something was found.
type Location struct {
	Physical Physical `json:"physicalLocation"`
}

// Physical is a place in a file.
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   *Region  `json:"region,omitempty"`
}

// Artifact is a file, or a directory that files' addresses are relative to.
type Artifact struct {
	URI         string `json:"uri,omitempty"`
	BaseID      string `json:"uriBaseId,omitempty"`
	Description *Text  `json:"description,omitempty"`
}

// Region is a part of a file, by its first line.
type Region struct {
	Start int `json:"startLine"`
}
