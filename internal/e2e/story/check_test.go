package story

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/shell"
)

// check looks at a story that came to its end, whatever happened on the way.
func (s *stage) check(t *testing.T, calm []string) {
	t.Helper()
	list, state := s.replayed()
	if got := told(list); !slices.Equal(got, calm) {
		t.Errorf("the story is another one:\n%s", diff(strings.Join(calm, "\n"), strings.Join(got, "\n")))
	}
	if got := s.File("count.txt"); got != "ran\n" {
		t.Errorf("the command left %q: it has to run once", got)
	}
	if got := s.File("list.txt"); got != "apples\nplums\n" {
		t.Errorf("the list is %q", got)
	}
	questions(t, list)
	if state.Status != clew.StatusIdle || len(state.HitlQueue) > 0 || len(state.OpenMessages) > 0 {
		t.Errorf("in the end the session is %s with %d questions and %d open messages", state.Status, len(state.HitlQueue), len(state.OpenMessages))
	}
	for _, m := range state.Messages {
		if m.Partial {
			t.Errorf("a message is still growing: %+v", m)
		}
	}
	s.Answered()
	s.orphans(t.Context())
	if err := s.Srv.Stop(); err != nil {
		t.Error(err)
	}
	s.Examine()
}

// told is the story as it must always come out: what people and models said and
// what the tools returned, in order. Left out are the notices of model calls, the
// questions about a crash, the answers that a crash cut, and the calls that look
// into a step in doubt (their ids begin with d_); a step that was in doubt and
// then found done counts as done.
func told(list []record) []string {
	var lines []string
	final := finals(list)
	cut := cutAnswers(list)
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.MessageCreatedData:
			m := final[d.Message.MessageID]
			if !cut[m.MessageID] && shown(m) {
				lines = append(lines, fmt.Sprintf("%s %s%s %s", m.Role, m.Say, m.Ask, oneLine(m.Text+m.Reasoning)))
			}
		case *clew.ToolProgressData:
			if d.Status != clew.ToolRunning && !strings.HasPrefix(d.ToolCallID, "d_") {
				lines = append(lines, fmt.Sprintf("result of %s %s", d.ToolCallID, resultOf(d)))
			}
		case *clew.TaskCompletedData:
			lines = append(lines, "completed "+d.ResultSummary)
		}
	}
	return lines
}

// resultOf is what a call returned. The command's result may be in doubt; what
// it did is counted elsewhere.
func resultOf(d *clew.ToolProgressData) string {
	if d.Tool == "execute_command" {
		return "(counted)"
	}
	text, _ := d.Output.(string)
	return string(d.Status) + " " + oneLine(text)
}

func shown(m clew.Message) bool {
	switch {
	case strings.HasPrefix(string(m.Say), "api_req_"), strings.HasPrefix(m.ToolCallID, "d_"), m.Say == clew.SayCommandOutput:
		return false
	case m.Ask == clew.AskResumeTask, m.Ask == clew.AskAPIReqFailed:
		return false
	}
	return true
}

func finals(list []record) map[clew.MessageID]clew.Message {
	final := map[clew.MessageID]clew.Message{}
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.MessageCreatedData:
			final[d.Message.MessageID] = d.Message
		case *clew.MessageUpdatedData:
			final[d.Message.MessageID] = d.Message
		}
	}
	return final
}

// cutAnswers lists what models said in calls that a crash cut: between a call's
// start and the question about it, or the notice that it is made again. A
// message that is still open then is written anew, and belongs to the new call.
func cutAnswers(list []record) map[clew.MessageID]bool {
	cut, said := map[clew.MessageID]bool{}, map[clew.MessageID]bool{} // said: whether it is closed
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.MessageCreatedData:
			switch m := d.Message; {
			case m.Say == clew.SayAPIReqStarted:
				clear(said)
			case m.Ask == clew.AskAPIReqFailed, m.Say == clew.SayAPIReqRetried:
				for id, closed := range said {
					cut[id] = cut[id] || closed
				}
			case m.Say == clew.SayText && m.Role == clew.SpeakerAssistant, m.Say == clew.SayReasoning:
				said[m.MessageID] = !m.Partial
			}
		case *clew.MessageUpdatedData:
			if _, ok := said[d.Message.MessageID]; ok {
				said[d.Message.MessageID] = !d.Message.Partial
			}
		case *clew.ModelMessageData:
			if d.Message.Role == clew.SpeakerAssistant {
				clear(said)
			}
		}
	}
	return cut
}

// questions checks that each question was settled once, that each approval let
// at most one call begin, that no call began twice unless it may, and that every
// call has one result.
func questions(t *testing.T, list []record) {
	t.Helper()
	asked, settled, used := map[clew.RequestID]int{}, map[clew.RequestID]int{}, map[clew.RequestID]int{}
	begun, ended := map[string]int{}, map[string]int{}
	for _, r := range list {
		switch d := r.Event.Data.(type) {
		case *clew.HitlApprovalRequestData:
			asked[d.RequestID]++
		case *clew.HitlInputRequestData:
			asked[d.RequestID]++
		case *clew.HitlResolvedData:
			settled[d.RequestID]++
		case *clew.ToolProgressData:
			switch {
			case d.Status != clew.ToolRunning:
				ended[d.ToolCallID]++
			case d.Class == clew.ClassOnce:
				begun[d.ToolCallID]++
			}
			if d.Status == clew.ToolRunning && d.RequestID != "" {
				used[d.RequestID]++
			}
		}
	}
	for id, n := range asked {
		if n != 1 || settled[id] != 1 {
			t.Errorf("question %s was asked %d times and settled %d times", id, n, settled[id])
		}
	}
	for id, n := range used {
		if n > 1 || asked[id] == 0 {
			t.Errorf("approval %s was used %d times", id, n)
		}
	}
	for id, n := range begun {
		if n > 1 {
			t.Errorf("call %s began %d times", id, n)
		}
	}
	for id, n := range ended {
		if n != 1 {
			t.Errorf("call %s has %d results", id, n)
		}
	}
}

// orphans waits until nothing runs that a command of this server started. A
// process that is gone needs a moment to leave the list.
func (s *stage) orphans(ctx context.Context) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := s.running()
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			s.T.Errorf("left running: %v", left)
			return
		}
	}
}

// running lists processes with the mark of this server's commands in their
// environment, or with this story's time to sleep on their command line.
func (s *stage) running() []string {
	var left []string
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		s.T.Fatal(err)
	}
	sleeps := []byte(strings.TrimSpace(s.File("mark.txt")))
	call := []byte("CLEW_CALL=" + shell.Marker(s.Srv.Dir))
	for _, dir := range dirs {
		environ, _ := os.ReadFile(filepath.Join(dir, "environ")) // it may be gone, or another user's
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if bytes.Contains(environ, call) || len(sleeps) > 0 && bytes.Contains(cmdline, sleeps) {
			left = append(left, dir+" "+string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
		}
	}
	return left
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
