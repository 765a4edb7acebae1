package checkout

import (
	"os"
	"strconv"
	"strings"
)

// numberSpace is where the numbers of processes count: containers have their own.
func numberSpace() uint64 {
	link, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.Trim(strings.TrimPrefix(link, "pid:"), "[]"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
