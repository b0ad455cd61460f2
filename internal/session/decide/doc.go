// Package decide is what follows from a command: Decide takes a state and a
// command and gives the events to put on record, or why not. It changes nothing.
package decide
