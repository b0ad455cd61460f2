package gateway

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/wire"
)

// Covers: WS-002, WS-003, WS-004, WS-005, WS-007, C-25, C-59
func TestConnectStartsWithState(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.connect("/ws/s1", "ann")
	st := p.expect(clew.EventSessionState)
	if !strings.HasPrefix(st.MessageID, "snap_") {
		t.Errorf("message_id %q", st.MessageID)
	}
	if id, _ := st.field("client_id").(string); !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(id) {
		t.Errorf("client_id %q", id)
	}
	if v, ok := st.field("last_message_id").(string); ok {
		t.Errorf("last_message_id %q of an empty session", v)
	}
	if st.field("role") != "owner" || st.field("epoch") != "e1" {
		t.Errorf("state %s", st.raw)
	}
	if m := p.expect(clew.EventSyncComplete); m.field("replayed") != 0.0 {
		t.Errorf("sync_complete %s", m.raw)
	}
}

// Covers: WS-094, WS-095, WS-097, C-24, C-59, C-81
func TestResume(t *testing.T) {
	for _, tc := range []struct {
		name, query string
		first       uint64 // record that the replay starts with
		lost        bool
	}{
		{"none", "", 11, false},
		{"start", "resume_from=start", 1, false},
		{"zero", "resume_from=" + string(clew.MessageIDOf(0)), 1, false},
		{"middle", "resume_from=" + string(clew.MessageIDOf(4)), 5, false},
		{"head", "resume_from=" + string(clew.MessageIDOf(10)), 11, false},
		{"same epoch", "epoch=e1&resume_from=" + string(clew.MessageIDOf(9)), 10, false},
		{"other epoch", "epoch=e0&resume_from=" + string(clew.MessageIDOf(9)), 11, true},
		{"beyond", "resume_from=" + string(clew.MessageIDOf(11)), 11, true},
		{"malformed", "resume_from=msg_7", 11, true},
		{"snapshot id", "resume_from=snap_123", 11, true},
	} {
		for _, warm := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/warm=%v", tc.name, warm), func(t *testing.T) {
				r := newRig(t, nil)
				s := r.host.add("s1", "ann")
				s.append(5)
				s.stream("old")
				s.append(5)
				if !warm {
					s.move() // an empty feed: everything comes from the journal
				}
				p := r.connect("/ws/s1?"+tc.query, "ann")
				if st := p.expect(clew.EventSessionState); st.field("last_message_id") != string(clew.MessageIDOf(10)) {
					t.Errorf("state %s", st.raw)
				}
				if tc.lost {
					p.expectError(clew.CursorLost)
				}
				for seq := tc.first; seq <= 10; seq++ {
					if m := p.expect(clew.EventTodoProgress); !bytes.Equal(m.raw, s.Records[seq-1].Envelope()) {
						t.Errorf("replayed %s, was %s", m.raw, s.Records[seq-1].Envelope())
					}
				}
				m := p.expect(clew.EventSyncComplete)
				if m.field("replayed") != float64(11-tc.first) || m.field("last_message_id") != string(clew.MessageIDOf(10)) {
					t.Errorf("sync_complete %s", m.raw)
				}
				s.append(3)
				p.records(11, 13)
			})
		}
	}
}

// Covers: C-57, C-70
func TestOpenTextIsInTheState(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.append(1)
	s.stream("old")
	s.open = []clew.OpenMessage{{MessageID: clew.MessageIDOf(1), Text: "old"}}
	p := r.connect("/ws/s1?resume_from=start", "ann")
	st := p.expect(clew.EventSessionState)
	if !bytes.Contains(st.raw, []byte(`"text":"old"`)) {
		t.Errorf("state %s", st.raw)
	}
	p.records(1, 1)
	p.expect(clew.EventSyncComplete)
	s.stream("new")
	if m := p.expect(clew.EventAgentResponse); m.field("delta") != "new" || m.MessageID != "" {
		t.Errorf("streamed %s", m.raw)
	}
}

// A snapshot that is older than the feed must not lead to a gap.
// Covers: C-81, WS-094
func TestStateBehindTheFeed(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.append(10)
	s.lag = 4
	p := r.join("/ws/s1", "ann")
	s.append(1)
	p.records(7, 11)
}

