// Package rewind finds the way to an earlier point of a session: which record a
// message is, what the state and the files were then, and what would change. It
// reads and plans; the session decides and carries the plan out.
package rewind
