package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// faults gathers what went wrong. Safe for concurrent use.
type faults struct {
	mu    sync.Mutex
	lines []string
}

func (f *faults) addf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.lines) < 20 {
		f.lines = append(f.lines, fmt.Sprintf(format, args...))
	}
}

func (f *faults) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.lines) > 0
}

func (f *faults) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.lines, "\n")
}

// A view is what one client has seen: the sum of each record in the order of
// its coming. Its reader writes it, others read the position.
type view struct {
	session int
	name    string
	whole   bool // from the first record on
	raw     bool // sums are of frames, not of envelopes

	started bool
	first   uint64 // seq of sums[0]
	sums    []uint64
	seq     atomic.Uint64
	doing   atomic.Value // string: for the report on one that is stuck
}

func (v *view) does(format string, args ...any) {
	v.doing.Store(time.Now().Format("15:04:05.000 ") + fmt.Sprintf(format, args...))
}

func (v *view) last() uint64 { return v.seq.Load() }

// take adds a record; its seq must be the next one.
func (v *view) take(seq, sum uint64) error {
	if want := v.seq.Load() + 1; seq != want {
		return fmt.Errorf("record %d came where %d was due", seq, want)
	}
	v.sums = append(v.sums, sum)
	v.seq.Store(seq)
	return nil
}

func (v *view) compare(j journal) error {
	want := j.envelopes
	if v.raw {
		want = j.frames
	}
	if v.last() > uint64(len(want)) {
		return fmt.Errorf("saw record %d of a journal of %d", v.last(), len(want))
	}
	for i, sum := range v.sums {
		if seq := v.first + uint64(i); sum != want[seq-1] {
			return fmt.Errorf("record %d is not what the journal has", seq)
		}
	}
	return nil
}

var sumSeed = maphash.MakeSeed()

func sumOf(b []byte) uint64 { return maphash.Bytes(sumSeed, b) }

func sumOfEnvelope(e wire.Envelope) uint64 {
	var h maphash.Hash
	h.SetSeed(sumSeed)
	for _, s := range []string{e.Type, string(e.SessionID), e.MessageID, e.Timestamp, string(e.ClientMessageID), string(e.Data)} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// A journal is what a client hears that has seen nothing before, by seq-1.
type journal struct {
	frames    []uint64
	envelopes []uint64
	causes    []clew.ClientMessageID // of records that carry their command's id
}

// dialBare opens a socket without the client package.
func dialBare(ctx context.Context, base, token string, id clew.SessionID, query url.Values) (*websocket.Conn, error) {
	u := "ws" + strings.TrimPrefix(base, "http") + "/ws/" + string(id) + "?" + query.Encode()
	ws, resp, err := websocket.Dial(ctx, u, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	if err != nil {
		if resp != nil {
			err = fmt.Errorf("%w (%d)", err, resp.StatusCode)
		}
		return nil, err
	}
	ws.SetReadLimit(64 << 20)
	return ws, nil
}

// readJournal reads a whole journal up to sync_complete.
func readJournal(ctx context.Context, base, token string, id clew.SessionID) (j journal, err error) {
	err = replay(ctx, base, token, id, func(frame []byte, env wire.Envelope) error {
		if seq := env.Seq(); seq != uint64(len(j.frames))+1 {
			return fmt.Errorf("record %d after %d", seq, len(j.frames))
		}
		j.frames = append(j.frames, sumOf(frame))
		j.envelopes = append(j.envelopes, sumOfEnvelope(env))
		j.causes = append(j.causes, causeOf(env))
		return nil
	})
	return j, err
}

// replay calls fn with every record of a session.
func replay(ctx context.Context, base, token string, id clew.SessionID, fn func([]byte, wire.Envelope) error) error {
	ws, err := dialBare(ctx, base, token, id, url.Values{"resume_from": {"start"}})
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }()
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			return err
		}
		var env wire.Envelope
		if err := json.Unmarshal(b, &env); err != nil {
			return err
		}
		switch {
		case env.Seq() > 0:
			err = fn(b, env)
		case env.Type == string(clew.EventSyncComplete):
			return nil
		case env.Type == string(clew.EventError):
			err = fmt.Errorf("the server said %s", b)
		}
		if err != nil {
			return err
		}
	}
}

// followed checks that the client package gives the same from the start.
func (j journal) followed(ctx context.Context, base, token string, id clew.SessionID) error {
	c, err := client.Dial(ctx, client.Options{URL: base, Token: token, Session: id, ResumeFrom: client.FromStart})
	if err != nil {
		return err
	}
	defer c.Close()
	n := 0
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return err
		}
		if env.Type == string(clew.EventSyncComplete) {
			break
		}
		if env.Seq() == 0 {
			continue
		}
		if n >= len(j.envelopes) || sumOfEnvelope(env) != j.envelopes[n] {
			return fmt.Errorf("the client package gives another record %d", env.Seq())
		}
		n++
	}
	if n != len(j.envelopes) {
		return fmt.Errorf("the client package gives %d of %d records", n, len(j.envelopes))
	}
	return nil
}

// causeOf gives the id of the command that a record is the effect of, as far as
// the tests' writers put it there.
func causeOf(env wire.Envelope) clew.ClientMessageID {
	switch clew.EventType(env.Type) {
	case clew.EventSessionRenamed:
		var d clew.SessionRenamedData
		if json.Unmarshal(env.Data, &d) == nil {
			return clew.ClientMessageID(d.Title)
		}
	case clew.EventMessageCreated:
		var d clew.MessageCreatedData
		// What waited in the queue took effect when it was queued.
		if bytes.Contains(env.Data, []byte(`"client_message_id"`)) && json.Unmarshal(env.Data, &d) == nil && d.Message.QueuedAs == "" {
			return d.Message.ClientMessageID
		}
	case clew.EventMessageQueued:
		var d clew.MessageQueuedData
		if json.Unmarshal(env.Data, &d) == nil {
			return d.ClientMessageID
		}
	}
	return ""
}

// messageOf gives the record that an answer to a message speaks of.
func messageOf(env wire.Envelope) (clew.MessageID, bool) {
	var d struct {
		MessageID clew.MessageID `json:"message_id"`
		Message   struct {
			MessageID clew.MessageID `json:"message_id"`
		} `json:"message"`
	}
	if json.Unmarshal(env.Data, &d) != nil {
		return "", false
	}
	if d.MessageID == "" {
		d.MessageID = d.Message.MessageID
	}
	return d.MessageID, d.MessageID != ""
}
