//go:build !linux

package supervisor

import (
	"context"
	"errors"
	"syscall"
)

var errLinux = errors.New("programs that outlive the server need Linux")

// A Held is a program that this server holds: on Linux.
type Held struct{}

// Root gives the directory that holds the programs of a server: on Linux.
func Root(string, string) (string, error) { return "", errLinux }

// LookForRoot gives the directory that Root made: on Linux.
func LookForRoot(string) string { return "" }

// Start starts a program under a supervisor: on Linux.
func Start(context.Context, string, Program) (*Held, error) { return nil, errLinux }

// Find holds the program of a directory: on Linux.
func Find(context.Context, string) (*Held, error) { return nil, errLinux }

// List gives the programs below a root: on Linux.
func List(string) []Found { return nil }

// Dir is the program's directory.
func (*Held) Dir() string { return "" }

// Signal sends a signal to the program.
func (*Held) Signal(syscall.Signal) error { return errLinux }

// Kill ends the program with all that it started.
func (*Held) Kill() error { return errLinux }

// Done is closed when the program has ended.
func (*Held) Done() <-chan struct{} { return nil }

// Ended says how the program ended.
func (*Held) Ended() (Ended, bool) { return Ended{}, false }

// Release lets go of the program.
func (*Held) Release() {}

// Forget removes what is left of a program that has ended.
func (*Held) Forget() error { return errLinux }

// Mark is what every process of a program has in its environment: on Linux.
func Mark(string) string { return "" }
