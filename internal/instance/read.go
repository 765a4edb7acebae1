package instance

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
)

// written is a record as it stands in its file.
type written struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Workspace string    `json:"workspace"`
	Pid       int       `json:"pid"`
	Started   uint64    `json:"started"`
	Address   string    `json:"address,omitempty"`
	TLS       bool      `json:"tls,omitempty"`
	Socket    string    `json:"socket"`
	Token     string    `json:"token"`
	Since     time.Time `json:"since"`
}

// write makes r visible at p, whole.
func (p place) write(r Record) error {
	data, err := json.MarshalIndent(written{
		ID: r.ID, Kind: r.Kind.String(), Workspace: r.Workspace, Pid: r.Process.Pid, Started: r.Process.Started,
		Address: r.Address, TLS: r.TLS, Socket: r.Socket, Token: r.Token, Since: r.Since,
	}, "", "\t")
	if err != nil {
		return err
	}
	return writeWhole(p.path(recordEnd), append(data, '\n'))
}

// writeWhole puts a file in the place of the one at path that only this person
// can read. One at a time may do so.
func writeWhole(path string, data []byte) error {
	next := path + ".new"
	_ = os.Remove(next) // of one that was killed here
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return os.Rename(next, path)
}

// read is the record at p, if there is one that can be believed so far.
func (p place) read() (Record, bool) {
	data, err := readOwn(p.path(recordEnd), mostRecord)
	if err != nil {
		return Record{}, false
	}
	var w written
	if err := json.Unmarshal(data, &w); err != nil {
		return Record{}, false
	}
	r := Record{
		ID: w.ID, Workspace: w.Workspace, Process: child.Identity{Pid: w.Pid, Started: w.Started},
		Address: w.Address, TLS: w.TLS, Socket: w.Socket, Token: w.Token, Since: w.Since,
	}
	if w.Kind == Stdio.String() {
		r.Kind = Stdio
	}
	return r, w.Kind == r.Kind.String() && p.fits(r)
}

// mostRecord is how long a record's file may be.
const mostRecord = 64 << 10

// readOwn is the content of a file that only this person can have written.
func readOwn(path string, most int64) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("it is a %s", before.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !os.SameFile(info, before):
		return nil, errors.New("it was exchanged")
	case !owned(info) || !private(info):
		return nil, errors.New("others may have written it")
	case info.Size() > most:
		return nil, errors.New("it is too long")
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// fits reports whether r can be what a host wrote at p.
func (p place) fits(r Record) bool {
	return hexadecimal(r.ID, 16) && hexadecimal(r.Token, 32) &&
		filepath.IsAbs(r.Workspace) && filepath.Clean(r.Workspace) == r.Workspace && placeOf(p.dir, r) == p &&
		r.Process.Pid > 0 && (r.Process.Started != 0 || child.Self().Started == 0) &&
		addressed(r.Address) && p.contains(r.Socket)
}

func hexadecimal(s string, bytes int) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == bytes
}

// addressed reports whether there is no address, or one of a host and a port.
func addressed(address string) bool {
	if address == "" {
		return true
	}
	_, port, err := net.SplitHostPort(address)
	return err == nil && port != ""
}
