// Package session holds what a session is and does: its state, the pure
// functions Decide and Apply, the goroutine that owns it, and the host that
// owns sessions. It declares the ports it needs (ports.go) and imports no
// technology.
package session
