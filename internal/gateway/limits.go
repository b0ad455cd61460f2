package gateway

import (
	"time"

	"github.com/clew-run/clew/wire"
)

// Limits bounds what one client may take: the protocol's limits, and those
// that are this server's own business. A rate, a queue or an interval of 0 is
// switched off; any other 0 stands for the default.
type Limits struct {
	wire.Limits
	LocalConnectsPerMinute int           // of the owner token on loopback
	ControlPerMinute       int           // pings and pongs of a connection
	Pieces                 int           // frames of one message
	AuthPerAddress         int           // sockets that have yet to authenticate
	AuthTotal              int           // the same, from everywhere
	WriteTimeout           time.Duration // for a client to take what it is sent
	CloseGrace             time.Duration // for a client to answer a close
	CommandTimeout         time.Duration
	ReattachWait           time.Duration // for a session to come back from a move
}

// DefaultLimits are the limits of a server whose configuration does not speak
// of them.
func DefaultLimits() Limits {
	return Limits{Limits: wire.DefaultLimits, LocalConnectsPerMinute: 120}.withDefaults()
}

func (l Limits) withDefaults() Limits {
	def(&l.Frame, wire.DefaultLimits.Frame)
	def(&l.AuthFrame, wire.DefaultLimits.AuthFrame)
	def(&l.AuthWait, wire.DefaultLimits.AuthWait)
	def(&l.ControlPerMinute, 300)
	def(&l.Pieces, 1024)
	def(&l.AuthPerAddress, 20)
	def(&l.AuthTotal, 1000)
	def(&l.WriteTimeout, 10*time.Second)
	def(&l.CloseGrace, 3*time.Second)
	def(&l.CommandTimeout, 15*time.Second)
	def(&l.ReattachWait, 15*time.Second)
	return l
}

func def[T int | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// tick is how often connections are looked at: often enough for the shortest
// of the times, and no more than that.
func (l Limits) tick() time.Duration {
	shortest := time.Second
	for _, d := range []time.Duration{l.PingEvery, l.PongLimit, l.AuthWait} {
		if d > 0 {
			shortest = min(shortest, d/4)
		}
	}
	return max(shortest, 10*time.Millisecond)
}

// A window allows a number of messages in each minute that starts with the
// first of them. It belongs to one goroutine.
type window struct {
	start int64 // in ms that elapsed; 0 before the first
	used  int32
	over  int32 // refusals in a row, whichever limit they came from
}

// allow counts a message. If it is one too many, it says after how many ms the
// next one fits.
func (w *window) allow(now int64, limit int) (ok bool, retryMS int64) {
	const minute = 60_000
	if limit <= 0 {
		return true, 0
	}
	if w.start == 0 || now-w.start >= minute {
		w.start, w.used = max(now, 1), 0 // 0 is none
	}
	if int(w.used) >= limit {
		return false, min(max(1, w.start+minute-now), minute)
	}
	w.used++
	return true, 0
}
