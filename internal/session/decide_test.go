package session

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
)

// bench drives a session's decisions without a goroutine or a journal, and
// keeps the records that would have been stored.
type bench struct {
	s       *Session
	head    clew.Head
	records []clew.Record
	now     int64
}

func newBench() *bench {
	b := &bench{now: 1_700_000_000_000}
	h := &Host{cfg: Config{Now: func() int64 { return b.now }, MaxRecord: 1 << 20, Log: slog.New(slog.DiscardHandler)}}
	b.s = &Session{id: "s", host: h, state: &State{ID: "s"}}
	return b
}

func (b *bench) do(cmd clew.Command) (Receipt, []clew.EventType, error) {
	p, made, err := b.s.decide(request{cmd: cmd})
	if err != nil {
		return Receipt{}, nil, err
	}
	var types []clew.EventType
	for _, d := range made {
		r := b.head.Write("s", 1, d.now, d.Draft)
		b.head = r.After()
		b.records = append(b.records, r)
		types = append(types, r.Type)
	}
	return p.receipt, types, nil
}

func by(user clew.UserID) clew.Principal { return clew.Principal{User: user, Role: clew.RoleOwner} }

func (b *bench) create() {
	if _, _, err := b.do(clew.Command{By: by("ann"), Data: &create{owner: "ann", title: "first"}}); err != nil {
		panic(err)
	}
}

func (b *bench) say(id string) (Receipt, []clew.EventType, error) {
	return b.do(clew.Command{
		Type: clew.CommandUserMessage, By: by("ann"), ClientMessageID: clew.ClientMessageID(id),
		Data: &clew.UserMessageData{Text: "hello"},
	})
}

// begin has the agent open its reply, end close it.
func (b *bench) begin() (Receipt, []clew.EventType, error) {
	t := *b.s.state.Turn
	return b.do(clew.Command{By: by("agent"), Data: &report{turn: t.ID, events: func(at Batch) []clew.Event {
		return []clew.Event{{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: newReply(at.ID(0), at.TS(0), &t)}}}
	}}})
}

func (b *bench) update(text string, partial bool) (Receipt, []clew.EventType, error) {
	t := *b.s.state.Turn
	m := *b.s.state.Message(t.Reply)
	m.Text, m.Partial = text, partial
	return b.do(clew.Command{By: by("agent"), Data: &report{turn: t.ID, events: func(Batch) []clew.Event {
		return []clew.Event{{Type: clew.EventMessageUpdated, Data: &clew.MessageUpdatedData{Message: m}}}
	}}})
}

// The states a session can be in when a command comes.
var situations = map[string]func(b *bench){
	"none": func(*bench) {},
	"idle": (*bench).create,
	"turn": func(b *bench) { b.create(); must(b.say("m1")) },
	"reply": func(b *bench) {
		b.create()
		must(b.say("m1"))
		must(b.begin())
	},
	"full": func(b *bench) {
		b.create()
		for i := range queueMax + 1 {
			must(b.say(fmt.Sprint("m", i)))
		}
	},
}

func must(_ Receipt, _ []clew.EventType, err error) {
	if err != nil {
		panic(err)
	}
}

// Covers: POL-05, POL-06, POL-08, G-13, C-68
func TestDecide(t *testing.T) {
	message := &clew.UserMessageData{Text: "hi"}
	created, accepted, queued := clew.EventMessageCreated, clew.EventMessageAccepted, clew.EventMessageQueued
	updated := clew.EventMessageUpdated
	tests := []struct {
		in   string
		data any
		want []clew.EventType
		code clew.Code
	}{
		{"none", message, nil, clew.SessionNotFound},
		{"none", &clew.RenameSessionData{Title: "x"}, nil, clew.SessionNotFound},
		{"none", &clew.InterruptData{}, nil, clew.SessionNotFound},
		{"none", &create{owner: "ann"}, []clew.EventType{clew.EventSessionCreated}, ""},
		{"idle", &create{owner: "bob"}, nil, clew.SessionInvalidState},
		{"idle", message, []clew.EventType{created, accepted}, ""},
		{"turn", message, []clew.EventType{created, queued}, ""},
		{"reply", message, []clew.EventType{created, queued}, ""},
		{"full", message, nil, clew.QueueFull},
		{"idle", &clew.UserMessageData{Text: "x", MonitorID: "monitor-7"}, nil, clew.AgentLimit},
		{"idle", &clew.UserMessageData{Text: "x", MonitorID: clew.MainMonitor}, []clew.EventType{created, accepted}, ""},
		{"idle", &clew.UserMessageData{Text: "x", RequestID: "hitl_1"}, nil, clew.HitlRequestExpired},
		{"idle", &clew.AskResponseData{}, nil, clew.HitlRequestExpired},
		{"idle", &clew.HitlApprovalResponseData{}, nil, clew.HitlRequestExpired},
		{"idle", &clew.RenameSessionData{Title: "x"}, []clew.EventType{clew.EventSessionRenamed}, ""},
		{"full", &clew.RenameSessionData{Title: "x"}, []clew.EventType{clew.EventSessionRenamed}, ""},
		{"idle", &clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer}, []clew.EventType{clew.EventAccessChanged}, ""},
		{"idle", &clew.SetAccessData{UserID: "bob"}, nil, ""}, // had none
		{"idle", &clew.SetAccessData{UserID: "ann", Role: clew.RoleViewer}, nil, clew.SessionInvalidState},
		{"idle", &clew.InterruptData{}, nil, ""},
		{"turn", &clew.InterruptData{}, []clew.EventType{created, updated}, ""},
		{"reply", &clew.InterruptData{}, []clew.EventType{updated}, ""},
		{"full", &clew.InterruptData{}, []clew.EventType{created, updated, accepted}, ""},
		{"idle", &clew.ControlPauseData{}, nil, clew.SessionInvalidState},
		{"idle", &report{turn: "msg_000000000002"}, nil, clew.SessionInvalidState},
		{"turn", &report{turn: "msg_000000000009"}, nil, clew.SessionInvalidState},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprintf("%d %s %T", i, tt.in, tt.data), func(t *testing.T) {
			b := newBench()
			situations[tt.in](b)
			_, types, err := b.do(clew.Command{By: by("ann"), Data: tt.data})
			if clew.CodeOf(err) != tt.code || !slices.Equal(types, tt.want) {
				t.Errorf("gives %v, %v, want %v, %q", types, err, tt.want, tt.code)
			}
			b.check(t)
		})
	}
}

