package host

import "sync"

// listeners are functions that are told of something, in no order. The zero
// value has none.
type listeners[T any] struct {
	mu   sync.Mutex
	last int
	of   map[int]func(T)
}

// add has listen told from now on, until cancel is called.
func (l *listeners[T]) add(listen func(T)) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[int]func(T){}
	}
	l.last++
	n := l.last
	l.of[n] = listen
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.of, n)
	}
}

// tell tells all. They must not block.
func (l *listeners[T]) tell(what T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, listen := range l.of {
		listen(what)
	}
}
