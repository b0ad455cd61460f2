// Package cli is the command line of clew.
//
// Its commands are clients: they talk to a server the way any other program
// does. Only serve, demo and doctor work on the data directory itself, and they do
// so through package server; env/join.go is the one file that knows it. What all
// commands stand on is in env, the story of a session in follow, going back in
// history.
package cli
