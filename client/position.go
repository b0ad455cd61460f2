package client

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// FromStart as Options.ResumeFrom asks for the whole journal.
const FromStart = "start"

// A position is where a client stands in a journal. It decides for each
// envelope whether it is new, a repeat, or proof that something is missing.
// It belongs to the client's goroutine.
type position struct {
	seq   uint64 // newest record taken
	epoch string // of the journal that seq belongs to, "" if not known
	known bool   // seq means something; false until the first session_state
	view  clew.View

	// filtered is set once the client asked for some monitors only: records
	// may then be left out.
	filtered bool

	// Of the present connection:
	greeted bool // session_state came, or connected
	synced  bool // sync_complete came
	// Where session_state ends. doubt says that this is not the journal that seq is
	// of. Only CURSOR_LOST, which comes next, explains that; until then the position
	// stays as it is, for the connection may end in between.
	head      uint64
	headEpoch string
	doubt     bool
}

// newPosition reads ResumeFrom: "", FromStart, or a message id.
func newPosition(view clew.View, from, epoch string) (position, error) {
	switch from {
	case "":
		return position{view: view}, nil
	case FromStart:
		return position{known: true, epoch: epoch, view: view}, nil
	}
	seq, err := clew.MessageID(from).Seq()
	return position{seq: seq, known: true, epoch: epoch, view: view}, err
}

// resumeFrom gives the query's resume_from and epoch.
func (p *position) resumeFrom() (from, epoch string) {
	switch {
	case !p.known:
		return "", ""
	case p.seq == 0:
		return FromStart, p.epoch
	default:
		return string(clew.MessageIDOf(p.seq)), p.epoch
	}
}

// connected starts a new connection.
func (p *position) connected() { p.greeted, p.synced, p.doubt = false, false, false }

// A protocolError says that the server sent what cannot be right. The client
// connects again; nothing of it reaches the caller.
type protocolError struct{ text string }

func (e *protocolError) Error() string { return "protocol error: " + e.text }

func faultf(format string, args ...any) error {
	return &protocolError{fmt.Sprintf(format, args...)}
}

// take looks at the next envelope of the connection. fresh is false for a
// record that was taken before.
func (p *position) take(env wire.Envelope) (fresh bool, err error) {
	if p.view == clew.ViewState {
		return true, p.takeState(env)
	}
	lost, err := isCursorLost(env)
	if err != nil {
		return false, err
	}
	if p.doubt && !lost {
		// A journal shorter than what we saw, or another one, without a word about
		// it: going on would drop its next records as repeats.
		return false, faultf("session_state ends at %d of %q, %d of %q was seen", p.head, p.headEpoch, p.seq, p.epoch)
	}
	switch clew.EventType(env.Type) {
	case clew.EventSessionState:
		return true, p.greet(env)
	case clew.EventSyncComplete:
		p.synced = true
	}
	if lost && p.greeted && !p.synced { // it starts from the state that came
		p.seq, p.epoch, p.doubt = p.head, p.headEpoch, false
	}
	if !strings.HasPrefix(env.MessageID, "msg_") {
		return true, nil
	}
	return p.record(clew.MessageID(env.MessageID))
}

func isCursorLost(env wire.Envelope) (bool, error) {
	if clew.EventType(env.Type) != clew.EventError {
		return false, nil
	}
	var d struct {
		Code clew.Code `json:"code"`
	}
	if err := json.Unmarshal(env.Data, &d); err != nil {
		return false, faultf("error without a code")
	}
	return d.Code == clew.CursorLost, nil
}

// takeState looks at an envelope of the view of the state. What is no change says
// nothing about the position.
func (p *position) takeState(env wire.Envelope) error {
	switch clew.EventType(env.Type) {
	case clew.EventConnected:
		var d clew.ConnectedData
		if err := json.Unmarshal(env.Data, &d); err != nil {
			return faultf("connected: %v", err)
		}
		p.greeted, p.epoch = true, d.Epoch
	case clew.EventStateChanged:
		var d struct {
			From clew.MessageID `json:"from"`
			To   clew.MessageID `json:"to"`
		}
		if err := json.Unmarshal(env.Data, &d); err != nil {
			return faultf("state_changed: %v", err)
		}
		return p.change(d.From, d.To)
	}
	return nil
}

// change goes on by a change. Without a from it is the whole state.
func (p *position) change(from, to clew.MessageID) error {
	next, err := to.Seq()
	if err != nil || !p.greeted {
		return faultf("state_changed to %q, greeted: %v", to, p.greeted)
	}
	if from != "" {
		seq, err := from.Seq()
		if err != nil || !p.known || seq < p.seq || seq > p.seq && !p.filtered {
			return faultf("state_changed from %q, %d was seen", from, p.seq)
		}
	}
	p.seq, p.known = next, true
	return nil
}

func (p *position) greet(env wire.Envelope) error {
	var d struct {
		LastMessageID *clew.MessageID `json:"last_message_id"`
		Epoch         string          `json:"epoch"`
	}
	if err := json.Unmarshal(env.Data, &d); err != nil {
		return faultf("session_state: %v", err)
	}
	var last uint64
	if d.LastMessageID != nil && *d.LastMessageID != "" {
		var err error
		if last, err = d.LastMessageID.Seq(); err != nil {
			return faultf("session_state: %v", err)
		}
	}
	if p.greeted { // asked for with get_state: tells nothing about the position
		return nil
	}
	if !p.known {
		p.seq = last
	}
	p.known, p.greeted, p.head, p.headEpoch = true, true, last, d.Epoch
	p.doubt = p.seq > 0 && (last < p.seq || p.epoch != "" && p.epoch != d.Epoch)
	if !p.doubt {
		p.epoch = d.Epoch
	}
	return nil
}

func (p *position) record(id clew.MessageID) (fresh bool, err error) {
	seq, err := id.Seq()
	switch {
	case err != nil:
		return false, faultf("%v", err)
	case !p.greeted:
		return false, faultf("record %d before session_state", seq)
	case seq <= p.seq:
		return false, nil
	case seq > p.seq+1 && !p.filtered:
		return false, faultf("record %d after %d", seq, p.seq)
	}
	p.seq = seq
	return true, nil
}
