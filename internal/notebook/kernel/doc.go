// Package kernel speaks to a Jupyter kernel: protocol 5.3 over ZeroMQ, with a
// signature on every message.
//
// Dial joins a kernel by its connection file and returns when its output is sure
// to arrive. From then on Messages has all that the kernel publishes, replies and
// asks. Nothing is dropped here: who does not read holds up the kernel's sockets, and
// takes no memory. The kernel itself drops output when about a thousand messages wait
// for a socket, without a word and even the status idle, so Messages is to be read at
// once and slow work done elsewhere. When a socket ends, the Client ends, and says so; it is the
// caller who dials again, because what was published meanwhile is lost. With the same
// Identity the replies to what an earlier Client sent arrive at the new one.
//
// A kernel runs strangers' code. The signature of a message is checked before
// anything of it is parsed, its size before anything is set aside for it.
package kernel

import "errors"

// Protocol is the version of the messages that are sent.
const Protocol = "5.3"

// ErrClosed is what Err says after Close.
var ErrClosed = errors.New("the client was closed")

// ErrSignature says that a message was not signed with the key of the connection
// file. It ends the Client.
var ErrSignature = errors.New("a message has a wrong signature")
