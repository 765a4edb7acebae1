package watch

import (
	"maps"
	"slices"
	"time"
)

// news is what has changed: roots as given.
type news struct {
	roots map[string]bool
	all   bool
}

func (n *news) none() bool { return len(n.roots) == 0 && !n.all }

func (n *news) add(more news) {
	if n.roots == nil {
		n.roots = map[string]bool{}
	}
	maps.Copy(n.roots, more.roots)
	n.all = n.all || more.all
}

// teller holds news back until they pause.
type teller struct {
	quiet, most time.Duration
	out         chan Change // of capacity one; the teller alone sends
	news        news
	since       time.Time // when the first of the news came
	timer       *time.Timer
}

func newTeller(o Options, out chan Change) *teller {
	return &teller{quiet: o.Quiet, most: o.Most, out: out}
}

// due is when to tell; it blocks for ever while there is nothing to.
func (t *teller) due() <-chan time.Time {
	if t.timer == nil {
		return nil
	}
	return t.timer.C
}

func (t *teller) add(n news) {
	if n.none() {
		return
	}
	if t.timer == nil {
		t.since = time.Now()
		t.timer = time.NewTimer(min(t.quiet, t.most))
	} else {
		t.timer.Reset(min(t.quiet, t.most-time.Since(t.since)))
	}
	t.news.add(n)
}

// tell sends what there is, together with what nobody has received yet, as far
// as it is about roots that are wanted.
func (t *teller) tell(wanted func(root string) bool) {
	select {
	case c := <-t.out:
		for _, r := range c.Roots {
			t.news.add(news{roots: map[string]bool{r: true}})
		}
		t.news.all = t.news.all || c.All
	default:
	}
	maps.DeleteFunc(t.news.roots, func(r string, _ bool) bool { return !wanted(r) })
	if !t.news.none() {
		t.out <- Change{Roots: slices.Sorted(maps.Keys(t.news.roots)), All: t.news.all}
	}
	t.news, t.timer = news{}, nil
}

func (t *teller) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}
