package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// A question of the model is a question to people, with answers to choose from;
// the answer is the call's result.
//
// Covers: MSG-28, MSG-30, WS-084
func TestFollowup(t *testing.T) {
	for name, answer := range map[string]func(w *world, id clew.RequestID){
		"a choice": func(w *world, id clew.RequestID) { w.do(&clew.HitlInputResponseData{RequestID: id, Value: "blue"}) },
		"words":    func(w *world, _ clew.RequestID) { w.say("blue") },
		"general": func(w *world, id clew.RequestID) {
			w.do(&clew.AskResponseData{RequestID: id, AskResponse: clew.MessageResponse, Text: "blue"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("paint")
				q, ok := w.question().Data.(*clew.HitlInputRequestData)
				if !ok || q.Question != "Which colour?" || len(q.Options) != 2 || q.InputType != clew.InputChoice {
					t.Fatalf("question %+v", q)
				}
				answer(w, q.RequestID)
				w.idle()
				if got := lastText(w.model.last()); !strings.Contains(got, "blue") {
					t.Errorf("the model heard %q", got)
				}
			}, calls(call("q", "ask_followup", `{"question":"Which colour?","options":["red","blue"]}`)), says("Blue it is."))
		})
	}
}

// A question by the names that agents of desktops know is the same question: ask for a
// decision, request for a value of a type. The history keeps the name that was called.
//
// Covers: WIN-17, TOOL-13
func TestFollowupByOtherNames(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		typ   clew.InputType
		value any
		wrong any // what does not fit the type
	}{
		"ask":     {`{"question":"Which colour?","options":["red","blue"]}`, clew.InputChoice, "blue", nil},
		"request": {`{"question":"How many?","input_type":"number"}`, clew.InputNumber, 12.0, "many"},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("go")
				q, ok := w.question().Data.(*clew.HitlInputRequestData)
				if !ok || q.InputType != c.typ {
					t.Fatalf("question %+v", q)
				}
				if c.wrong != nil {
					if err := w.try(&clew.HitlInputResponseData{RequestID: q.RequestID, Value: c.wrong}); err == nil {
						t.Error("a value of another type is taken")
					}
				}
				w.do(&clew.HitlInputResponseData{RequestID: q.RequestID, Value: c.value})
				w.idle()
				if got := lastText(w.model.last()); !strings.Contains(got, fmt.Sprint(c.value)) {
					t.Errorf("the model heard %q", got)
				}
				if asked := w.model.last().Messages[1].ToolCalls(); len(asked) != 1 || asked[0].Tool != name {
					t.Errorf("the history has %+v", asked)
				}
			}, calls(call("q", name, c.input)), says("Thanks."))
		})
	}
}

// A task ends with its result.
//
// Covers: EVT-02
func TestCompletion(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		if w.said(clew.SayCompletionResult) != "it is done" {
			t.Errorf("transcript:\n%s", w.story())
		}
		end := events[clew.CompleteData](w)
		if len(end) != 1 || end[0].Response.Text != "it is done" || w.tasks()[0].Status != clew.TaskStatusCompleted {
			t.Errorf("end %+v, task %+v", end, w.tasks()[0])
		}
		w.say("one more thing") // goes on with the same history
		w.idle()
		if n := len(w.model.last().Messages); n != 3 || len(w.tasks()) != 1 {
			t.Errorf("%d messages, %d tasks", n, len(w.tasks()))
		}
	}, completes("it is done"), says("Sure."))
}

// With confirm_completion a person says whether it is done.
//
// Covers: MSG-11, MSG-24, C-54
func TestConfirmedCompletion(t *testing.T) {
	set := map[string]any{"confirm_completion": true}
	t.Run("yes", func(t *testing.T) {
		run(t, set, func(w *world) {
			w.say("go")
			w.asked(clew.AskCompletionResult)
			if len(events[clew.CompleteData](w)) != 0 {
				t.Error("it is over before the answer")
			}
			w.yes()
			w.idle()
			if w.tasks()[0].Status != clew.TaskStatusCompleted {
				t.Errorf("task %+v", w.tasks()[0])
			}
		}, completes("it is done"))
	})
	for name, refuse := range map[string]func(w *world){
		"no":    func(w *world) { w.answer(clew.ChoiceReject, "the tests fail") },
		"words": func(w *world) { w.say("the tests fail") },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, set, func(w *world) {
				w.say("go")
				w.asked(clew.AskCompletionResult)
				refuse(w)
				w.asked(clew.AskCompletionResult)
				if got := lastText(w.model.last()); !strings.Contains(got, "the tests fail") {
					t.Errorf("the model heard %q", got)
				}
				w.yes()
				w.idle()
			}, completes("it is done"), completes("now it is"))
		})
	}
}

