package follow

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
)

// heard makes an envelope of a record; seq 0 is one that is no record.
func heard(t *testing.T, seq uint64, typ clew.EventType, data any) wire.Envelope {
	t.Helper()
	b, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	environ := wire.Envelope{Type: string(typ), SessionID: "s", Data: b}
	if seq > 0 {
		environ.MessageID = string(clew.MessageIDOf(seq))
	}
	return environ
}

func speech(text string, partial bool) clew.Message {
	return clew.Message{MessageID: "msg_1", Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text, Partial: partial, TaskID: "t"}
}

// Whatever comes twice or late after a break, each word is told once.
func TestStoryTellsOnce(t *testing.T) {
	created := func(text string) wire.Envelope {
		return heard(t, 1, clew.EventMessageCreated, clew.MessageCreatedData{Message: speech(text, true)})
	}
	updated := func(text string, partial bool) wire.Envelope {
		return heard(t, 2, clew.EventMessageUpdated, clew.MessageUpdatedData{Message: speech(text, partial)})
	}
	delta := func(offset int, text string) wire.Envelope {
		return heard(t, 0, clew.EventAgentResponse, clew.AgentResponseData{MessageID: "msg_1", Offset: offset, Delta: text})
	}
	state := func(text string) wire.Envelope {
		return heard(t, 0, clew.EventSessionState, clew.SessionState{OpenMessages: clew.List[clew.OpenMessage]{{MessageID: "msg_1", Text: text}}})
	}
	late := heard(t, 0, clew.EventSessionState, clew.SessionState{
		Messages: clew.List[clew.Message]{speech("", true)}, OpenMessages: clew.List[clew.OpenMessage]{{MessageID: "msg_1", Text: "one "}},
	})
	for name, c := range map[string]struct {
		in   []wire.Envelope
		want string
	}{
		"as it comes":            {[]wire.Envelope{created(""), delta(0, "one "), delta(4, "two"), updated("one two", false)}, "one two\n"},
		"whole":                  {[]wire.Envelope{updated("one two", false)}, "one two\n"},
		"repeated":               {[]wire.Envelope{created(""), delta(0, "one "), delta(0, "one "), state("one two "), delta(8, "three"), updated("one two three", false)}, "one two three\n"},
		"an older snapshot":      {[]wire.Envelope{created(""), delta(0, "one two "), updated("one ", true), delta(8, "three"), updated("one two three", false)}, "one two three\n"},
		"a delta is missing":     {[]wire.Envelope{created(""), delta(0, "one "), delta(8, "three"), updated("one two three", false)}, "one two three\n"},
		"told twice":             {[]wire.Envelope{updated("one", false), updated("one", false)}, "one\n"},
		"begun anew":             {[]wire.Envelope{created(""), delta(0, "one "), updated("", true), delta(0, "two"), updated("two", false)}, "one\n\n(It begins anew.)\n\ntwo\n"},
		"cut off":                {[]wire.Envelope{created(""), delta(0, "one two "), updated("one two", false)}, "one two\n"},
		"nothing":                {[]wire.Envelope{created(""), updated("", false)}, ""},
		"begun before we came":   {[]wire.Envelope{late, delta(4, "two"), updated("one two", false)}, "one two\n"},
		"output of some command": {[]wire.Envelope{delta(0, "one ")}, ""},
	} {
		var out strings.Builder
		s := newStory(&Screen{w: &out}, false, "")
		for _, environ := range c.in {
			s.hear(environ)
		}
		s.end()
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}

// Two texts that grow at the same time stay apart.
func TestStoryKeepsTextsApart(t *testing.T) {
	var out strings.Builder
	s := newStory(&Screen{w: &out}, false, "")
	for _, step := range []struct {
		id      clew.MessageID
		text    string
		partial bool
	}{{"msg_1", "", true}, {"msg_2", "", true}, {"msg_1", "a b ", true}, {"msg_2", "x y ", true}, {"msg_1", "a b c", true}, {"msg_2", "x y z", false}, {"msg_1", "a b c", false}} {
		m := speech(step.text, step.partial)
		m.MessageID = step.id
		s.message(m)
	}
	if out.String() != "a b c\n\nx y z\n" {
		t.Errorf("%q", out.String())
	}
}

// Lines are broken between words, by the width of characters.
func TestScreenWraps(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"the quick brown fox jumps over", "the quick brown fox\njumps over"},
		{"한국어 문장이 길어지면 줄을", "한국어 문장이\n길어지면 줄을"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaa b", "aaaaaaaaaaaaaaaaaaaa\naaaaa b"},
		{"one\n\ntwo", "one\n\ntwo"},
		{"exactly twenty wide. x", "exactly twenty wide.\nx"},
		{"a\x1b[2Jb \u202e c", "a␛[2Jb ⟨202E⟩ c"},
		{"windows\r\nlines", "windows\nlines"},
	} {
		for _, size := range []int{1, 3, 100} {
			var out strings.Builder
			s := &Screen{w: &out, width: 20}
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				for n < len(rest) && rest[n]&0xc0 == 0x80 { // a delta never splits a character
					n++
				}
				s.say(rest[:n])
				rest = rest[n:]
			}
			s.end()
			if got := strings.TrimSuffix(out.String(), "\n"); got != c.want {
				t.Errorf("%q in pieces of %d: %q, want %q", c.in, size, got, c.want)
			}
		}
	}
}

