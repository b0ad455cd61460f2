//go:build !unix

package toolchain

import "errors"

// Unlink is for where commands run in a sandbox.
func Unlink(string) (int, error) { return 0, errors.New("there is no sandbox here") }