// Covers: POL-07
func TestQueueIsWorkedOffInOrder(t *testing.T) {
	b := newBench()
	situations["full"](b)
	for i := range queueMax + 1 {
		if got := b.s.state.Message(b.s.state.Turn.ID).ClientMessageID; string(got) != fmt.Sprint("m", i) {
			t.Fatalf("turn %d is about %s", i, got)
		}
		must(b.begin())
		must(b.update("done", false))
	}
	if b.s.state.Busy() {
		t.Error("still busy after the last turn")
	}
	b.check(t)
}

// A reply that is made and finished in one report ends the turn as well.
func TestReplyInOneReport(t *testing.T) {
	b := newBench()
	b.create()
	must(b.say("m1"))
	must(b.say("m2"))
	turn := *b.s.state.Turn
	_, types, err := b.do(clew.Command{By: by("agent"), Data: &report{turn: turn.ID, events: func(at Batch) []clew.Event {
		m := newReply(at.ID(0), at.TS(0), &turn)
		done := m
		done.Partial = false
		return []clew.Event{
			{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: m}},
			{Type: clew.EventMessageUpdated, Data: &clew.MessageUpdatedData{Message: done}},
		}
	}}})
	if err != nil || len(types) != 3 || types[2] != clew.EventMessageAccepted {
		t.Errorf("gives %v, %v; the next message was not taken up", types, err)
	}
}

// Covers: G-16, WS-009
func TestRepeats(t *testing.T) {
	b := newBench()
	b.create()
	first, _, err := b.say("m1")
	if err != nil || first.Repeat {
		t.Fatalf("first: %+v, %v", first, err)
	}
	again, types, err := b.say("m1")
	if err != nil || !again.Repeat || len(types) != 0 || !slices.Equal(again.Records, first.Records) {
		t.Errorf("repeat gives %+v and %v, want the receipt of the first", again, types)
	}
	// Another user's message of the same name is another message.
	other, types, err := b.do(clew.Command{By: by("bob"), ClientMessageID: "m1", Data: &clew.UserMessageData{Text: "x"}})
	if err != nil || other.Repeat || len(types) != 2 {
		t.Errorf("another user: %+v, %v", other, err)
	}
	for user, want := range map[clew.UserID]Receipt{"ann": first, "bob": other} {
		r, _, err := b.do(clew.Command{By: by(user), ClientMessageID: "m1", Data: &clew.UserMessageData{Text: "x"}})
		if err != nil || !r.Repeat || !slices.Equal(r.Records, want.Records) {
			t.Errorf("repeat of %s gives %v, want %v", user, r.Records, want.Records)
		}
	}
	// The last 1,000 are known, whatever came before.
	for i := range takenMax + 500 {
		must(b.do(clew.Command{By: by("ann"), ClientMessageID: clew.ClientMessageID(fmt.Sprint("r", i)), Data: &clew.RenameSessionData{Title: "t"}}))
		if n := len(b.s.state.Taken); n > takenMax+takenMax/4 {
			t.Fatalf("%d commands are kept", n)
		}
	}
	for i := range takenMax {
		id := clew.ClientMessageID(fmt.Sprint("r", i+500))
		r, _, err := b.do(clew.Command{By: by("ann"), ClientMessageID: id, Data: &clew.RenameSessionData{Title: "t"}})
		if err != nil || !r.Repeat {
			t.Fatalf("%s is not known any more", id)
		}
	}
	b.check(t)
}

