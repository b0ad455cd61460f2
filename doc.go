// Package clew is the vocabulary of clew, a session server for AI agents.
//
// Everything that crosses a boundary is named here: identifiers, the catalogue
// of commands a client may send and of events a session may record, content,
// errors, and the record, which is one entry of a session's journal. The
// package imports the standard library only and decides nothing; it reads as
// the specification. Every other package points here, and this one points to
// none of them. The examples show how events, records and errors are made and
// read; package client talks to a server.
package clew
