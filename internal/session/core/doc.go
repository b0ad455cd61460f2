// Package core is what a session is: its state, and Apply, the one fold that
// makes it from the records. It has pure functions only, so that every node and
// every later program that knows the records comes to the same state.
package core
