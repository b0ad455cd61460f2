// Package env is what the commands of clew stand on: their streams and flags, the
// configuration, the connection to a server, how sessions and points in them are
// named, and how errors and exit codes are told.
package env