// The end of the work is found in the records, and nothing else is taken for it.
func TestCourse(t *testing.T) {
	ref := clew.TaskRef{TaskID: "t", RootTaskID: "t"}
	child := clew.TaskRef{TaskID: "c", ParentTaskID: "t", RootTaskID: "t"}
	type event struct {
		typ  clew.EventType
		data any
	}
	accepted := event{clew.EventMessageAccepted, clew.MessageAcceptedData{ClientMessageID: "mine", TaskID: "t"}}
	idle := event{clew.EventTaskIdle, clew.TaskIdleData{TaskRef: ref}}
	words := event{clew.EventMessageUpdated, clew.MessageUpdatedData{Message: speech("words", false)}}
	stopped := speech("The model call was interrupted by the user.", false)
	stopped.Say, stopped.Role = clew.SayAPIReqDeleted, clew.SpeakerSystem
	budget := event{clew.EventHitlApprovalRequest, clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "r", TaskID: "t"}, Limit: "budget"}}
	failed := event{clew.EventHitlApprovalRequest, clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "r", TaskID: "t"}, Ask: clew.AskAPIReqFailed, Reason: "no answer"}}
	settled := func(how clew.Resolution) event {
		return event{clew.EventHitlResolved, clew.HitlResolvedData{RequestID: "r", Action: how}}
	}
	denied := event{clew.EventHitlResolved, clew.HitlResolvedData{RequestID: "q", Action: clew.ResolvedReject, ClientMessageID: "mine", TaskID: "t"}}
	deniedBelow := event{clew.EventHitlResolved, clew.HitlResolvedData{RequestID: "q", Action: clew.ResolvedReject, ClientMessageID: "mine", TaskID: "c"}}
	begun := event{clew.EventTaskCreated, clew.TaskCreatedData{TaskRef: child}}
	asAnswer := event{clew.EventMessageAccepted, clew.MessageAcceptedData{ClientMessageID: "mine", Delivery: clew.DeliveryAnswer}}
	for name, c := range map[string]struct {
		events []event
		status string // "" if it goes on
		answer string
	}{
		"the message was an answer":          {[]event{denied, asAnswer, words, idle}, EndedDone, "words"},
		"an answer to a subtask":             {[]event{begun, deniedBelow, asAnswer, {clew.EventTaskIdle, clew.TaskIdleData{TaskRef: child}}}, "", ""},
		"an answer to a subtask, to the end": {[]event{begun, deniedBelow, asAnswer, words, idle}, EndedDone, "words"},
		"no to trying again":                 {[]event{accepted, failed, settled(clew.ResolvedReject), idle}, EndedFailed, ""},
		"nobody said whether to try again":   {[]event{accepted, failed, {clew.EventHitlResolved, clew.HitlResolvedData{RequestID: "r", Action: clew.ResolvedReject, ByTimeout: true}}, idle}, EndedFailed, ""},
		"yes to trying again":                {[]event{accepted, failed, settled(clew.ResolvedApprove), words, idle}, EndedDone, "words"},
		"no to more calls":                   {[]event{accepted, {clew.EventHitlApprovalRequest, clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "r", TaskID: "t"}, Limit: "requests"}}, settled(clew.ResolvedReject), idle}, EndedStopped, ""},
		"no to a call":                       {[]event{accepted, {clew.EventHitlApprovalRequest, clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "r", TaskID: "t"}, Tool: "x"}}, settled(clew.ResolvedReject), words, idle}, EndedDone, "words"},
		"answered":                           {[]event{accepted, words, idle}, EndedDone, "words"},
		"before the message":                 {[]event{idle, words}, "", ""},
		"a child at rest":                    {[]event{accepted, {clew.EventTaskIdle, clew.TaskIdleData{TaskRef: child}}}, "", ""},
		"it asks":                            {[]event{accepted, {clew.EventTaskIdle, clew.TaskIdleData{TaskRef: ref, RequestID: "r"}}}, "", ""},
		"a run at rest":                      {[]event{accepted, {clew.EventTaskCreated, clew.TaskCreatedData{TaskRef: ref, RunID: "run"}}, idle}, "", ""},
		"complete":                           {[]event{accepted, words, {clew.EventComplete, clew.CompleteData{TaskID: "t", Response: clew.Response{Text: "result"}}}}, EndedDone, "result"},
		"failed":                             {[]event{accepted, {clew.EventFailed, clew.FailedData{TaskID: "t"}}}, EndedFailed, ""},
		"cancelled":                          {[]event{accepted, {clew.EventTaskAborted, clew.TaskAbortedData{TaskRef: ref, Reason: "cancelled by the user"}}}, EndedCancelled, ""},
		"aborted by failure":                 {[]event{accepted, {clew.EventTaskAborted, clew.TaskAbortedData{TaskRef: ref, Reason: "failed"}}}, EndedFailed, ""},
		"a child is aborted":                 {[]event{accepted, {clew.EventTaskAborted, clew.TaskAbortedData{TaskRef: child}}}, "", ""},
		"an error":                           {[]event{accepted, {clew.EventError, clew.ErrorData{Message: "no", Context: clew.ErrorContext{TaskID: "t"}}}, idle}, EndedFailed, ""},
		"interrupted":                        {[]event{accepted, {clew.EventMessageCreated, clew.MessageCreatedData{Message: stopped}}, idle}, EndedStopped, ""},
		"no more money":                      {[]event{accepted, budget, {clew.EventHitlResolved, clew.HitlResolvedData{RequestID: "r", Action: clew.ResolvedReject}}, idle}, EndedBudget, ""},
		"more money":                         {[]event{accepted, budget, {clew.EventHitlResolved, clew.HitlResolvedData{RequestID: "r", Action: clew.ResolvedApprove}}, idle}, EndedDone, ""},
	} {
		k := newCourse("mine")
		status := ""
		for i, e := range c.events {
			if how := k.hear(heard(t, uint64(i+1), e.typ, e.data)); how != nil {
				status = how.Status
			}
		}
		if status != c.status || k.result() != c.answer {
			t.Errorf("%s: %q with %q, want %q with %q", name, status, k.result(), c.status, c.answer)
		}
	}
}

