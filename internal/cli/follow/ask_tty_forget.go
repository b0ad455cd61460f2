//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package follow

import "os"

// Forget drops what was typed before anybody was asked, where the system has a
// simple way to do so.
func Forget(*os.File) {}
