// Command floor opens and reads the files named on standard input, one a line,
// with two workers, and parses nothing. It is what a cold check is measured
// against: the least that reading the same files can cost.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sync"
)

func main() {
	var files []string
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		files = append(files, in.Text())
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
	const workers = 2
	var wg sync.WaitGroup
	var total [workers]int
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(files); i += workers {
				data, err := os.ReadFile(files[i])
				if err != nil {
					fmt.Fprintln(os.Stderr, "floor:", err)
					continue
				}
				total[w] += len(data)
			}
		})
	}
	wg.Wait()
	fmt.Println(len(files), total[0]+total[1])
}
