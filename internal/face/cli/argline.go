package cli

import (
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// arguments writes arguments for another program: on one line as a shell reads them, or
// each ended by NUL. What a terminal would not show as it is, a line does not hold.
func (c *call) arguments(args []string, nul bool, again string) error {
	if nul {
		if c.Terminal {
			return usage("-0 is for programs: lead the output to one, such as xargs -0")
		}
		for _, a := range args {
			c.out.WriteString(a + "\x00")
		}
		return nil
	}
	quoted := make([]string, len(args))
	for i, a := range args {
		if !utf8.ValidString(a) || strings.ContainsFunc(a, ext.Hidden) {
			return refuse("the argument %s holds characters that do not show, and is no part of a line; %s", quote(a), again)
		}
		quoted[i] = shellWord(a)
	}
	if len(quoted) > 0 {
		c.out.WriteString(strings.Join(quoted, " ") + "\n")
	}
	return nil
}

// shellWord is an argument as a shell reads it, exactly.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
