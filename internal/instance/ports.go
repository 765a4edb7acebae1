package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/internal/file"
)

// Ports is which port each workspace was served at last. Several processes may
// have it at once.
type Ports struct{ place place }

// PortsIn is the ports that are remembered in dir, which is made when there is
// something to remember, and must be this person's alone.
func PortsIn(dir string) *Ports { return &Ports{place{dir, "ports"}} }

type port struct {
	Workspace string `json:"workspace"`
	Port      int    `json:"port"`
}

const (
	// mostPorts is how many workspaces are remembered, those served last.
	mostPorts  = 1000
	mostMemory = 8 << 20
)

// Remembered is the port that workspace was served at last. A memory that
// cannot be read is none.
func (p *Ports) Remembered(workspace string) (int, bool) {
	for _, known := range p.read() {
		if known.Workspace == filepath.Clean(workspace) {
			return known.Port, true
		}
	}
	return 0, false
}

// Remember remembers the port for workspace.
func (p *Ports) Remember(workspace string, number int) error {
	if now, ok := p.Remembered(workspace); ok && now == number {
		return nil
	}
	if err := p.remember(port{filepath.Clean(workspace), number}); err != nil {
		return fmt.Errorf("remember port %d: %w", number, err)
	}
	return nil
}

func (p *Ports) remember(new port) error {
	if err := prepare(p.place.dir); err != nil {
		return err
	}
	l, err := p.lock()
	if err != nil {
		return err
	}
	defer l.Release()
	known := slices.DeleteFunc(p.read(), func(o port) bool { return o.Workspace == new.Workspace })
	known = append([]port{new}, known[:min(len(known), mostPorts-1)]...)
	data, err := json.MarshalIndent(known, "", "\t")
	if err != nil {
		return err
	}
	return writeWhole(p.place.path(recordEnd), append(data, '\n'))
}

// lock waits for those who remember something just now.
func (p *Ports) lock() (*file.Lock, error) {
	for until := time.Now().Add(patience); ; wait(pause) {
		l, err := file.TryLock(p.place.path(lockEnd))
		if !errors.Is(err, file.ErrHeld) || time.Now().After(until) {
			return l, err
		}
	}
}

// read is what is remembered, newest first; nothing if that cannot be read.
func (p *Ports) read() (known []port) {
	data, err := readOwn(p.place.path(recordEnd), mostMemory)
	if err != nil || json.Unmarshal(data, &known) != nil {
		return nil
	}
	return slices.DeleteFunc(known, func(o port) bool { return o.Port < 1 || o.Port > 65535 })
}
