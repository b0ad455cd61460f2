package client_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/client/clienttest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/wire"
)

// Whatever happens to the connections, a client that started at the beginning
// hears the journal: all of it, once, in order.
//
// Covers: WS-094, C-31, C-81
func TestAnyFaultsAnyJournal(t *testing.T) {
	nightly.Check(t, func(rt *rapid.T) {
		faults := rapid.SliceOfN(rapid.Custom(drawFault), 0, 60).Draw(rt, "faults")
		before := rapid.IntRange(0, 20).Draw(rt, "records before")
		bursts := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 8).Draw(rt, "bursts")
		pauses := rapid.SliceOfN(rapid.IntRange(0, 5000), len(bursts), len(bursts)).Draw(rt, "pauses")
		first := rapid.IntRange(0, before+1).Draw(rt, "resume after")
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.add(before)
			b.SetPlan(planOf(faults))
			at := string(clew.MessageIDOf(uint64(first)))
			if first == 0 {
				at = client.FromStart
			}
			c := b.dial(t, from(at), func(o *client.Options) { o.Retry = patient })
			go func() {
				for i, n := range bursts {
					time.Sleep(time.Duration(pauses[i]) * time.Millisecond)
					b.add(n)
				}
				b.SetPlan(nil)
				b.add(1)
			}()
			last := uint64(1 + before + 1)
			for _, n := range bursts {
				last += uint64(n)
			}
			got := take(t, c, isRecord(last))
			if want := ids(uint64(first)+1, last); !slices.Equal(records(got), want) {
				rt.Fatalf("heard %v\nwant  %v", records(got), want)
			}
			checkBytes(rt, got, b.Records(b.id))
		})
	})
}

// patient never gives up.
var patient = client.Retry{MaxRetries: 1 << 20, InitialDelay: time.Second, MaxDelay: 30 * time.Second, Multiplier: 2}

// A drawn fault happens to one frame of one connection.
type drawn struct {
	Conn, Frame int
	Kind        clienttest.FaultKind
	Code        int
}

func drawFault(rt *rapid.T) drawn {
	return drawn{
		Conn:  rapid.IntRange(0, 12).Draw(rt, "conn"),
		Frame: rapid.IntRange(0, 25).Draw(rt, "frame"),
		Kind:  clienttest.FaultKind(rapid.IntRange(int(clienttest.None), int(clienttest.Close)).Draw(rt, "kind")),
		Code:  rapid.SampledFrom([]int{1001, 1011, 1013}).Draw(rt, "code"),
	}
}

func planOf(faults []drawn) clienttest.Plan {
	type at struct{ conn, frame int }
	m := map[at]clienttest.Fault{}
	for _, f := range faults {
		m[at{f.Conn, f.Frame}] = clienttest.Fault{Kind: f.Kind, Code: f.Code}
	}
	return func(conn, frame int) clienttest.Fault { return m[at{conn, frame}] }
}

// checkBytes compares the data of what was heard with the journal's.
func checkBytes(rt *rapid.T, got []wire.Envelope, journal []clew.Record) {
	for _, env := range got {
		seq := env.Seq()
		if seq > 0 && string(env.Data) != string(journal[seq-1].Data()) {
			rt.Fatalf("record %d reads %s, journal %s", seq, env.Data, journal[seq-1].Data())
		}
	}
}
