// Command floor opens and reads what is named on standard input, one a line,
// with two workers, and parses nothing: directories, which end with a slash,
// are listed, files are read whole. It is what a cold check is measured
// against: the least that looking at the same things can cost.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

func main() {
	var names []string
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		names = append(names, in.Text())
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
	const workers, few = 2, 16
	var taken, total atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				to := int(taken.Add(few))
				for i := to - few; i < min(to, len(names)); i++ {
					total.Add(int64(read(names[i])))
				}
				if to >= len(names) {
					return
				}
			}
		})
	}
	wg.Wait()
	fmt.Println(len(names), total.Load())
}

func read(name string) int {
	if strings.HasSuffix(name, "/") {
		entries, err := os.ReadDir(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "floor:", err)
		}
		return len(entries)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
	}
	return len(data)
}
