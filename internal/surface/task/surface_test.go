package task_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
	"github.com/mortise-dev/mortise/internal/surface/task"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, task.Surface.Spec) }

// FuzzTask decodes any document.
func FuzzTask(f *testing.F) {
	f.Add([]byte("---\ndescription: d\ninputs: {a: What., b: {required: yes, default: 1}}\ntools: Bash(a, b) Read\n---\nDo.\n"))
	f.Add([]byte("---\ndescription: d\ninputs: [a, a, {b: c}]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, task.Surface.Spec, "tasks/a/TASK.md", "", data)
	})
}
