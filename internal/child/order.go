package child

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

const defaultGrace = 2 * time.Second

func (e *startError) Error() string { return "start " + ext.Quote(e.path) + ": " + e.err.Error() }
func (e *startError) Unwrap() error { return e.err }

// order is what a shim is told, over the lifeline: arguments and environment
// of a shim can be read by others.
type order struct {
	path, dir string
	grace     time.Duration
	mark      uint64
	args, env []string
}

// order looks the program up and says what is wrong with the spec.
func (s Spec) order() (order, error) {
	path, err := s.find()
	if err == nil {
		err = s.dir()
	}
	if err != nil {
		return order{}, err
	}
	o := order{path: path, dir: s.Dir, grace: s.Grace, mark: newMark(), args: s.Args, env: s.Env}
	if o.grace <= 0 {
		o.grace = defaultGrace
	}
	if slices.ContainsFunc(o.fields(), func(f string) bool { return strings.Contains(f, "\x00") }) {
		return order{}, errors.New("there is a NUL character in its arguments, environment or paths")
	}
	return o, nil
}

func (s Spec) dir() error {
	if s.Dir == "" {
		return nil
	}
	if !filepath.IsAbs(s.Dir) {
		return fmt.Errorf("directory %s is not absolute", ext.Quote(s.Dir))
	}
	return directory(s.Dir)
}

func (o order) fields() []string {
	head := []string{o.path, o.dir, strconv.FormatInt(int64(o.grace), 10), strconv.FormatUint(o.mark, 10), strconv.Itoa(len(o.args))}
	return slices.Concat(head, o.args, o.env)
}

// encode is a length and the fields, each ended by a NUL.
func (o order) encode() []byte {
	text := strings.Join(o.fields(), "\x00") + "\x00"
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
}

func readOrder(r io.Reader) (order, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return order{}, err
	}
	text := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(r, text); err != nil {
		return order{}, err
	}
	f := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if len(f) < 5 {
		return order{}, io.ErrUnexpectedEOF
	}
	grace, err1 := strconv.ParseInt(f[2], 10, 64)
	mark, err2 := strconv.ParseUint(f[3], 10, 64)
	n, err3 := strconv.Atoi(f[4])
	if err := errors.Join(err1, err2, err3); err != nil {
		return order{}, err
	}
	rest := f[5:]
	if n < 0 || n > len(rest) {
		return order{}, io.ErrUnexpectedEOF
	}
	return order{path: f[0], dir: f[1], grace: time.Duration(grace), mark: mark, args: rest[:n], env: rest[n:]}, nil
}
