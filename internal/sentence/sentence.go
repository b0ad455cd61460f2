//go:build !randomtext

// Package sentence is where the texts pass that the server writes for people: why
// something ended, what went wrong. Programs act on the codes beside them. A build
// with the tag randomtext puts random words in their place, so that a test can show
// that nobody reads them.
package sentence

// Random says whether sentences are replaced.
const Random = false

// Of is a sentence as it leaves the server.
func Of(text string) string { return text }

// In replaces the sentences in the data of an event, which is the caller's own.
func In(any) {}
