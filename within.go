package mortise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// errLate is what comes of foreign code whose time is over.
var errLate = errors.New("it did not answer in time")

// within is what foreign code answers, and an error where it panics, ends its
// goroutine, or is not done within limit (0: as long as ctx lasts). It returns when
// the time is over, whatever the code does; what that answers then is heard by
// nobody.
func within[T any](ctx context.Context, limit time.Duration, do func(context.Context) (T, error)) (T, error) {
	var none T
	cancel := context.CancelFunc(func() {})
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	came := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New("it ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				a = answer{err: panicked(p)}
			}
			came <- a
		}()
		value, err := do(ctx)
		a = answer{value, told(err)}
	}()
	var a answer
	select {
	case a = <-came:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // what answered may have done so for that reason alone
		return none, late(ctx)
	}
	return a.value, a.err
}

func late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errLate
	}
	return ctx.Err()
}

// told is a foreign error as what it says, which is foreign code as well: it is to be
// asked where a panic is caught.
func told(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(err.Error())
}

func panicked(p any) error {
	return fmt.Errorf("it panicked: %s", ext.Escape(ext.Shorten(fmt.Sprint(p), 300)))
}

// safely is what a function returns, and an error where it panics.
func safely[T any](do func() T) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return do(), nil
}
