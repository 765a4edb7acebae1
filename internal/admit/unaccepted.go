package admit

// Unaccepted reports whether the tree waits because it has a guard that no door asks,
// which its owner has not accepted (law 6).
func (d *Decision) Unaccepted() bool {
	return d.status == Pending && d.unaccepted
}
