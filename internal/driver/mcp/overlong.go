package mcp

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/rpc"
)

const (
	maxSkip = 16      // times the limit: a line that is longer still ends the connection
	edge    = 1 << 10 // bytes at either end of a line that are looked at to see whose it is
)

// skip passes over the rest of a line that begins with head and is too long, and
// is its last bytes.
func skip(r *bufio.Reader, head []byte, limit int) (tail []byte, err error) {
	tail = clone(head[max(0, len(head)-edge):])
	if tail[len(tail)-1] == '\n' {
		return tail, nil
	}
	for left := maxSkip * limit; left > 0; {
		part, err := r.ReadSlice('\n')
		left -= len(part)
		tail = append(tail, part[max(0, len(part)-edge):]...)
		tail = tail[max(0, len(tail)-edge):]
		if !errors.Is(err, bufio.ErrBufferFull) {
			return tail, err
		}
	}
	return nil, errTooLong
}

// A message begins or ends with its id, as programs write it: what stands there
// cannot be a part of something within.
var (
	idFirst = pattern.New(`^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,\s*"(?:result|error)"`)
	idLast  = pattern.New(`,\s*"id"\s*:\s*(\d+)\s*\}\s*$`)
)

// overlong gives up the one request that a line which is too long answers. It
// reports false where that cannot be told.
func (w *stdio) overlong(head, tail []byte) bool {
	m := idFirst.FindSubmatch(head[:min(len(head), edge)])
	if m == nil {
		m = idLast.FindSubmatch(tail)
	}
	if m == nil {
		return false
	}
	id, ok := rpc.Number(m[1])
	if !ok || !w.conn.gave(id) {
		return false
	}
	err := fmt.Errorf("it answered with a line of more than %d MiB, which is more than is taken in", w.limit>>20)
	w.conn.log.remark(err.Error)
	w.conn.fail(id, err) // when it was given up before this does nothing
	return true
}
