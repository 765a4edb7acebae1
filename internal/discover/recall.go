package discover

import "sync"

// recall is a table of what is remembered. What nobody asks for between two
// sweeps is forgotten. The zero value is empty.
type recall[K comparable, V any] struct {
	most int64 // weight that is remembered at most; 0 any

	mu     sync.Mutex
	known  map[K]*recalled[V]
	weight int64
}

type recalled[V any] struct {
	value  V
	weight int64
	asked  bool // since the last sweep
}

// get is what is remembered of key; not ok when nothing is.
func (r *recall[K, V]) get(key K) (value V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if was := r.known[key]; was != nil {
		was.asked = true
		return was.value, true
	}
	return value, false
}

// put remembers value in place of what was remembered of key, or nothing when
// there is no room for its weight.
func (r *recall[K, V]) put(key K, value V, weight int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(key)
	if r.most == 0 || r.weight+weight <= r.most {
		r.add(key, value, weight)
	}
}

// of is what is remembered of key, or else what fresh makes.
func (r *recall[K, V]) of(key K, fresh func() V) V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[key] == nil {
		r.add(key, fresh(), 0)
	}
	was := r.known[key]
	was.asked = true
	return was.value
}

// forget forgets what is remembered of key.
func (r *recall[K, V]) forget(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(key)
}

// sweep forgets what was not asked for since the last sweep.
func (r *recall[K, V]) sweep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, was := range r.known {
		if !was.asked {
			r.drop(key)
		}
		was.asked = false
	}
}

func (r *recall[K, V]) add(key K, value V, weight int64) {
	if r.known == nil {
		r.known = map[K]*recalled[V]{}
	}
	r.known[key] = &recalled[V]{value, weight, true}
	r.weight += weight
}

func (r *recall[K, V]) drop(key K) {
	if was := r.known[key]; was != nil {
		r.weight -= was.weight
		delete(r.known, key)
	}
}
