package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/wire"
)

// sampled is how many crash points are tried beyond those of each name, unless
// the night has time for all of them.
const sampled = 3

// The variables of a program that is built to crash.
const (
	crashAt  = "CLEW_CRASH_AT="
	crashLog = "CLEW_CRASH_LOG="
)

// A server is killed -9 at every named place while a run is under way, with one
// todo at a time and with several. Started again it brings the run to the same
// end: each todo is completed once, the command that must not be repeated ran
// once, each question is settled once.
//
// Covers: C-20, C-50, RUN-12
func TestKillAtEveryPoint(t *testing.T) {
	places := undisturbed(t)
	chosen := nightly.Third(choose(places))
	t.Logf("%d of %d crash points", len(chosen), len(places))
	var mu sync.Mutex
	missed := 0
	t.Run("at", func(t *testing.T) {
		for i, at := range chosen {
			t.Run(at, func(t *testing.T) {
				t.Parallel()
				s := killStage(t, vendors[i%len(vendors)], map[string]any{
					"run_parallel_todos": 1 + i/4%2*2, "model_crash_retry": []string{"ask", "auto"}[i/2%2],
				})
				if !s.live(t, crashAt+at) {
					mu.Lock()
					missed++
					mu.Unlock()
				}
				s.checkKilled(t)
			})
		}
	})
	if missed > 1 && missed*4 > len(chosen) {
		t.Errorf("%d of %d places were not passed the second time", missed, len(chosen))
	}
}

// A step that has acted already is not begun anew because a crash cut the model's
// next answer: it asks, and goes on from where it stood. The sixth call is that
// of the second step after its command.
//
// Covers: C-50
func TestKillAfterAnAct(t *testing.T) {
	t.Parallel()
	s := killStage(t, llmtest.OpenAI, map[string]any{"model_crash_retry": "ask"})
	if !s.live(t, crashAt+"model.answered:6") {
		t.Fatal("the server did not die")
	}
	s.checkKilled(t)
}

func killStage(t *testing.T, vendor llmtest.Vendor, settings map[string]any) *stage {
	t.Helper()
	return newStage(t, plot{
		vendor: vendor, tags: "crashpoints", script: "kill.yaml", settings: settings, files: map[string]string{"list.txt": "apples\npears\n"},
	})
}

