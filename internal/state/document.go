package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// documentForm is the form of documents that this program writes.
const documentForm = 1

// document is a state as it is written down for another machine.
type document struct {
	Form    int      `json:"mortise_state"`
	State   Snapshot `json:"state"`
	History []Event  `json:"history"`
}

// Export writes a state and its history, the newest first, as one JSON document.
func Export(w io.Writer, s Snapshot, history []Event) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(document{documentForm, s, history})
}

var hashRE = pattern.New(`^([0-9a-f]{40}|[0-9a-f]{64})?$`)

// possible refuses a line that no program of ours wrote: paths are made of it.
func (r *Installed) possible() error {
	name, err := ext.ParseName(string(r.Name))
	switch {
	case err != nil || name != r.Name || slices.Contains(ext.Reserved, name):
		return fmt.Errorf("%s is no name of a plugin", ext.Quote(string(r.Name)))
	case r.Kind != Git && r.Kind != Archive && r.Kind != Linked:
		return fmt.Errorf("plugin %s is of no known kind", name)
	case !hashRE.MatchString(r.Commit) || !hashRE.MatchString(r.Before) || (r.Kind == Linked) != (r.Commit == ""):
		return fmt.Errorf("plugin %s has a commit that is no whole hash", name)
	case r.Within != "" && !fs.ValidPath(r.Within):
		return fmt.Errorf("plugin %s has a path that leads out of its source", name)
	}
	return nil
}

// Import reads a document that Export wrote. What is no such document, is of a newer form,
// or makes no sense is an error.
func Import(r io.Reader) (Snapshot, []Event, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Snapshot{}, nil, err
	}
	var form struct {
		Form int `json:"mortise_state"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return Snapshot{}, nil, fmt.Errorf("it is no state that mortise state export wrote: %w", err)
	}
	if form.Form != documentForm {
		return Snapshot{}, nil, fmt.Errorf("it is of form %d, and this program knows %d", form.Form, documentForm)
	}
	var d document
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&d); err != nil {
		return Snapshot{}, nil, err
	}
	if strict.More() {
		return Snapshot{}, nil, errors.New("there is more behind the document")
	}
	if err := d.State.Tidy(); err != nil {
		return Snapshot{}, nil, err
	}
	for n := range d.State.Roster {
		if err := d.State.Roster[n].possible(); err != nil {
			return Snapshot{}, nil, err
		}
	}
	if _, err := TidyEvents(d.History); err != nil {
		return Snapshot{}, nil, err
	}
	return d.State, d.History, nil
}