// A question of a task that was there before us, and is not ours, is not ours.
func TestCourseKnowsItsTasks(t *testing.T) {
	k := newCourse("mine")
	k.blind = true
	k.hear(heard(t, 1, clew.EventMessageAccepted, clew.MessageAcceptedData{ClientMessageID: "mine", TaskID: "t"}))
	if !k.mine("x") {
		t.Error("as long as tasks are not known, a question may be ours")
	}
	k.tasks([]clew.HistoryItem{{ID: "t"}, {ID: "below", RootTaskID: "t", ParentTaskID: "t"}, {ID: "other"}, {ID: "below other", RootTaskID: "other"}})
	for id, want := range map[clew.TaskID]bool{"t": true, "below": true, "other": false, "below other": false, "unheard of": false, "": true} {
		if k.mine(id) != want {
			t.Errorf("%q is ours: %v", id, !want)
		}
	}
}

// Where the answer is printed elsewhere, the story does not tell it as well.
func TestStoryKeepsTheAnswerBack(t *testing.T) {
	first, last := speech("First I look.", false), speech("All is well.\n", false)
	last.MessageID = "msg_2"
	for name, c := range map[string]struct {
		answered bool
		want     string
	}{
		"answered": {true, "First I look.\n"},
		"not":      {false, "First I look.\n\nAll is well.\n"},
	} {
		var out strings.Builder
		s := newStory(&Screen{w: &out}, false, "")
		s.keep = true
		s.message(first)
		s.message(last)
		s.close(c.answered, "All is well.")
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}

// An answer by --yes that the server does not take is not given again.
func TestYesIsNotRepeated(t *testing.T) {
	f := &follower{a: &env.App{}, screen: &Screen{w: io.Discard}, o: Options{Yes: true}, answered: map[clew.RequestID]bool{"req_1": true}, refused: map[clew.RequestID]bool{}}
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x"})
	if f.byRule(q) == nil {
		t.Error("--yes does not approve")
	}
	if err := f.heardBack(sentCommand{about: "req_1", err: clew.Errorf(clew.Forbidden, "no")}); err == nil {
		t.Error("where nobody can be asked, a refused answer is the end")
	}
	if f.answered["req_1"] || f.byRule(q) != nil {
		t.Error("a refused answer would be given again")
	}
}

// What a rewind opened again is not approved by --yes: somebody took that back. What
// is asked later is.
func TestYesDoesNotRepeatWhatWasTakenBack(t *testing.T) {
	var out strings.Builder
	f := &follower{
		a: &env.App{}, screen: &Screen{w: &out}, o: Options{Yes: true}, course: newCourse(""),
		answered: map[clew.RequestID]bool{"req_1": true}, refused: map[clew.RequestID]bool{},
	}
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x"})
	f.takenBack()
	if f.answered["req_1"] {
		t.Error("the question counts as answered")
	}
	f.hear(t.Context(), heard(t, 0, clew.EventSessionState, clew.SessionState{HitlPending: &q}))
	if len(f.questions()) != 1 || f.byRule(q) != nil || !strings.Contains(out.String(), "--yes does not answer what is open again") {
		t.Errorf("%v, %+v:\n%s", f.questions(), f.byRule(q), out.String())
	}
	next := &clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "req_2"}, Tool: "x"}
	later := clew.Question{Type: clew.EventHitlApprovalRequest, Data: next}
	f.hear(t.Context(), heard(t, 0, clew.EventSessionState, clew.SessionState{HitlPending: &later}))
	if f.byRule(later) == nil {
		t.Error("a later question is not approved")
	}
}

// A yes that is typed while a question is open that was not put to the person is
// not sent: nobody knows what it is a yes to. Nor are words after a rewind.
func TestWordsForNobody(t *testing.T) {
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x"})
	for name, c := range map[string]struct {
		words   string
		prepare func(*follower)
	}{
		"a question is open in this session that": {"yes", func(f *follower) { f.view.State.HitlPending = &q }},
		"the session was just taken back":         {"use make instead", func(f *follower) { f.takenBack() }},
	} {
		var out strings.Builder
		f := &follower{a: &env.App{}, c: &env.Rest{}, screen: &Screen{w: &out}} // there is no client that could send
		c.prepare(f)
		f.steer(t.Context(), c.words)
		f.running.Wait()
		if !strings.Contains(out.String(), "\""+c.words+"\" was not sent: "+name) {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
}
