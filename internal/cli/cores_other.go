//go:build !unix

package cli

// noCores does nothing: there are no core files here.
func noCores() error { return nil }
