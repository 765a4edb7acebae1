package syntax

// The classes of bytes.
const (
	foreign uint8 = iota // has no meaning in code
	space
	letter
	digit
	quotes
	operator
	opening
	closing
	hash
	newline
	backslash
)

var classes, wordly = tables()

// tables are made when the program starts, which takes less than a microsecond.
func tables() (classes [256]uint8, wordly [256]bool) {
	set := func(class uint8, bytes string) {
		for _, c := range []byte(bytes) {
			classes[c] = class
		}
	}
	set(space, " \t\f")
	set(letter, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
	set(digit, "0123456789")
	set(quotes, `"'`)
	set(operator, "+-*/%@&|^~<>=.,;:!")
	set(opening, "([{")
	set(closing, ")]}")
	set(hash, "#")
	set(newline, "\r\n")
	set(backslash, "\\")
	for c := 0x80; c < 256; c++ {
		classes[c] = letter
	}
	for c, class := range classes {
		wordly[c] = class == letter || class == digit
	}
	return classes, wordly
}
