// Package spelling finds the word that was meant by one that is not known.
package spelling

import "strings"

// Nearest is the one of known that name was most likely meant to be, "" when
// none is near enough to be worth naming. For dotted names the last part
// counts most: the same last part elsewhere is nearer than a distant sibling.
// Ties go to the first of known.
func Nearest(name string, known []string) string {
	best, least := "", 1<<30
	name = strings.ToLower(name)
	for _, k := range known {
		if d, near := distance(name, strings.ToLower(k)); near && d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is how far a is from b, and whether that is near.
func distance(a, b string) (d int, near bool) {
	tableA, lastA := cutLast(a)
	tableB, lastB := cutLast(b)
	switch {
	case tableA == tableB && sameWord(lastA, lastB):
		return edits(lastA, lastB), true
	case tableA == tableB:
		return slips(lastA, lastB, tolerance(lastA))
	}
	if d, near := slips(lastA, lastB, min(1, len(lastA)/5)); near {
		return d + 1, true // the right key in the wrong table
	}
	return slips(a, b, tolerance(a))
}

// Near reports whether b can be made of a by at most that many letters inserted,
// left out, exchanged, or swapped with their neighbour. Letters are bytes, and
// capitals count.
func Near(a, b string, most int) bool {
	_, near := slips(a, b, most)
	return near
}

// slips is the number of edits between a and b, and whether it is at most most.
func slips(a, b string, most int) (d int, near bool) {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return 0, false
	}
	d = edits(a, b)
	return d, d <= most
}

// tolerance is how many slips are believed in a word: one in three letters.
func tolerance(word string) int { return max(1, len(word)/3) }

// sameWord finds names that differ in one word at an end, as startup_timeout_ms
// and startup_timeout_sec do, or max_files and files.
func sameWord(a, b string) bool {
	i, j := strings.LastIndexByte(a, '_'), strings.LastIndexByte(b, '_')
	return i > 0 && j > 0 && a[:i] == b[:j] || longer(a, b) || longer(b, a)
}

func longer(a, b string) bool {
	return strings.HasPrefix(a, b+"_") || strings.HasSuffix(a, "_"+b)
}

func cutLast(name string) (table, last string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

const maxEdited = 128

// edits counts the letters to insert, delete, replace or swap with their
// neighbour to make a into b. Only the beginning of very long names is read.
func edits(a, b string) int {
	a, b = a[:min(len(a), maxEdited)], b[:min(len(b), maxEdited)]
	var rows [3][maxEdited + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
