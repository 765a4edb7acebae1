package discover

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
)

// kept is what is remembered of a tree: how it lay, its digest, and the digests
// of its files, which for a tree that was found in the folder are read when
// they are needed. The zero value is nothing.
type kept struct {
	mark, digest ext.Digest
	sums         sums
	file         string     // in which the sums are still to be read
	table        ext.Digest // of the bytes of the sums there
}

// A file of the folder begins with the mark, the digest, the digest of the
// table, and the digest of these and of what they are about; then the table.
const (
	digestBytes = len(ext.Digest{})
	headBytes   = 4 * digestBytes
	rowBytes    = identityBytes + digestBytes
)

func headSum(tree string, mark, digest, table ext.Digest) ext.Digest {
	return ext.NewHash("kept tree 2").Text(tree).Digest(mark, digest, table).Sum()
}

func keptFile(dir, tree string) string {
	name := ext.NewHash("kept tree").Text(tree).Sum().String()
	return filepath.Join(dir, "tree-"+strings.TrimPrefix(name, "sha256:")[:32])
}

// load is what the folder dir keeps of a tree; zero when that is nothing, or
// damaged.
func load(dir, tree string) kept {
	if dir == "" {
		return kept{}
	}
	k := kept{file: keptFile(dir, tree)}
	f, err := file.Open(k.file)
	if err != nil {
		return kept{}
	}
	defer f.Close()
	var head [headBytes]byte
	var check ext.Digest
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return kept{}
	}
	for i, d := range []*ext.Digest{&k.mark, &k.digest, &k.table, &check} {
		copy(d[:], head[i*digestBytes:])
	}
	if check != headSum(tree, k.mark, k.digest, k.table) {
		return kept{}
	}
	return k
}

// files are the digests of the tree's files. What the folder keeps is read now.
func (k *kept) files() sums {
	if k.sums != nil || k.file == "" {
		return k.sums
	}
	f, err := file.Open(k.file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(headBytes+maxTreeEntries*rowBytes)))
	if err != nil || len(data) < headBytes {
		return nil
	}
	if data = data[headBytes:]; ext.Sum(data) != k.table || len(data)%rowBytes != 0 {
		return nil
	}
	out := make(sums, len(data)/rowBytes)
	for ; len(data) > 0; data = data[rowBytes:] {
		out[identityOf(data)] = ext.Digest(data[identityBytes:rowBytes])
	}
	return out
}

// save keeps what is known of a tree in the folder dir: whole or not at all.
func save(dir, tree string, k *kept) error {
	if dir == "" {
		return nil
	}
	data := make([]byte, headBytes, headBytes+len(k.sums)*rowBytes)
	for id, d := range k.sums {
		data = append(id.append(data), d[:]...)
	}
	table := ext.Sum(data[headBytes:])
	for i, d := range []ext.Digest{k.mark, k.digest, table, headSum(tree, k.mark, k.digest, table)} {
		copy(data[i*digestBytes:], d[:])
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = file.Replace(keptFile(dir, tree), data)
	}
	if err != nil {
		return fmt.Errorf("keep the digest of %s: %w", ext.Quote(tree), err)
	}
	return nil
}
