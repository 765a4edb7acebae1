package monorepo

import (
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/pysrc"
)

// Memory spares reading Python that did not change since it was read: what was made of a
// file is used again while the file lies where it lay, no link on the way, and is the same
// file of the same size and times, unless it was changed so shortly before it was read
// that another change might not show. All else of a monorepo is little, and read each
// time. Several sources may share one. A nil Memory remembers nothing.
type Memory struct {
	mu    sync.Mutex
	of    map[memo]*remembered
	order []memo // oldest first

	behind tools.Memory // the classes behind tools
}

// memo is what something is remembered for: a directory of a working tree, what its
// Python is read for, and what is known.
type memo struct {
	root, dir, surface string
	limit              int64
	known              ext.Digest
}

// memos is how many directories are remembered at most.
const memos = 64

type remembered struct {
	modules  modules
	missions map[string]pythonFile[*pysrc.Mission]
	judged   map[string]pythonFile[none]
}

// modules are what was made of files, by their paths: at a first look, and of those that
// others make worth it as a whole.
type modules struct {
	skimmed, whole map[string]pythonFile[*pysrc.Module]
}

// classes is what is remembered of the classes behind tools; nil: nothing.
func (m *Memory) classes() *tools.Memory {
	if m == nil {
		return nil
	}
	return &m.behind
}

// Forget drops all that is remembered.
func (m *Memory) Forget() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of, m.order = nil, nil
	m.behind.Forget()
}

func (k *reading) memo(dir, surface string) memo {
	h := ext.NewHash("known")
	for _, list := range [][]string{k.source.Known.Agents, k.source.Known.Deployments, k.source.Known.Decorators, k.source.Known.Allowed} {
		h.Int(len(list)).Text(list...)
	}
	return memo{k.root.Dir(), dir, surface, k.source.Env.Limits.FileBytes, h.Sum()}
}

// get is what is remembered; never nil, and not changed any more.
func (m *Memory) get(of memo) *remembered {
	if m == nil {
		return new(remembered)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if was := m.of[of]; was != nil {
		return was
	}
	return new(remembered)
}

func (m *Memory) put(of memo, now *remembered) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[memo]*remembered{}
	}
	if m.of[of] == nil {
		m.order = append(m.order, of)
	}
	m.of[of] = now
	if len(m.order) > memos {
		delete(m.of, m.order[0])
		m.order = m.order[1:]
	}
}

func (m *Memory) modules(of memo) modules { return m.get(of).modules }

func (m *Memory) missions(of memo) map[string]pythonFile[*pysrc.Mission] { return m.get(of).missions }

// keepModules remembers what was read of a directory, and nothing else of it.
func (m *Memory) keepModules(of memo, skimmed, whole []pythonFile[*pysrc.Module]) {
	m.put(of, &remembered{modules: modules{byPath(skimmed), byPath(whole)}})
}

func (m *Memory) keepMissions(of memo, found []pythonFile[*pysrc.Mission]) {
	m.put(of, &remembered{missions: byPath(found)})
}

func (m *Memory) judged(of memo) map[string]pythonFile[none] { return m.get(of).judged }

func (m *Memory) keepJudged(of memo, found []pythonFile[none]) {
	m.put(of, &remembered{judged: byPath(found)})
}

func byPath[T any](files []pythonFile[T]) map[string]pythonFile[T] {
	out := make(map[string]pythonFile[T], len(files))
	for _, f := range files {
		if f.fault == nil {
			out[f.path] = f
		}
	}
	return out
}
