// Package clientevent holds the hook for what other clients ask the hooks of
// their own plugins about.
package clientevent

import (
	"encoding/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Driver is the driver that implementations refer to: the handler of a client's
// own hook file.
const Driver = "client-hook"

// Keys of an implementation's document that this hook adds.
const (
	Event      = "event"       // the event, as the client spells it
	Client     = "client"      // the name of the format that declares it
	FailClosed = "fail_closed" // the client takes an empty answer for a refusal
	If         = "if"          // what must hold besides, in the client's own words
	Prompt     = "prompt"      // what a model is asked, where that is what answers
	Linux      = "linux"       // what runs on Linux instead
	MacOS      = "macos"       // what runs on macOS instead
	Windows    = "windows"     // what runs on Windows instead
	Also       = "also"        // what else the handler says, key by key
	Argv       = "argv"        // the program and its arguments, where no shell is asked for
	Cwd        = "cwd"         // the directory that it runs in, below its extension's root or absolute
	Env        = "env"         // variables of the environment that it runs with
)

// Occurrence is what is asked about: something that happens in a client.
type Occurrence struct {
	Client  string          `json:"client"`
	Event   string          `json:"event"`
	Subject string          `json:"subject,omitempty"` // what matchers are compared with
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Answer is one answer, in the words of the client.
type Answer struct {
	Payload json.RawMessage `json:"payload,omitempty"`
}

// On is asked when something happens in a client. One implementation is one
// handler of a client's hook file.
var On = surface.DefineHook(surface.HookDef[Occurrence, Answer]{
	Name:   "client_event",
	Doc:    "Handlers of other clients' hook files: asked when something happens in that client.",
	Needs:  ext.Project,
	Guards: true, Questions: questions,
	Options: []surface.Field{
		{Name: Event, Type: surface.Text, Required: true, Doc: "The event, as the client spells it."},
		{Name: Client, Type: surface.Text, Required: true, Doc: "The format that declares it."},
		{Name: FailClosed, Type: surface.Flag, Doc: "An answer that does not come, or is empty, is a refusal (Cursor)."},
		{Name: If, Type: surface.Text, Doc: "What must hold for it to be asked, as the client writes it."},
		{Name: Prompt, Type: surface.Text, Doc: "What a model is asked, where no program is."},
		{Name: Linux, Type: surface.Text, Doc: "What runs on Linux instead."},
		{Name: MacOS, Type: surface.Text, Doc: "What runs on macOS instead."},
		{Name: Windows, Type: surface.Text, Doc: "What runs on Windows instead."},
		{Name: Argv, Type: surface.Words, Doc: "The program and its arguments, where they run without a shell. \"ref\" shows them as one line."},
		{Name: Cwd, Type: surface.Text, Doc: "The directory that it runs in."},
		{Name: Env, Type: surface.Object, Doc: "Variables of the environment that it runs with."},
		{Name: Also, Type: surface.Text, Doc: "What else the handler says, key by key, as the client writes it."},
	},
})
