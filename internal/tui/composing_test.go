package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func which(id clew.RequestID, labels ...string) *clew.HitlInputRequestData {
	d := &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: id, WordsEffect: clew.WordsAnswer}, Question: "Which?", InputType: clew.InputChoice, Field: "colour"}
	for _, l := range labels {
		d.Options = append(d.Options, clew.InputOption{Value: "v:" + l, Label: l})
	}
	return d
}

// A number that is written where choices are open chooses, as in the dock; so do
// the words of a choice. Everything else is an answer in words.
func TestChoiceIsWritten(t *testing.T) {
	for _, c := range []struct {
		written string
		typ     clew.CommandType
		key     string
		value   any
	}{
		{"2", clew.CommandHitlInputResponse, "value", "v:Blue"},
		{" 2 ", clew.CommandHitlInputResponse, "value", "v:Blue"},
		{"BLUE", clew.CommandHitlInputResponse, "value", "v:Blue"},
		{"3", clew.CommandUserMessage, "text", "3"},
		{"0", clew.CommandUserMessage, "text", "0"},
		{"2 of them", clew.CommandUserMessage, "text", "2 of them"},
	} {
		d := newDesk(t, 80, 24)
		d.opens(clew.SessionState{})
		d.asks(which("q1", "Red", "Blue"))
		d.typed(c.written)
		if c.typ == clew.CommandHitlInputResponse {
			d.sees("this chooses “Blue”")
		} else {
			d.sees("your words answer the question")
		}
		d.press("enter")
		if len(d.sent) != 1 || d.sent[0].Type != c.typ || d.sent[0].Data[c.key] != c.value || d.m.write.String() != "" {
			t.Errorf("%q: sent %v, left %q", c.written, d.sent, d.m.write.String())
		}
	}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(&clew.HitlClarificationData{Asking: clew.Asking{RequestID: "q1", WordsEffect: clew.WordsAnswer}, Question: "Which?", Suggestions: clew.List[string]{"Red", "Blue"}})
	d.typed("1")
	d.press("enter")
	if d.types() != "hitl_clarification_response" || d.sent[0].Data["value"] != "Red" {
		t.Errorf("sent %v", d.sent)
	}
}

// Where it is not plain which question a number is for, it is kept.
func TestNumberAtSeveralQuestions(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(which("q1", "Red", "Blue"))
	d.asks(which("q2", "Large", "Small"))
	d.typed("2")
	d.press("enter")
	d.sees("not sent: to choose, press tab, then 2", "› 2")
	if len(d.sent) != 0 {
		t.Fatalf("sent %v", d.sent)
	}
	d.m.write.Set("2")
	d.m.write.mode = clew.ModeRun // a task of its own
	d.press("enter")
	if d.types() != "user_message" {
		t.Errorf("sent %v", d.sent)
	}
}

// A number is for a question that was on the screen.
func TestNumberBeforeQuestionIsDrawn(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.typed("2")
	d.undrawn(clew.StateChangedData{Put: clew.StatePut{Question: []clew.Question{question(which("q1", "Red", "Blue"))}}})
	_, cmd := d.m.Update(key("enter"))
	d.do(cmd)
	if len(d.sent) != 0 {
		t.Errorf("sent %v", d.sent)
	}
}

// Words answer no question that was not there when they were written, however close
// it came before Enter.
func TestWordsBeforeQuestionIsDrawn(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.typed("use make")
	d.undrawn(clew.StateChangedData{Put: clew.StatePut{Question: []clew.Question{question(approval("q1", "one"))}}})
	_, cmd := d.m.Update(key("enter"))
	d.do(cmd)
	if may, ok := d.sent[0].Data["may_answer"].([]any); d.types() != "user_message" || !ok || len(may) != 0 {
		t.Errorf("sent %v", d.sent)
	}
	d.typed("no, use make")
	d.press("enter")
	if may := fmt.Sprint(d.sent[1].Data["may_answer"]); may != "[q1]" {
		t.Errorf("sent %v", d.sent)
	}
}

// A bare yes is no choice, and what was meant for one question is not kept for the
// next.
func TestBareAnswerGoesWithItsQuestion(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(which("q1", "Red", "Blue"))
	d.typed("ok")
	d.press("enter")
	d.sees("not sent: to answer, press tab, then a number", "› ok")
	d.press("tab", "1")
	if d.types() != "hitl_input_response" {
		t.Fatalf("sent %v", d.sent)
	}
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedAnswer})
	if got := d.m.write.String(); got != "" {
		t.Errorf("%q waits for the next question", got)
	}
	d.asks(which("q2", "Large", "Small"))
	d.typed("2")
	d.settles("q2", clew.MessageAnswer{Action: clew.ResolvedAnswer, By: "bob"})
	if got := d.m.write.String(); got != "" {
		t.Errorf("%q waits for the next question", got)
	}
	d.asks(which("q3", "Large", "Small"))
	d.typed("and then tidy up")
	d.settles("q3", clew.MessageAnswer{Action: clew.ResolvedAnswer, By: "bob"})
	if got := d.m.write.String(); got != "and then tidy up" {
		t.Errorf("left %q", got)
	}
}

