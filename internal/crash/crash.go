//go:build !crashpoints

// Package crash names the places where a test kills the program. In the program
// that people run, they are nothing.
package crash

// On says whether there are such places: names that cost something to make are
// made only then.
const On = false

// At is a place where the program may be killed.
func At(string) {}
