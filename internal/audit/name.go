package audit

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// segmentName is what the name of a segment file says. Names sort by when their
// chains began.
type segmentName struct {
	chain  string
	number int // in the chain, from 1
}

const (
	beginLayout = "20060102T150405.000000Z"
	extension   = ".jsonl"
)

// newChain is a name that no other chain has.
func newChain(now time.Time) string {
	random := make([]byte, 8)
	rand.Read(random)
	return fmt.Sprintf("%s-%d-%s", now.UTC().Format(beginLayout), os.Getpid(), hex.EncodeToString(random))
}

// String is the file's name.
func (n segmentName) String() string { return fmt.Sprintf("%s.%06d%s", n.chain, n.number, extension) }

// parseName reads what String and newChain write, and nothing else.
func parseName(file string) (segmentName, bool) {
	stem, ok := strings.CutSuffix(file, extension)
	dot := strings.LastIndexByte(stem, '.')
	if !ok || dot < 0 {
		return segmentName{}, false
	}
	number, err := strconv.Atoi(stem[dot+1:])
	n := segmentName{stem[:dot], number}
	return n, err == nil && number > 0 && isChain(n.chain) && n.String() == file
}

func isChain(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 3 || len(parts[2]) != 16 || strings.ToLower(parts[2]) != parts[2] {
		return false
	}
	_, timeErr := time.Parse(beginLayout, parts[0])
	pid, pidErr := strconv.Atoi(parts[1])
	_, randomErr := hex.DecodeString(parts[2])
	return len(parts[0]) == len(beginLayout) && timeErr == nil && pidErr == nil && strconv.Itoa(pid) == parts[1] && randomErr == nil
}

func compareNames(a, b segmentName) int {
	return cmp.Or(strings.Compare(a.chain, b.chain), cmp.Compare(a.number, b.number))
}

// segments is what in dir is named as a segment, chain by chain, in order. A
// directory that is not there has none.
func segments(dir string) ([]segmentName, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var names []segmentName
	for _, e := range entries {
		if n, ok := parseName(e.Name()); ok {
			names = append(names, n)
		}
	}
	slices.SortFunc(names, compareNames)
	return names, nil
}

// byChain yields the segments of one chain after the other.
func byChain(names []segmentName) [][]segmentName {
	var chains [][]segmentName
	for len(names) > 0 {
		n := 1
		for n < len(names) && names[n].chain == names[0].chain {
			n++
		}
		chains, names = append(chains, names[:n:n]), names[n:]
	}
	return chains
}
