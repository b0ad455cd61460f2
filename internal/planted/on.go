//go:build crashpoints

package planted

import "os"

var chosen = os.Getenv("CLEW_PLANTED")

// Bug reports whether a bug is there.
func Bug(name string) bool { return name == chosen }