// Who speaks at the last moment is heard: the task does not end over it.
func TestCompletionWaitsForWhatWasSaid(t *testing.T) {
	end := new(gate)
	run(t, nil, func(w *world) {
		w.say("go")
		w.say("wait, also this")
		end.open()
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "Not yet") || !strings.Contains(got, "wait, also this") {
			t.Errorf("the model heard %q", got)
		}
		if n := len(events[clew.TaskCompletedData](w)); n != 1 {
			t.Errorf("the task ended %d times", n)
		}
	}, waits(end, completes("it is done")), completes("and this"))
}

// Nothing in an answer outlives the end of its task: neither another call, nor a
// second end that would swallow the next message.
func TestCompletionEndsTheAnswer(t *testing.T) {
	end := call("e1", "attempt_completion", `{"result":"done"}`)
	for name, other := range map[string]clew.Part{
		"another end": call("e2", "attempt_completion", `{"result":"done twice"}`),
		"a list":      call("e2", "update_todos", `{"todos":[{"task":"a","status":"pending"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(w *world) {
				w.say("go")
				w.idle()
				w.say("next")
				w.idle()
				if got := lastText(w.model.last()); !strings.Contains(got, "next") || w.model.asked() != 2 {
					t.Errorf("after %d calls the model heard %q", w.model.asked(), got)
				}
				if n := len(events[clew.TaskCompletedData](w)); n != 1 {
					t.Errorf("the task ended %d times", n)
				}
			}, calls(end, other), says("Yes?"))
		})
	}
}

// The list of steps is a plan without a review; each new list changes it.
//
// Covers: C-72, UIC-02
func TestTodos(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		made, changed := events[clew.PlanGeneratedData](w), events[clew.PlanModifiedData](w)
		if len(made) != 1 || made[0].Version != 1 || made[0].Status != clew.PlanApproved || len(made[0].Todos) != 2 {
			t.Errorf("made %+v", made)
		}
		if len(changed) != 1 || changed[0].OldVersion != 1 || changed[0].NewVersion != 2 || changed[0].PlanID != made[0].PlanID {
			t.Fatalf("changed %+v", changed)
		}
		var what []string
		for _, c := range changed[0].Changes {
			what = append(what, fmt.Sprintf("%s %s", c.Action, c.TodoID))
		}
		if want := []string{"update 1", "add 3", "remove 2"}; !slices.Equal(what, want) {
			t.Errorf("changes %v, want %v", what, want)
		}
		o, err := w.host.Overview(w.Context(), w.id)
		if err != nil || len(o.Todos) != 2 || o.Todos[0].Status != clew.TodoCompleted {
			t.Errorf("todos %+v, %v", o.Todos, err)
		}
	}, calls(call("t", "update_todos", `{"todos":[{"task":"look","status":"in_progress"},{"task":"change","status":"pending"}]}`)),
		calls(call("t", "update_todos", `{"todos":[{"id":"1","task":"look","status":"completed"},{"id":"3","task":"test","status":"odd"}]}`)), says("Done."))
}

// What is said during a turn is heard at the next model call; what is said
// during the last one makes another.
//
// Covers: POL-03
func TestSteering(t *testing.T) {
	first, second := new(gate), new(gate)
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.say("and mind the gap")
		first.open()
		if got := lastText(w.model.last()); !strings.Contains(got, "mind the gap") {
			t.Errorf("the model heard %q", got)
		}
		w.say("one last thing")
		second.open()
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "one last thing") || w.model.asked() != 3 {
			t.Errorf("after %d calls the model heard %q", w.model.asked(), got)
		}
		for _, d := range events[clew.MessageAcceptedData](w)[1:] {
			if d.Delivery != clew.DeliverySteer {
				t.Errorf("delivered as %s", d.Delivery)
			}
		}
	}, waits(first, calls(call("l", "list_files", `{"path":"."}`))), waits(second, says("Done.")), says("That too."))
}

// With message_arrival queue it waits for the end of the turn.
//
// Covers: POL-05, POL-07
func TestQueueing(t *testing.T) {
	first := new(gate)
	run(t, allowed(map[string]any{"message_arrival": "queue"}), func(w *world) {
		w.say("go")
		w.say("later")
		first.open()
		w.idle()
		if w.model.asked() != 3 || !strings.Contains(lastText(w.model.last()), "later") || strings.Contains(lastText(w.model.requests[1]), "later") {
			t.Errorf("%d calls", w.model.asked())
		}
	}, waits(first, calls(call("l", "list_files", `{"path":"."}`))), says("Done."), says("Now this."))
}

// Images that a person sends reach the model, by their address.
func TestImagesForTheModel(t *testing.T) {
	var kind string
	look := func(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
		for _, p := range req.Messages[0].Content {
			if p.Type == clew.PartImage {
				var err error
				if kind, _, err = req.Image(ctx, p.Images[0]); err != nil {
					return llm.Answer{}, err
				}
			}
		}
		return says("A dot.")(ctx, req, on)
	}
	run(t, nil, func(w *world) {
		w.do(&clew.UserMessageData{Text: "what is it?", Images: []string{dot}})
		w.idle()
		if kind != "image/png" {
			t.Errorf("the model got %q", kind)
		}
	}, look)
}

// dot is a PNG of one pixel.
const dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
