package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	if _, err := TidyEvents(d.History); err != nil {
		return Snapshot{}, nil, err
	}
	return d.State, d.History, nil
}