// Covers: WS-094, C-81
func TestReplayMeetsLive(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	const clients, total = 12, 6000
	s.append(100)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for n := 100; n < total; n += 10 {
			s.append(10)
			s.stream("x")
		}
	}()
	for i := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			from := uint64(i * 8)
			p := r.connect(fmt.Sprintf("/ws/s1?client_id=c%d&resume_from=%s", i, clew.MessageIDOf(from)), "ann")
			follow(p, from, total)
		}()
	}
	wg.Wait()
}

// follow reads until the record `to`, checking that no record is missing,
// doubled or out of order.
func follow(p *peer, from, to uint64) {
	for from < to {
		f, err := p.frame()
		if err != nil {
			p.t.Errorf("after record %d: %v", from, err)
			return
		}
		if seq := seqIn(f.Payload); seq != 0 {
			if seq != from+1 {
				p.t.Errorf("record %d after %d", seq, from)
				return
			}
			from = seq
		}
	}
}

// seqIn finds a record's seq without decoding the envelope, which would be most
// of the work of these tests.
func seqIn(envelope []byte) uint64 {
	const name = `"message_id":"`
	envelope, _, _ = bytes.Cut(envelope, []byte(`"timestamp"`)) // not the data of an answer
	i := bytes.Index(envelope, []byte(name+"msg_"))
	if i < 0 {
		return 0
	}
	id, _, _ := bytes.Cut(envelope[i+len(name):], []byte(`"`))
	seq, _ := clew.MessageID(id).Seq()
	return seq
}

// Covers: WS-001, WS-120, WS-122, WS-123
func TestManyConnectionsSeeAllInOrder(t *testing.T) {
	// The clients share this process and may be slow: not what is tested here.
	r := newRig(t, func(o *Options) { o.Limits.WriteTimeout, o.Limits.PongLimit = time.Minute, 0 })
	s := r.host.add("s1", "ann")
	const clients = 200
	total := uint64(5000)
	if raceEnabled {
		total = 1000 // the race detector makes it slow, not different
	}
	peers := make([]*peer, clients)
	for i := range peers {
		peers[i] = r.join(fmt.Sprintf("/ws/s1?client_id=c%d", i), "ann")
	}
	var wg sync.WaitGroup
	for _, p := range peers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			follow(p, 0, total)
		}()
	}
	for range total / 20 {
		s.append(20)
	}
	wg.Wait()
	t.Logf("caught up from the journal: %d records", r.g.Counters.CaughtUp.Load())
}

// Covers: WS-097, C-81
func TestSessionMoves(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.append(5)
	p := r.join("/ws/s1", "ann")
	for i := range 3 {
		s.append(2)
		s.move()
		s.append(2)
		p.records(uint64(6+4*i), uint64(9+4*i))
	}
	r.host.mu.Lock()
	s.epoch = "e2"
	r.host.mu.Unlock()
	s.move()
	p.expectError(clew.CursorLost)
	p.expectClose(wire.CloseInternal, string(clew.CursorLost))
}

// Covers: WS-097
func TestSessionComesBack(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	r.host.failWatch(clew.Errorf(clew.Unavailable, "moving"))
	s.move()
	time.AfterFunc(50*time.Millisecond, func() { r.host.failWatch(nil) })
	s.append(2)
	p.records(1, 2)
}

// A feed that ran ahead of the writer is made up for from the journal.
// Covers: C-81, WS-123
func TestFeedRunsAhead(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	const total = 3 * 2048
	go s.append(total) // one batch, longer than the feed
	p.records(1, total)
	if r.g.Counters.CaughtUp.Load() == 0 {
		t.Error("nothing was read from the journal")
	}
	s.append(1)
	p.records(total+1, total+1)
}

func TestCollectGate(t *testing.T) {
	var items []*feed.Item
	for _, seq := range []uint64{4, 0, 5, 0, 6, 8} {
		items = append(items, feed.NewItem(seq, "", []byte("{}"), Frame))
	}
	c := &conn{last: 5, gate: 5, pos: 10}
	b := &batch{}
	copy(b.items[:], items)
	if missing, _ := c.collect(b, len(items)); missing != 7 || b.n != 2 || c.pos != 15 || c.last != 6 {
		t.Errorf("missing %d, sent %d, pos %d, last %d", missing, b.n, c.pos, c.last)
	}
}