// Words that were sent from here did not come from elsewhere.
func TestOwnWordsAreTheAnswer(t *testing.T) {
	for _, c := range []struct {
		asked any
		end   clew.Resolution
		want  string
	}{
		{which("q1", "Red"), clew.ResolvedAnswer, "your words were the answer"},
		{approval("q1", "one"), clew.ResolvedReject, "your words were the answer: denied"},
	} {
		d := newDesk(t, 80, 24)
		d.opens(clew.SessionState{Owner: "ann", Role: clew.RoleOwner})
		d.asks(c.asked)
		d.typed("green, please")
		d.press("enter")
		if len(d.sent) != 1 || len(d.m.write.mine) != 1 {
			t.Fatalf("sent %v", d.sent)
		}
		for id := range d.m.write.mine {
			d.settles("q1", clew.MessageAnswer{Action: c.end, By: "ann"}, id)
		}
		d.sees(c.want)
		d.seesNot("elsewhere")
	}
}

// What looks like a command and is none is never sent: while a question is open it
// would deny it. A path and all else is a message.
func TestNoSuchCommand(t *testing.T) {
	for written, want := range map[string]string{
		"/hlep": "There is no command /hlep. Did you mean /help? Nothing was sent.", "/Sesions now": "Did you mean /sessions?",
		"/help me": "/help takes no words. Nothing was sent.", "/bogus": "There is no command /bogus. Nothing was sent.", "/bogus now": "There is no command /bogus.",
		"/etc": "There is no command /etc.", "/new-thing": "no command /new-thing", "/help2": "Did you mean /help?", "/도움말": "no command /도움말",
		"/reviw x": "Did you mean /review?",
		"//help":   "", " /help": "", "/etc/hosts is broken": "", "/help/me": "", "/*": "", "/tmp is full": "", "/usr and /bin": "",
	} {
		for _, width := range []int{40, 80} {
			d := newDesk(t, width, 12)
			d.answer["GET /slash-commands"] = map[string]any{"commands": []map[string]string{{"name": "review"}}}
			d.opens(clew.SessionState{})
			d.asks(approval("q1", "make"))
			d.typed(written)
			d.press("enter")
			switch {
			case want == "":
				if len(d.sent) != 1 || d.sent[0].Data["text"] != written {
					t.Errorf("%q: sent %v", written, d.sent)
				}
			case len(d.sent) != 0 || d.m.write.String() != written:
				t.Errorf("%q: sent %v, left %q", written, d.sent, d.m.write.String())
			case !strings.Contains(strings.Join(strings.Fields(d.text()), " "), want):
				t.Errorf("%q: no %q on\n%s", written, want, d.text())
			}
		}
	}
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.m.write.Set("/help")
	d.press("enter")
	if _, open := d.m.overlay.(*help); !open || d.m.write.String() != "" {
		t.Error("a command that was brought back does nothing")
	}
}

// What was taken back can be said differently, and goes when the way back is undone.
func TestWordsAfterRewind(t *testing.T) {
	said := clew.Message{MessageID: clew.MessageIDOf(2), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "make it\nblue"}
	start := func() *desk {
		d := newDesk(t, 80, 24)
		d.m.link.client = deafClient(t)
		d.opens(clew.SessionState{Messages: clew.List[clew.Message]{said}, CanUndo: true})
		return d
	}
	back := func(d *desk, kind client.PlaceKind, id clew.MessageID) {
		r := &rewind{files: true, loaded: true}
		r.preview = &preview{place: client.Place{MessageID: id, Kind: kind}, answer: &clew.RewindPreviewAnswer{}}
		d.m.overlay = r
		d.press("y")
	}
	d := start()
	back(d, client.PlaceSaid, said.MessageID)
	if got := d.m.write.String(); got != said.Text {
		t.Fatalf("to be said again: %q", got)
	}
	d.press("ctrl+r", "u")
	if got := d.m.write.String(); got != "" || d.types() != "rewind undo_rewind" {
		t.Errorf("left %q, sent %v", got, d.types())
	}
	d = start()
	d.typed("mine")
	back(d, client.PlaceSaid, said.MessageID)
	if got := d.m.write.String(); got != "mine" {
		t.Errorf("what was written became %q", got)
	}
	d = start()
	back(d, client.PlaceAnswer, clew.MessageIDOf(7))
	if got := d.m.write.String(); got != "" {
		t.Errorf("an answer became %q", got)
	}
}

