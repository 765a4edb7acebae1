// Package ahead makes things in order while others are made at the same time.
package ahead

import "iter"

// Each yields what do makes of each number below n, in order. It is made by a
// number of workers, a few ahead of who asks; fewer than two make each when it is
// asked for. Who stops asking waits for what is being made, which goes to drop with
// all that was made in vain.
func Each[T any](n, workers int, do func(i int) T, drop func(T)) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		if workers < 2 {
			for i := range n {
				if !yield(i, do(i)) {
					return
				}
			}
			return
		}
		const few = 4
		type job struct {
			i    int
			done chan<- T
		}
		made, jobs, quit := make(chan chan T, few*workers), make(chan job), make(chan struct{})
		for range workers {
			go func() {
				for j := range jobs {
					j.done <- do(j.i)
				}
			}()
		}
		go func() {
			defer close(made)
			defer close(jobs)
			for i := range n {
				done := make(chan T, 1)
				select {
				case made <- done:
				case <-quit:
					return
				}
				jobs <- job{i, done}
			}
		}()
		i, stopped := 0, false
		for done := range made {
			switch v := <-done; {
			case stopped:
				drop(v)
			case !yield(i, v):
				stopped = true
				close(quit)
			}
			i++
		}
	}
}
