package toolcall

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mortise-dev/mortise/ext"
)

// Written is an opinion that is written down. One that is none of the two verdicts
// is an error: what guards nothing is no guard.
func Written(d *ext.Doc) (Opinion, error) {
	if d.Kind != ext.Map {
		return Opinion{}, fmt.Errorf("is %s, expected an object", d.Kind)
	}
	for i := range d.Map {
		switch p := &d.Map[i]; {
		case p.Key != "verdict" && p.Key != "reason":
			return Opinion{}, fmt.Errorf("holds the key %s, which has no meaning", ext.Quote(ext.Shorten(p.Key, 80)))
		case p.Value.Kind != ext.String:
			return Opinion{}, fmt.Errorf("has %s for %s, expected text", p.Value.Kind, ext.Quote(p.Key))
		}
	}
	o := Opinion{Verdict: Verdict(d.Word("verdict")), Reason: d.Word("reason")}
	if o.Verdict != Deny && o.Verdict != Ask {
		return Opinion{}, fmt.Errorf("has the verdict %s, expected \"deny\" or \"ask\"", ext.Quote(ext.Shorten(string(o.Verdict), 80)))
	}
	return o, nil
}

// Read reads what the code of a guard answered: null or {} for no opinion, else an
// object with a verdict, also as the structured content of a result of MCP. Anything
// else is an error, as is a result that says that it is one, and an answer that could
// be read in two ways: a key that is there twice or in other letters.
func Read(raw json.RawMessage) (Opinion, error) {
	var result struct {
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if err := jsonv2.Unmarshal(raw, &result); err == nil && (result.Content != nil || result.IsError) {
		switch {
		case result.IsError && len(result.Content) > 0:
			return Opinion{}, errors.New(ext.Escape(ext.Shorten(result.Content[0].Text, 500)))
		case result.IsError:
			return Opinion{}, errors.New("it failed and does not say why")
		case result.Structured == nil && len(result.Content) == 1 && result.Content[0].Text == "null":
			return Opinion{}, nil
		}
		raw = result.Structured
	}
	var o Opinion
	if err := jsonv2.Unmarshal(raw, &o, jsonv2.RejectUnknownMembers(true)); err != nil {
		return Opinion{}, fmt.Errorf("its answer is no opinion: %s", ext.Quote(ext.Shorten(string(raw), 80)))
	}
	switch {
	case o.Verdict == "" && o.Reason == "", o.Verdict == Deny, o.Verdict == Ask:
		return o, nil
	}
	return Opinion{}, fmt.Errorf("it answered %s, which is no verdict", ext.Quote(ext.Shorten(string(o.Verdict), 80)))
}