// A word on what was done goes with the next key, leaves room for keys, and what
// failed for the line is over when the line is back.
func TestNotesDoNotStay(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.press("ctrl+g")
	d.sees("no open question in this session")
	d.press("x")
	d.seesNot("no open question")
	d.m.write.Set("hello")
	d.refuse = clew.Errorf(clew.QueueFull, "no line")
	d.press("enter")
	d.sees("not sent: no line", "enter sends")
	d.m.receive(batch{link: d.m.link, state: client.Reconnecting})
	d.sees("not sent: no line")
	d.m.receive(batch{link: d.m.link, state: client.Active})
	d.seesNot("not sent")
	d.sees("› hello")
}

// On a narrow screen the plan is over the transcript while it has the keys.
func TestTranscriptComesBack(t *testing.T) {
	s := planned()
	review := &clew.HitlPlanReviewData{Asking: clew.Asking{RequestID: "q1", WordsEffect: clew.WordsChange}, Version: 1, Message: "Two steps."}
	review.Plan.Todos = s.Todos
	s.Status, s.HitlPending = clew.StatusAwaitingInput, &clew.Question{Type: clew.EventHitlPlanReview, Data: review}
	s.Messages = clew.List[clew.Message]{message(1, "the transcript.")}
	for name, keys := range map[string][]string{
		"yes": {"y"}, "no": {"n", "enter"}, "changes": {"e", "x", "enter"}, "tab": {"tab"}, "esc": {"esc"}, "question": {"g"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 80, 24)
			d.opens(s)
			d.press("ctrl+p")
			d.sees("Plan 1 of 3")
			d.seesNot("the transcript.")
			d.press(keys...)
			d.sees("the transcript.")
			d.seesNot("Plan 1 of 3")
		})
	}
}

// Only a run is paused by a stop; steps that an agent wrote down are none.
func TestStopSaysHowToGoOn(t *testing.T) {
	for layer, want := range map[clew.Layer]string{"": "stopped; send a message to continue", clew.LayerExecution: "the run is paused"} {
		s := planned()
		s.CurrentLayer = layer
		d := newDesk(t, 80, 24)
		d.opens(s)
		d.press("esc", "esc")
		d.sees(want)
	}
}

// In a small window the sign that others need this person leaves room for the keys.
func TestOthersLeaveRoom(t *testing.T) {
	for width, want := range map[int]string{40: "◇3  ", 80: "◇ 3 more need you · ctrl+o"} {
		d := newDesk(t, width, 12)
		d.opens(clew.SessionState{})
		d.m.others.open = map[clew.RequestID]clew.SessionID{"a": "s2", "b": "s2", "c": "s3"}
		d.sees(want)
		lines := strings.Split(strings.TrimRight(d.text(), "\n"), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, "enter sends · esc reads") {
			t.Errorf("at %d columns: %q", width, last)
		}
	}
}

// A command of the project is sent as what it stands for, from the list or written.
func TestOwnCommand(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.answer["GET /slash-commands"] = map[string]any{"commands": []map[string]string{
		{"name": "review", "description": "Review a file", "argument_hint": "[file]"}, {"name": "tidy", "description": "Tidy up"},
	}}
	d.answer["POST /slash-commands"] = map[string]any{"name": "review", "text": "Review with care.", "mode": "run"}
	d.opens(clew.SessionState{})
	d.press("/")
	d.typed("rev")
	d.sees("/review", "Review a file", "[file]")
	d.press("enter")
	if got := d.m.write.String(); got != "/review " || len(d.sent) != 0 {
		t.Fatalf("wrote %q, sent %v", got, d.sent)
	}
	d.typed("main.go")
	d.press("enter")
	if len(d.sent) != 1 || d.sent[0].Data["text"] != "Review with care." || d.sent[0].Data["mode"] != "run" || d.m.write.String() != "" {
		t.Fatalf("sent %v, left %q", d.sent, d.m.write.String())
	}
	d.press("/")
	d.typed("tid")
	d.press("enter")
	if len(d.sent) != 2 {
		t.Errorf("one without arguments was not sent: %v", d.sent)
	}
	d.typed("/remo")
	if d.m.palette != nil {
		t.Fatal("it lists what there is not")
	}
	d.press("backspace", "backspace")
	d.sees(" › /rewind", "/review")
}