// undisturbed plays the run without a crash and lists the places it passes.
func undisturbed(t *testing.T) []string {
	t.Helper()
	s := killStage(t, llmtest.Anthropic, nil)
	log := filepath.Join(t.TempDir(), "places")
	if s.live(t, crashLog+log) {
		t.Fatal("the server died by itself")
	}
	s.checkKilled(t)
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// choose takes the first passage of every place, of the two around an append
// one by turns, and a sample of the others that depends on a seed alone.
func choose(places []string) []string {
	if nightly.On() {
		return places
	}
	var first, rest []string
	appends := 0
	for _, at := range places {
		wanted := strings.HasSuffix(at, ":1")
		if strings.HasPrefix(at, "append.") {
			appends++
			wanted = wanted && appends/2%2 == appends%2
		}
		if wanted {
			first = append(first, at)
		} else {
			rest = append(rest, at)
		}
	}
	r := rand.New(rand.NewPCG(20260101, 4))
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(first, rest[:min(sampled, len(rest))]...)
}

// request is what a run is asked for.
const request = "Correct the list and count once."

var errDied = errors.New("the server died")

// live plays the run over as many lives of the server as it takes, the first
// with a variable that ends it at a place. It reports whether any life ended.
func (s *stage) live(t *testing.T, variable string) (died bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	env := []string{variable}
	for life := 1; ; life++ {
		err := s.Srv.Start(env...)
		if err == nil {
			err = s.play(ctx)
		}
		if err == nil {
			return died
		}
		select {
		case <-s.Srv.Exited():
		case <-ctx.Done():
			t.Fatalf("life %d: %v", life, err)
		}
		if life > 2 {
			t.Fatalf("life %d: %v", life, err)
		}
		died, env = true, nil
	}
}

// play goes on with the session until the run is complete. What it sends has
// fixed names, so that sending it again has no second effect.
func (s *stage) play(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := s.Srv.Exited()
	go func() {
		select {
		case <-gone:
			cancel(errDied)
		case <-ctx.Done():
		}
	}()
	if err := s.Create(ctx); err != nil {
		return err
	}
	c, err := client.Dial(ctx, client.Options{URL: s.Srv.URL(), Token: s.Token(), Session: sessionID, ResumeFrom: client.FromStart})
	if err != nil {
		return err
	}
	defer c.Close()
	synced := false
	open := map[clew.RequestID]clew.Question{}
	for env, err := range c.Follow(ctx) {
		if err != nil {
			return err
		}
		if env.Type == string(clew.EventSyncComplete) {
			synced = true
			if err := s.Command(ctx, "begin", clew.CommandUserMessage, clew.UserMessageData{Text: request, Mode: clew.ModeRun}); err != nil {
				return err
			}
		}
		if over, err := note(open, env); over || err != nil {
			return err
		}
		if !synced {
			continue
		}
		for id, q := range maps.Clone(open) {
			if err := s.reply(ctx, q); err != nil && clew.CodeOf(err) != clew.HitlRequestExpired {
				return err
			}
			delete(open, id)
		}
	}
	return errors.New("the stream ended")
}

// note keeps the open questions, and reports the end of the run's task.
func note(open map[clew.RequestID]clew.Question, env wire.Envelope) (over bool, err error) {
	if env.Seq() == 0 {
		return false, nil
	}
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return false, err
	}
	if slices.Contains(clew.QuestionTypes, ev.Type) {
		open[clew.Question(ev).RequestID()] = clew.Question(ev)
	}
	switch d := ev.Data.(type) {
	case *clew.HitlResolvedData:
		delete(open, d.RequestID)
	case *clew.TaskCompletedData:
		return d.ParentTaskID == "", nil
	case *clew.FailedData, *clew.CancelledData:
		return false, fmt.Errorf("the run ended with %s %s", env.Type, env.Data)
	}
	return false, nil
}

// reply says yes to everything, or leaves out what can be.
func (s *stage) reply(ctx context.Context, q clew.Question) error {
	id := q.RequestID()
	name := "answer-" + string(id)
	switch q.Type {
	case clew.EventHitlPlanReview:
		return s.Command(ctx, name, clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove})
	case clew.EventHitlInputRequest:
		return s.Command(ctx, name, clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: id, Value: "yes"})
	}
	action := clew.ChoiceApprove
	if s.skip {
		action = clew.ChoiceSkip
	}
	return s.Command(ctx, name, clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: id, Action: action})
}

// checkKilled looks at a run that came to its end, whatever happened on the way.
func (s *stage) checkKilled(t *testing.T) {
	t.Helper()
	list, state := s.replayed()
	allTyped(t, list, nil)
	c := soundRun(t, list)
	for _, id := range []string{"edit", "count", "check"} {
		if c.completed[id] != 1 {
			t.Errorf("todo %s was completed %d times", id, c.completed[id])
		}
	}
	d := ended(t, list)
	if d.Statistics.Completed != 3 || d.Response.Text != "The list has plums now." {
		t.Errorf("the end is %+v", d)
	}
	for _, path := range d.ReportPaths {
		if _, err := s.get(t.Context(), path, s.Bearer); err != nil {
			t.Errorf("a report is missing: %v", err)
		}
	}
	if got := s.File("count.txt"); got != "ran\n" {
		t.Errorf("the command left %q: it has to run once", got)
	}
	if got := s.File("list.txt"); got != "apples\nplums\n" {
		t.Errorf("the list is %q", got)
	}
	var st clew.SessionState
	decode(t, state, &st)
	if st.Status != clew.StatusCompleted || st.HitlPending != nil || len(st.OpenMessages) > 0 {
		t.Errorf("in the end the session is %s", state)
	}
	s.Answered()
	s.examine()
	if t.Failed() {
		t.Logf("the records:\n%s", newPlain(s).journal(list))
	}
}
