// Package cli is the command line of clew.
//
// Its commands are clients: they talk to a server the way any other program
// does. Only serve, demo and doctor work on the data directory itself, and they do
// so through package server; join.go is the one file that knows it.
package cli
