//go:build crashpoints

package planted

import (
	"os"
	"sync"
)

var chosen = os.Getenv("CLEW_PLANTED")

// Everybody is a lock that a bug holds.
var Everybody sync.Mutex

// Bug reports whether a bug is there.
func Bug(name string) bool { return name == chosen }
