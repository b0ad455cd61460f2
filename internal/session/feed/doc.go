// Package feed holds the recent past of a session, ready to send: a ring of
// items that all connections read, each at its own position.
package feed
