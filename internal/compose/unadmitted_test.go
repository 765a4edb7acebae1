package compose_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNothingUnadmittedCanBeComposed builds programs that would compose what
// was not admitted. Each must fail to compile where it says so, and the control,
// which decides first, must not.
func TestNothingUnadmittedCanBeComposed(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	dirs, err := filepath.Glob("testdata/unadmitted/*")
	if err != nil || len(dirs) < 6 {
		t.Fatalf("programs in testdata/unadmitted: got %d, %v, want six", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want := wanted(t, dir)
			cmd := exec.Command(goTool, "build", "-o", os.DevNull, "./"+filepath.ToSlash(dir))
			cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off")
			out, err := cmd.CombinedOutput()
			switch {
			case want == "" && err != nil:
				t.Errorf("the program that decides first does not compile:\n%s", out)
			case want != "" && err == nil:
				t.Errorf("the program compiles, want %q", want)
			case want != "" && !strings.Contains(string(out), want):
				t.Errorf("the program does not compile with\n%s\nwant %q", out, want)
			}
		})
	}
}

// wanted is the error that the program in dir names.
func wanted(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.Base(dir)+".go"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(data), "// want: ")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line)
}
