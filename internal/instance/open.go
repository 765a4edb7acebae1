package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/mortise-dev/mortise/ext"
)

// ErrTaken is that somebody listens at an address already.
var ErrTaken = errors.New("somebody else listens there already")

// tries is how many ports from the first on are tried.
const tries = 100

// Open listens for workspace: at explicit and nowhere else if that is not "",
// where the error wraps ErrTaken if somebody does already. Else on 127.0.0.1 at
// the port that ports remembers for it if that is free, or the first free one
// from first on, or any; that one is remembered.
func Open(ports *Ports, workspace, explicit string, first int) (net.Listener, error) {
	if explicit != "" {
		l, err := listen(explicit)
		if errors.Is(err, ErrTaken) {
			return nil, fmt.Errorf("listen at %s: %w", ext.Quote(explicit), ErrTaken)
		}
		if err != nil {
			return nil, fmt.Errorf("listen at %s: %s", ext.Quote(explicit), ext.Escape(err.Error()))
		}
		return l, nil
	}
	l, err := openFrom(candidates(ports, workspace, first))
	if err != nil {
		return nil, fmt.Errorf("listen on 127.0.0.1: %w", err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		if err := ports.Remember(workspace, a.Port); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// candidates is the ports to try, in order; 0 is any.
func candidates(ports *Ports, workspace string, first int) (numbers []int) {
	if known, ok := ports.Remembered(workspace); ok {
		numbers = append(numbers, known)
	}
	for n := first; n < first+tries && n <= 65535; n++ {
		numbers = append(numbers, n)
	}
	return append(numbers, 0)
}

func openFrom(numbers []int) (l net.Listener, err error) {
	for _, n := range numbers {
		if l, err = listen(net.JoinHostPort("127.0.0.1", strconv.Itoa(n))); err == nil {
			break
		}
	}
	return l, err
}

func listen(address string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", address)
	if taken(err) {
		return nil, fmt.Errorf("%w: %w", ErrTaken, err)
	}
	return l, err
}
