//go:build !crashpoints

// Package planted has the bugs that the campaign of faults must find. They are in
// programs built with the tag crashpoints alone, one at a time: CLEW_PLANTED names it.
// A campaign that finds nothing wrong with any of them would find nothing at all.
package planted

import "sync"

// Everybody is a lock that a bug holds.
var Everybody sync.Mutex

// Bug reports whether a bug is there.
func Bug(string) bool { return false }
