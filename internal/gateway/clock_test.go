package gateway

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/clock/clocktest"
	"github.com/clew-run/clew/wire"
)

// A jump of the time of day closes nobody as silent, and keeps nobody who is. Tokens
// end by the time of day: that is what their issuer means.
func TestJumpClosesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wrong := clocktest.NewWrong(clock.System())
		r := newPipeRig(t, func(o *Options) { o.Clock = wrong })
		r.host.add("s1", "ann")
		r.auth.allow("short", clew.Principal{User: "ann", Role: clew.RoleOwner, ExpiresMS: time.Now().Add(30 * time.Minute).UnixMilli()})
		quiet := r.join("/ws/s1?client_id=quiet", "ann")
		short := r.join("/ws/s1?client_id=short", "short")
		for _, jump := range []time.Duration{-time.Hour, time.Hour} { // there and back
			wrong.Jump(jump)
			time.Sleep(5 * time.Second)
			for _, p := range []*peer{quiet, short} {
				p.command(clew.CommandGetState, string(clew.NewClientID()), "{}")
				p.expect(clew.EventSessionState)
			}
		}
		wrong.Run(0) // nobody is silent for ever because the clock stands
		start := time.Now()
		wrong.Jump(time.Hour)
		short.expectClose(wire.ClosePolicy, string(clew.TokenExpired))
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("a token that is over is closed after %v", d)
		}
		for range 2 {
			quiet.expect(clew.EventPing)
		}
		quiet.expectClose(wire.CloseGoing, string(clew.ConnectionTimeout))
		if d := time.Since(start); d > 3*time.Minute {
			t.Errorf("who is silent is closed after %v", d)
		}
	})
}
