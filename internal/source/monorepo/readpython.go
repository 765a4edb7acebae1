package monorepo

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/ahead"
	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// pythonFile is a file that was read as Python, or why it was not.
type pythonFile[T any] struct {
	file
	value  T
	sum    ext.Digest   // of the bytes; zero where they are no evidence
	judged allow.Report // of what the file uses; the zero one where it is no evidence
	stamp  root.Stamp   // by which it is known again; zero: by nothing
	err    error        // that of ctx
}

// reader reads a file. The tree is nil where its bytes are evidence of nothing.
type reader[T any] func(ctx context.Context, f pysrc.File) (value T, tree *syntax.Tree, err error)

// unreadable is why nothing is known of the file; nil where something is.
func (f *pythonFile[T]) unreadable(k *reading, broken *syntax.Fault) *ext.Finding {
	if f.fault != nil || broken == nil {
		return f.fault
	}
	fault := NotPython.At(k.at(f.path, max(broken.Line, 1)), "%s", ext.Escape(broken.Reason))
	return &fault
}

// readPython reads files with several workers, but for those that are known and lie as
// they did. The error is that of ctx.
func readPython[T any](ctx context.Context, k *reading, files []file, known map[string]pythonFile[T], read reader[T]) ([]pythonFile[T], error) {
	out := make([]pythonFile[T], len(files))
	var anew []int
	look := k.root.Again()
	for i, f := range files {
		if was, ok := known[f.path]; ok && f.fault == nil && look.Holds(was.stamp) {
			out[i] = was
			continue
		}
		out[i].file = f
		if f.fault == nil {
			anew = append(anew, i)
		}
	}
	one := func(i int) pythonFile[T] { return readOne(ctx, k, files[anew[i]], read) }
	for i, f := range ahead.Each(len(anew), k.source.Workers, one, func(pythonFile[T]) {}) {
		if f.err != nil {
			return nil, f.err
		}
		out[anew[i]] = f
	}
	return out, ctx.Err()
}

func readOne[T any](ctx context.Context, k *reading, f file, read reader[T]) pythonFile[T] {
	out := pythonFile[T]{file: f}
	if out.err = ctx.Err(); out.err != nil {
		return out
	}
	data, _, stamp, err := k.root.ReadStamped(f.path, k.source.Env.Limits.FileBytes)
	if err != nil {
		fault := source.FaultOf(err, k.at(f.path, 0))
		out.fault = &fault
		return out
	}
	out.stamp = stamp
	var tree *syntax.Tree
	if out.value, tree, out.err = read(ctx, pysrc.File{Path: f.path, Source: data}); tree != nil && out.err == nil {
		out.sum = ext.Sum(data)
		out.judged, out.err = allow.CheckTree(ctx, data, tree, k.rules)
	}
	return out
}
