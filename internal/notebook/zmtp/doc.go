// Package zmtp speaks ZMTP 3.0, the protocol of ZeroMQ, as far as a Jupyter
// kernel needs it: the NULL mechanism over Unix sockets and TCP.
//
// A Conn is one connection and stays one: when it ends it is not dialed anew
// here, because what a peer published meanwhile is gone and the caller must know.
// The peer is a stranger. No memory is taken because it announced much, only
// because much has arrived, and a message over the limit is skipped.
package zmtp

import (
	"errors"
	"fmt"
)

// The limits of what a peer may send.
const (
	// MaxMessage is the size of a message, all its frames together.
	MaxMessage = 64 << 20
	// MaxFrames is the number of frames of a message.
	MaxFrames = 64
	// maxSkip is how much of a message over the limits is read past. A message
	// longer than that ends the connection.
	maxSkip = 4 << 30
	// maxCommand is the size of a command, such as the one of the handshake.
	maxCommand = 8 << 10
	// maxIdentity is the longest identity that the protocol knows.
	maxIdentity = 255
)

// A Socket is a type of ZeroMQ socket.
type Socket string

// The types in use. Dealer, Sub and Req are a client's, the others a kernel's.
const (
	Dealer Socket = "DEALER"
	Router Socket = "ROUTER"
	Sub    Socket = "SUB"
	Pub    Socket = "PUB"
	Req    Socket = "REQ"
	Rep    Socket = "REP"
)

// peers lists which types a type may talk to.
var peers = map[Socket][]Socket{
	Dealer: {Router},
	Router: {Dealer, Req},
	Sub:    {Pub, "XPUB"},
	Pub:    {Sub, "XSUB"},
	Req:    {Router, Rep},
	Rep:    {Req, Dealer},
}

// ErrProtocol is the kind of all errors of a peer that does not speak ZMTP 3 as
// it must. The connection is closed.
var ErrProtocol = errors.New("not the protocol of ZeroMQ")

// ErrNotSent says that nothing of a message has left, so it may be sent again.
var ErrNotSent = errors.New("nothing was sent")

// A TooLargeError says that a message over the limits was read past. The
// connection goes on with the next message.
type TooLargeError struct {
	Bytes  int64
	Frames int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message of %d bytes in %d frames is over the limit", e.Bytes, e.Frames)
}

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProtocol, fmt.Sprintf(format, args...))
}
