package wire

import (
	"time"

	"github.com/clew-run/clew"
)

// MaxFrame is the size of the largest frame a server takes by default.
const MaxFrame = 1 << 20

// MaxDepth is how deep a frame's JSON may be nested. It is checked before
// decoding.
const MaxDepth = 64

// MaxMessageID is the length of the longest message_id a client may give, in
// characters.
const MaxMessageID = 128

// Limits bounds what a server takes from clients. A count of 0 switches that
// limit off.
type Limits struct {
	Frame int // bytes in one frame
	Queue int // envelopes waiting for a slow client

	PingEvery time.Duration // between pings
	PongLimit time.Duration // without any frame, then the connection is closed

	AuthWait  time.Duration // for the first message auth
	AuthFrame int           // bytes in a frame before authentication

	ConnectsPerMinute int // per user
	MessagesPerMinute int // per connection; pong is free
	HitlPerMinute     int // answers to questions, per session
	Strikes           int // refusals in a row by a rate limit, then close
}

// DefaultLimits are the limits of a server whose configuration does not speak
// of them.
var DefaultLimits = Limits{
	Frame:             MaxFrame,
	Queue:             256,
	PingEvery:         30 * time.Second,
	PongLimit:         60 * time.Second,
	AuthWait:          10 * time.Second,
	AuthFrame:         4 << 10,
	ConnectsPerMinute: 10,
	MessagesPerMinute: 100,
	HitlPerMinute:     30,
	Strikes:           3,
}

// CheckFrame refuses a frame of that many bytes if it is over the limit.
func (l Limits) CheckFrame(size int) error {
	if l.Frame > 0 && size > l.Frame {
		return clew.Errorf(clew.MessageTooLarge, "frame has %d bytes, %d are allowed", size, l.Frame)
	}
	return nil
}