// A panic in one command is that command's error.
//
// Covers: WS-013
func TestPanicIsContained(t *testing.T) {
	b := newBench()
	situations["turn"](b)
	before, _ := b.s.state.Encode()
	_, _, err := b.do(clew.Command{By: by("agent"), Data: &report{turn: b.s.state.Turn.ID, events: func(Batch) []clew.Event { panic("oh") }}})
	after, _ := b.s.state.Encode()
	if clew.CodeOf(err) != clew.Internal || string(before) != string(after) {
		t.Errorf("error %v, state changed: %v", err, string(before) != string(after))
	}
}

func TestRecordTooLargeIsRefused(t *testing.T) {
	b := newBench()
	b.create()
	b.s.host.cfg.MaxRecord = 4096
	_, _, err := b.do(clew.Command{By: by("ann"), Data: &clew.UserMessageData{Text: fmt.Sprintf("%05000d", 1)}})
	if clew.CodeOf(err) != clew.MessageTooLarge || b.s.state.Seq != 1 {
		t.Errorf("error %v at %d", err, b.s.state.Seq)
	}
}

// check holds the live state against the fold of the records, from the start
// and from a snapshot anywhere between, and the records against each other.
func (b *bench) check(t interface {
	Fatalf(string, ...any)
	Helper()
}) {
	t.Helper()
	want, err := b.s.state.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	var head clew.Head
	snapshot, _ := (&State{ID: "s"}).Encode()
	for i, r := range b.records {
		if err := r.Follows(head); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		if r.TS <= head.TS {
			t.Fatalf("ts %d after %d", r.TS, head.TS)
		}
		head = r.After()
		checkMessage(t, r)
		if i%(len(b.records)/10+1) == 0 || i == len(b.records)-1 {
			s, err := Restore("s", Loaded{State: snapshot, StateSeq: seqOf(snapshot), Tail: b.records[seqOf(snapshot) : i+1]})
			if err != nil {
				t.Fatalf("restore at %d: %v", i, err)
			}
			snapshot, _ = s.Encode()
		}
	}
	got := snapshot
	if string(got) != string(want) {
		t.Fatalf("folded\n%s\nlive\n%s", got, want)
	}
}

func seqOf(snapshot []byte) uint64 {
	var s State
	if err := json.Unmarshal(snapshot, &s); err != nil {
		panic(err)
	}
	return s.Seq
}

// checkMessage holds a created message against its record.
func checkMessage(t interface {
	Fatalf(string, ...any)
	Helper()
}, r clew.Record) {
	t.Helper()
	if r.Type != clew.EventMessageCreated {
		return
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		t.Fatalf("%v", err)
	}
	m := ev.Data.(*clew.MessageCreatedData).Message //nolint:forcetypeassert // by its type
	if m.MessageID != r.MessageID() || m.TS != r.TS {
		t.Fatalf("message %s at %d stands in record %s at %d", m.MessageID, m.TS, r.MessageID(), r.TS)
	}
}

// Any sequence of commands gives the state that its records fold to.
//
// Covers: C-01, C-68, G-16
func TestFoldEqualsLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		b.create()
		users := rapid.SampledFrom([]clew.UserID{"ann", "bob", "cy"})
		ids := rapid.SampledFrom([]clew.ClientMessageID{"", "a", "b", "c", "d", "e"})
		do := func(t *rapid.T, data any) {
			_, _, _ = b.do(clew.Command{By: by(users.Draw(t, "user")), ClientMessageID: ids.Draw(t, "id"), Data: data})
		}
		t.Repeat(map[string]func(*rapid.T){
			"clock": func(t *rapid.T) { b.now += rapid.Int64Range(-5000, 5000).Draw(t, "by") },
			"message": func(t *rapid.T) {
				do(t, &clew.UserMessageData{Text: rapid.String().Draw(t, "text"), Images: []string{"data:,x"}})
			},
			"rename":    func(t *rapid.T) { do(t, &clew.RenameSessionData{Title: rapid.String().Draw(t, "title")}) },
			"interrupt": func(t *rapid.T) { do(t, &clew.InterruptData{}) },
			"access": func(t *rapid.T) {
				role := rapid.SampledFrom([]clew.Role{"", clew.RoleViewer, clew.RoleApprover}).Draw(t, "role")
				do(t, &clew.SetAccessData{UserID: users.Draw(t, "whom"), Role: role})
			},
			"agent": func(t *rapid.T) {
				switch {
				case b.s.state.Turn == nil:
				case b.s.state.Turn.Reply == "":
					must(b.begin())
				default:
					must(b.update(rapid.String().Draw(t, "text"), rapid.Bool().Draw(t, "partial")))
				}
			},
			"create": func(t *rapid.T) { do(t, &create{owner: "eve"}) },
		})
		b.check(t)
	})
}
