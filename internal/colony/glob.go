package colony

import "strings"

// match reports whether a whole name is of a pattern of the shell, where * also stands for
// slashes, and there is no other character for anything and no escape. Capitals count. It
// takes time that grows with the length of the name times that of the pattern.
func match(pattern, name string) bool {
	p, s := []rune(pattern), []rune(name)
	at, i := 0, 0
	star, from := -1, 0 // the last star, and what it stands for the beginning of
	for i < len(s) {
		if at < len(p) && p[at] == '*' {
			star, from = at, i
			at++
			continue
		}
		if at < len(p) {
			if n, ok := one(p[at:], s[i]); ok {
				at, i = at+n, i+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		at, i = star+1, from
	}
	return strings.Trim(string(p[at:]), "*") == ""
}

// one matches a character with the beginning of a pattern, and says how long that is.
func one(p []rune, c rune) (n int, ok bool) {
	switch p[0] {
	case '?':
		return 1, true
	case '[':
		if end := class(p); end > 0 {
			return end + 1, within(p[1:end], c)
		}
	}
	return 1, p[0] == c
}

// class is where the bracket closes that a pattern begins with; 0 where it does not, and
// then stands for itself. A bracket that is the first in it is one of its characters.
func class(p []rune) int {
	i := 1
	if i < len(p) && p[i] == '!' {
		i++
	}
	if i < len(p) && p[i] == ']' {
		i++
	}
	for ; i < len(p); i++ {
		if p[i] == ']' {
			return i
		}
	}
	return 0
}

// within reports whether a character is in what stands between brackets.
func within(set []rune, c rune) bool {
	not := set[0] == '!'
	if not {
		set = set[1:]
	}
	for i := 0; i < len(set); i++ {
		low, high := set[i], set[i]
		if i+2 < len(set) && set[i+1] == '-' {
			high = set[i+2]
			i += 2
		}
		if low <= c && c <= high {
			return !not
		}
	}
	return not
}
