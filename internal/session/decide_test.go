package session

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

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
		for i := range core.QueueMax + 1 {
			must(b.say(fmt.Sprint("m", i)))
		}
	},
}

// Covers: POL-05, POL-06, POL-08, C-68
func TestDecide(t *testing.T) {
	message := &clew.UserMessageData{Text: "hi"}
	created, queued := clew.EventMessageCreated, clew.EventMessageQueued
	updated, heard, idle := clew.EventMessageUpdated, clew.EventModelMessage, clew.EventTaskIdle
	first := []clew.EventType{
		created, clew.EventTaskCreated, clew.EventMessageAccepted, clew.EventTaskStarted, clew.EventTaskFocused,
		clew.EventTaskActive, clew.EventTaskUserMessage,
	}
	tests := []struct {
		in   string
		data any
		want []clew.EventType
		code clew.Code
	}{
		{"none", message, nil, clew.SessionNotFound},
		{"none", &clew.RenameSessionData{Title: "x"}, nil, clew.SessionNotFound},
		{"none", &clew.InterruptData{}, nil, clew.SessionNotFound},
		{"none", &decide.CreateCommand{Owner: "ann"}, []clew.EventType{clew.EventSessionCreated}, ""},
		{"idle", &decide.CreateCommand{Owner: "bob"}, nil, clew.SessionExists},
		{"idle", message, first, ""},
		{"turn", message, []clew.EventType{queued}, ""},
		{"reply", message, []clew.EventType{queued}, ""},
		{"full", message, nil, clew.QueueFull},
		{"idle", &clew.UserMessageData{Text: "x", MonitorID: "monitor-7"}, append([]clew.EventType{clew.EventMonitorAdded}, first...), ""},
		{"idle", &clew.UserMessageData{Text: "x", MonitorID: "monitor-07"}, nil, clew.InvalidMessage},
		{"idle", &clew.UserMessageData{Text: "x", MonitorID: clew.MainMonitor}, first, ""},
		{"idle", &clew.UserMessageData{Text: "x", RequestID: "hitl_1"}, nil, clew.HitlRequestExpired},
		{"idle", &clew.AskResponseData{}, nil, clew.HitlRequestExpired},
		{"idle", &clew.HitlApprovalResponseData{}, nil, clew.HitlRequestExpired},
		{"idle", &clew.RenameSessionData{Title: "x"}, []clew.EventType{clew.EventSessionRenamed}, ""},
		{"full", &clew.RenameSessionData{Title: "x"}, []clew.EventType{clew.EventSessionRenamed}, ""},
		{"idle", &clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer}, []clew.EventType{clew.EventAccessChanged}, ""},
		{"idle", &clew.SetAccessData{UserID: "bob"}, nil, ""}, // had none
		{"idle", &clew.SetAccessData{UserID: "ann", Role: clew.RoleViewer}, nil, clew.SessionInvalidState},
		{"idle", &clew.InterruptData{}, nil, ""},
		{"turn", &clew.InterruptData{}, []clew.EventType{heard, idle}, ""},
		{"reply", &clew.InterruptData{}, []clew.EventType{updated, heard, idle}, ""},
		{"full", &clew.InterruptData{}, []clew.EventType{heard, idle, created, clew.EventMessageAccepted, clew.EventTaskActive, clew.EventTaskUserMessage}, ""},
		{"idle", &clew.ControlPauseData{}, nil, clew.SessionInvalidState},
		{"idle", &decide.TurnReport{Turn: "msg_000000000002"}, nil, clew.SessionInvalidState},
		{"turn", &decide.TurnReport{Turn: "msg_000000000009"}, nil, clew.SessionInvalidState},
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
	for i := range core.QueueMax + 1 {
		if got := b.s.state.Message(b.turn().ID).ClientMessageID; string(got) != fmt.Sprint("m", i) {
			t.Fatalf("turn %d is about %s", i, got)
		}
		must(b.begin())
		must(b.finish("done"))
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
	_, types, err := b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		m := decide.NewReply(tx.NextID(), tx.NextTS(), t.MonitorID, t.Turn)
		tx.Say(m)
		m.Partial = false
		tx.Update(m)
		idle(tx, s, t)
	})
	if err != nil || len(types) != 7 || types[4] != clew.EventMessageAccepted {
		t.Errorf("gives %v, %v; the next message was not taken up", types, err)
	}
	b.check(t)
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
	if err != nil || other.Repeat || len(types) != 1 {
		t.Errorf("another user: %+v, %v", other, err)
	}
	for user, want := range map[clew.UserID]Receipt{"ann": first, "bob": other} {
		r, _, err := b.do(clew.Command{By: by(user), ClientMessageID: "m1", Data: &clew.UserMessageData{Text: "x"}})
		if err != nil || !r.Repeat || !slices.Equal(r.Records, want.Records) {
			t.Errorf("repeat of %s gives %v, want %v", user, r.Records, want.Records)
		}
	}
	// The last 1,000 are known, whatever came before.
	for i := range core.TakenMax + 500 {
		must(b.do(clew.Command{By: by("ann"), ClientMessageID: clew.ClientMessageID(fmt.Sprint("r", i)), Data: &clew.RenameSessionData{Title: "t"}}))
		if n := len(b.s.state.Processed); n > core.TakenMax+core.TakenMax/4 {
			t.Fatalf("%d commands are kept", n)
		}
	}
	for i := range core.TakenMax {
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
	_, _, err := b.report(func(*decide.Tx, *core.State, *core.Task) { panic("oh") })
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

// Any sequence of commands gives the state that its records fold to.
//
// Covers: C-01, C-68, G-16
func TestFoldEqualsLive(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
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
				case b.task() == nil || b.task().Turn == nil:
				case b.turn().Reply == "":
					must(b.begin())
				case rapid.Bool().Draw(t, "ends"):
					must(b.finish(rapid.String().Draw(t, "text")))
				default:
					must(b.update(rapid.String().Draw(t, "text"), true))
				}
			},
			"create": func(t *rapid.T) { do(t, &decide.CreateCommand{Owner: "eve"}) },
		})
		b.check(t)
	})
}
