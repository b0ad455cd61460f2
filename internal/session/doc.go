// Package session runs sessions: the goroutine that owns one, the host that owns
// many, turns, streams, rewinds. What a session is stands in core, what follows
// from a command in decide, what is read of it in view. It declares the ports it
// needs (ports.go) and imports no technology.
package session
