// Package transfer takes sessions out of a server and brings them in.
//
// A bundle has all of a session: its records as they are stored, what they
// refer to, its checkpoints. The other forms are files that other programs read
// and write; they show what a person sees of the session now, so what a rewind
// took away is left out.
//
// An export reads the journal twice: a survey says how long it is, what is
// hidden and what else has to come along; then it is written. An import is
// written to a temporary file, verified from end to end, and only then made a
// session, so that a damaged file leaves nothing behind.
//
// Memory does not grow with the texts of a session: they wait in temporary
// files, and only their places are kept.
package transfer
