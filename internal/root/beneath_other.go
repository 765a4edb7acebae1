//go:build !linux

package root

// openDoors opens dir by os.Root.
func openDoors(dir string, _ Options) (in, out door, err error) { return openPortable(dir) }
