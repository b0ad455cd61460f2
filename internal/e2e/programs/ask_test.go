package programs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// follow asks and writes what came of it in lines: what was said, call by call.
func follow(t *testing.T, o client.Options, text string, at func(client.AskEvent) error, more ...client.AskOption) (lines []string, result *client.ResultEvent, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	said := map[clew.MessageID]int{}
	for ev, err := range client.Ask(ctx, o, text, more...) {
		if err != nil {
			return lines, result, err
		}
		switch ev := ev.(type) {
		case *client.TextEvent:
			if at, known := said[ev.MessageID]; known && !ev.Again {
				lines[at] += ev.Text
			} else {
				said[ev.MessageID] = len(lines)
				lines = append(lines, ev.Text)
			}
		case *client.ToolEvent:
			lines = append(lines, fmt.Sprintf("[%s %s %s]", ev.Name, ev.Target, ev.Status))
		case *client.QuestionEvent:
			lines = append(lines, fmt.Sprintf("[%s]", ev.Type))
		case *client.ResultEvent:
			result = ev
		}
		if at != nil {
			if err := at(ev); err != nil {
				return lines, result, err
			}
		}
	}
	return lines, result, nil
}

var lookedAround = []string{
	"I look first.",
	"[hitl_approval_request]",
	"[execute_command echo noise; echo more noise running]",
	"[execute_command echo noise; echo more noise complete]",
	"Three files are here.",
}

// Ask yields the words of its own task, calls, questions and the result, and ends
// with the work. A second ask in the same session is a piece of work of its own.
func TestAsk(t *testing.T) {
	s := start(t, map[string]any{"command_sandbox": "none"})
	approve := func(ev client.AskEvent) error {
		if q, ok := ev.(*client.QuestionEvent); ok {
			return q.Answer(t.Context(), client.InboxAnswer{Action: clew.ChoiceApprove})
		}
		return nil
	}
	lines, result, err := follow(t, options(s), "Look around.", approve)
	proc.Must(t, err)
	if !slices.Equal(lines, lookedAround) {
		t.Errorf("it yielded\n%s", strings.Join(lines, "\n"))
	}
	if result == nil || result.Err() != nil || result.Answer != "Three files are here." || result.Usage.TokensIn != 400 || result.Usage.TokensOut != 40 {
		t.Errorf("it ended with %+v", result)
	}
	lines, result, err = follow(t, options(s), "Hello.", nil)
	proc.Must(t, err)
	if len(lines) != 1 || result == nil || result.Answer != "Hello to you." || result.Usage.TokensIn != 7 || result.Usage.CostUSD != 0.01 {
		t.Errorf("the second one ended with %q and %+v", lines, result)
	}
	deny := func(ev client.AskEvent) error { // a model that fails is asked about
		if q, ok := ev.(*client.QuestionEvent); ok {
			return q.Answer(t.Context(), client.InboxAnswer{Action: clew.ChoiceReject})
		}
		return nil
	}
	lines, result, err = follow(t, options(s), "Break.", deny)
	if err != nil || len(lines) != 1 || result == nil || result.Err() == nil {
		t.Errorf("a failure came to %q, %+v, %v", lines, result, err)
	}
}

// A server that is killed in the middle of a text and while a question is open brings
// the loop to the same end, and nothing is yielded twice.
func TestAskOverKills(t *testing.T) {
	s := start(t, map[string]any{"command_sandbox": "none", "model_crash_retry": "auto"})
	o := options(s)
	o.Retry = client.Retry{MaxRetries: 100, InitialDelay: 10 * time.Millisecond, MaxDelay: 100 * time.Millisecond, Multiplier: 2}
	killed := 0
	kill := func() error {
		killed++
		s.Srv.Kill()
		return s.Srv.Start()
	}
	lines, result, err := follow(t, o, "Look around.", func(ev client.AskEvent) error {
		q, ok := ev.(*client.QuestionEvent)
		if !ok {
			return nil
		}
		if err := kill(); err != nil {
			return err
		}
		return q.Answer(t.Context(), client.InboxAnswer{Action: clew.ChoiceApprove})
	})
	proc.Must(t, err)
	if !slices.Equal(lines, lookedAround) || result == nil || result.Err() != nil {
		t.Errorf("it yielded\n%s\nand %+v", strings.Join(lines, "\n"), result)
	}
	first := true
	lines, result, err = follow(t, o, "Speak slowly.", func(ev client.AskEvent) error {
		if _, ok := ev.(*client.TextEvent); !ok || !first {
			return nil
		}
		first = false
		return kill()
	})
	proc.Must(t, err)
	whole := "one two three four five six seven eight nine ten"
	if result == nil || result.Answer != whole || lines[len(lines)-1] != whole || killed != 2 {
		t.Errorf("after %d kills it yielded %q and %+v", killed, lines, result)
	}
}

// Leaving the loop leaves the work alone, unless the caller wants it cancelled; the
// same with a deadline.
func TestAskIsLeft(t *testing.T) {
	s := start(t, nil)
	stop := errors.New("enough")
	leave := func(ev client.AskEvent) error { return stop }
	if _, _, err := follow(t, options(s), "Wait for ever.", leave); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if list := tasksOf(t, s); len(list) != 1 || list[0].Outcome != nil {
		t.Fatalf("the work did not go on: %+v", list)
	}
	proc.Must(t, s.Command(t.Context(), "stop", clew.CommandControlCancel, clew.ControlCancelData{}))
	if _, _, err := follow(t, options(s), "Wait for ever.", leave, client.CancelOnExit()); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if list := tasksOf(t, s); list[len(list)-1].Outcome == nil || list[len(list)-1].Outcome.Status != clew.OutcomeCancelled {
		t.Fatalf("the work was not cancelled: %+v", list)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for ev, err := range client.Ask(ctx, options(s), "Wait for ever.", client.CancelOnExit()) {
		if last = err; ev != nil {
			cancel() // as a timeout does
		}
	}
	if list := tasksOf(t, s); !errors.Is(last, context.Canceled) || list[len(list)-1].Outcome == nil {
		t.Fatalf("it ended with %v and %+v", last, list)
	}
}

// What the server refuses is the loop's error.
func TestAskRefused(t *testing.T) {
	s := start(t, nil)
	unknown := options(s)
	unknown.Session = "sess_none"
	if _, _, err := follow(t, unknown, "Hello.", nil); clew.CodeOf(err) != clew.SessionNotFound {
		t.Errorf("a session that is not there: %v", err)
	}
	mode := client.AskWith(func(m *clew.UserMessageData) { m.Mode = "no such mode" })
	if _, result, err := follow(t, options(s), "Hello.", nil, mode); err == nil || result != nil {
		t.Errorf("a mode that is not there: %v, %+v", err, result)
	}
}
