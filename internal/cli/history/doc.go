// Package history is the commands that go back in time: rewind, undo, redo, fork
// and checkpoint.
package history
