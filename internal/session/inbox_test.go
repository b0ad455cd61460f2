package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// postbox is a session.Inbox in memory.
type postbox struct {
	mu    sync.Mutex
	rows  map[clew.SessionID]map[clew.UserID][]core.InboxItem
	fail  error
	lose  bool // takes nothing and says nothing
	takes time.Duration
	syncs int
}

func (p *postbox) Sync(_ context.Context, id clew.SessionID, rows map[clew.UserID][]core.InboxItem) error {
	time.Sleep(p.takes)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.syncs++
	if p.lose {
		return nil
	}
	if p.fail != nil {
		return p.fail
	}
	if p.rows == nil {
		p.rows = map[clew.SessionID]map[clew.UserID][]core.InboxItem{}
	}
	p.rows[id] = rows
	return nil
}

func (p *postbox) Forget(clew.SessionID) {}

func (p *postbox) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// of gives the rows of a session in a form that can be compared.
func (p *postbox) of(id clew.SessionID) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return rowsText(p.rows[id])
}

func rowsText(rows map[clew.UserID][]core.InboxItem) string {
	if len(rows) == 0 {
		return "{}"
	}
	b, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// folded gives the rows that follow from the journal.
func folded(t testing.TB, j session.Journal, id clew.SessionID) string {
	t.Helper()
	s, err := core.Restore(id, core.Loaded{Tail: journaled(t, j, id)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rowsText(s.Inbox())
}

// asker puts a question whenever it has nothing else to do, up to a number.
func asker(most int) agentFunc {
	return func(_ context.Context, turn core.Turn, _ clew.Message, desk *session.TurnContext) error {
		v, err := desk.View()
		if err != nil {
			return err
		}
		if v.Task.Steps >= most {
			return rest(desk)
		}
		_, err = sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, task *core.Task) {
			decide.AskApproval(tx, s, task, clew.HitlApprovalRequestData{
				Asking: clew.Asking{TimeoutSec: int(s.Seq%2) * 600}, Ask: clew.AskMistakeLimitReached, Limit: "mistakes", Reason: "go on with " + string(turn.ID) + "?",
				Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
			})
		})
		return err
	}
}

func access(user clew.UserID, role clew.Role) clew.Command {
	return clew.Command{Type: clew.CommandSetAccess, By: ann, Data: &clew.SetAccessData{UserID: user, Role: role}}
}

// assign gives the oldest question to somebody.
func assign(st clew.SessionState, user clew.UserID) clew.Command {
	d := &clew.AssignQuestionData{UserID: user}
	if st.HitlPending != nil {
		d.RequestID = st.HitlPending.RequestID()
	}
	return clew.Command{Type: clew.CommandAssignQuestion, By: ann, Data: d}
}

func answerOldest(yes bool) clew.Command {
	how := clew.NoButtonClicked
	if yes {
		how = clew.YesButtonClicked
	}
	return clew.Command{Type: clew.CommandAskResponse, By: ann, Data: &clew.AskResponseData{AskResponse: how}}
}

// Whatever happens, people's inboxes are what follows from the journal, on
// whichever node the session is.
//
// Covers: C-20, RUN-24
func TestInboxFollowsTheJournal(t *testing.T) {
	nightly.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 11), 1, 30).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			m, box := new(journaltest.Memory), &postbox{}
			j := m.Node("a")
			open := func() *session.Host {
				return start(t, j, session.Config{Agent: asker(100), Inbox: box})
			}
			h := open()
			id := create(t, h, "")
			defer watch(t, h, id).Close() // it stays in memory, so that its deadlines are met
			for i, step := range steps {
				var cmd clew.Command
				switch step {
				case 0, 1:
					cmd = say(fmt.Sprint("m", i), "go")
				case 2:
					cmd = answerOldest(true)
				case 3:
					cmd = answerOldest(false)
				case 4:
					cmd = rename(fmt.Sprint("r", i))
				case 5:
					cmd = access("bob", clew.RoleApprover)
				case 6:
					cmd = access([]clew.UserID{"bob", "eve"}[i%2], []clew.Role{clew.RoleNone, clew.RoleViewer}[i/2%2])
				case 7:
					cmd = clew.Command{Type: clew.CommandInterrupt, By: ann, Data: &clew.InterruptData{}}
				case 9, 10:
					cmd = assign(stateOf(t, h, id), []clew.UserID{"bob", "ann", ""}[i%3])
				case 11: // reminders and deadlines fall due
					time.Sleep(time.Duration(1+i%3) * 4 * time.Minute)
					cmd = rename(fmt.Sprint("r", i))
				case 8: // the engine takes nothing for a while
					box.set(func() { box.fail = errDead })
					_, _ = h.Do(t.Context(), id, say(fmt.Sprint("m", i), "go"))
					synctest.Wait()
					box.set(func() { box.fail = nil })
					time.Sleep(time.Minute)
					continue
				}
				_, _ = h.Do(t.Context(), id, cmd) // a refusal changes nothing
				synctest.Wait()
				if got, want := box.of(id), folded(t, j, id); got != want {
					t.Fatalf("after step %d (%d) the inboxes are\n%s\nand should be\n%s", i, step, got, want)
				}
			}
			stop(h)
			if got, want := box.of(id), folded(t, j, id); got != want {
				t.Fatalf("after the end the inboxes are\n%s\nand should be\n%s", got, want)
			}
		})
	})
}

// A node that dies between a record and its rows leaves no gap: whoever loads
// the session next writes them.
//
// Covers: C-20, RUN-24
func TestInboxIsMendedAfterACrash(t *testing.T) {
	for _, last := range []string{"question", "answer", "access"} {
		t.Run(last, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, box := new(journaltest.Memory), &postbox{}
				f := &faults{Journal: m.Node("a")}
				h := start(t, f, session.Config{Agent: asker(1), Inbox: box})
				id := create(t, h, "")
				lose := func() { box.set(func() { box.lose = true }) }
				if last == "question" {
					lose()
				}
				do(t, h, id, say("m1", "go"))
				synctest.Wait()
				lose()
				switch last {
				case "answer":
					do(t, h, id, answerOldest(false))
				case "access":
					do(t, h, id, access("bob", clew.RoleApprover))
				}
				synctest.Wait()
				f.kill() // without Close: nothing is sealed or flushed any more
				m.Down("a")
				if got, want := box.of(id), folded(t, m.Node("x"), id); got == want {
					t.Fatalf("nothing was lost: %s", got)
				}
				box.set(func() { box.lose = false })
				next := m.Node("b")
				h2 := start(t, next, session.Config{Agent: asker(1), Inbox: box})
				h2.TakeOver(t.Context(), []clew.SessionID{id})
				synctest.Wait()
				if got, want := box.of(id), folded(t, next, id); got != want {
					t.Errorf("the inboxes are\n%s\nand should be\n%s", got, want)
				}
			})
		})
	}
}

// Commands do not wait for the inbox, and sessions without questions never
// bother it.
func TestInboxIsNotInTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &postbox{fail: errors.New("away")}
		h := start(t, new(journaltest.Memory).Node("a"), session.Config{Agent: asker(1), Inbox: box})
		quiet := create(t, h, "")
		do(t, h, quiet, rename("r1"))
		do(t, h, quiet, access("bob", clew.RoleApprover))
		synctest.Wait()
		if box.syncs != 0 {
			t.Errorf("%d writes for a session without questions", box.syncs)
		}
		id := create(t, h, "")
		began := time.Now()
		do(t, h, id, say("m1", "go"))
		do(t, h, id, rename("r2"))
		if time.Since(began) > 0 {
			t.Error("a command waited")
		}
		time.Sleep(10 * time.Minute)
		box.set(func() {
			if box.syncs > 200 {
				t.Errorf("%d tries in ten minutes", box.syncs)
			}
			box.fail = nil
		})
		time.Sleep(time.Minute)
		if box.of(id) == "{}" {
			t.Error("the row was given up")
		}
	})
}

// Who hears of a question, or of its end, and then looks into the inbox finds it so,
// also if the engine is slow.
func TestInboxShowsWhatIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &postbox{takes: 500 * time.Millisecond}
		j := new(journaltest.Memory).Node("a")
		var h *session.Host
		looks := 0
		h = start(t, j, session.Config{Agent: asker(3), Inbox: box, Appended: func(id clew.SessionID, _ uint64) { // from now on others hear of it
			looks++
			h.InboxWritten(t.Context())
			if got, want := box.of(id), folded(t, j, id); got != want {
				t.Errorf("the inboxes are\n%s\nand should be\n%s", got, want)
			}
		}})
		id := create(t, h, "")
		do(t, h, id, say("m1", "go"))
		for range 3 {
			time.Sleep(time.Minute) // of the bubble's clock: it has asked
			do(t, h, id, answerOldest(true))
		}
		stop(h)
		if looks < 7 || box.syncs < 6 {
			t.Errorf("%d looks, %d writes: that was no test", looks, box.syncs)
		}
	})
}

// Covers: C-20
func TestWhoHasAQuestionInTheInbox(t *testing.T) {
	tests := []struct {
		assignee clew.UserID
		want     []clew.UserID
	}{
		{"", []clew.UserID{"ann", "bob", "dan"}},
		{"bob", []clew.UserID{"ann", "bob"}},
		{"ann", []clew.UserID{"ann"}},
		{"eve", []clew.UserID{"ann"}}, // may only watch by now
		{"zoe", []clew.UserID{"ann"}}, // has no access any more
	}
	for _, tt := range tests {
		s := core.State{
			ID: "s", Owner: "ann",
			Access: map[clew.UserID]clew.Role{"bob": clew.RoleApprover, "dan": clew.RoleOwner, "eve": clew.RoleViewer},
			Questions: []clew.Question{{Type: clew.EventHitlClarification, Data: &clew.HitlClarificationData{
				Asking: clew.Asking{RequestID: "q1", Assignee: tt.assignee},
			}}},
			AskedTimes: map[clew.RequestID]core.AskedTimes{"q1": {Seq: 7, MS: 70}},
		}
		s.Reminded = map[clew.RequestID]int64{"q1": 90}
		var users []clew.UserID
		for user, items := range s.Inbox() {
			users = append(users, user)
			if len(items) != 1 || items[0].AskedMS != 70 || items[0].Seq != 7 || items[0].RemindedMS != 90 || items[0].Owner != "ann" {
				t.Errorf("%s has %+v", user, items)
			}
		}
		slices.Sort(users)
		if !slices.Equal(users, tt.want) {
			t.Errorf("assigned to %q: %v have it, want %v", tt.assignee, users, tt.want)
		}
	}
}

// A row follows its question through assignment, reminder and deadline.
//
// Covers: C-20
func TestInboxFollowsAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &postbox{}
		j := new(journaltest.Memory).Node("a")
		h := start(t, j, session.Config{Inbox: box, Agent: agentFunc(func(_ context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
			_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, task *core.Task) {
				decide.AskInput(tx, s, task, clew.HitlInputRequestData{
					Asking: clew.Asking{TimeoutSec: 600}, Question: "which?", InputType: clew.InputText, Required: true,
				})
			})
			return err
		})})
		id := create(t, h, "")
		watch(t, h, id) // it stays in memory
		do(t, h, id, access("bob", clew.RoleApprover))
		do(t, h, id, access("dan", clew.RoleApprover))
		do(t, h, id, say("m1", "go"))
		synctest.Wait()
		row := func() (users int, of core.InboxItem) {
			synctest.Wait()
			box.mu.Lock()
			defer box.mu.Unlock()
			for _, items := range box.rows[id] {
				users, of = users+1, items[0]
			}
			return users, of
		}
		if n, it := row(); n != 3 || it.RemindedMS != 0 || it.AskedMS == 0 || it.Question.Asking().DeadlineMS != it.AskedMS-1+600_000 {
			t.Fatalf("%d people have %+v", n, it)
		}
		do(t, h, id, assign(stateOf(t, h, id), "bob"))
		if n, it := row(); n != 2 || it.Question.Asking().Assignee != "bob" {
			t.Errorf("%d people have %+v", n, it.Question.Data)
		}
		time.Sleep(9*time.Minute + 30*time.Second)
		if n, it := row(); n != 2 || it.RemindedMS == 0 {
			t.Errorf("half a minute before its end %d people have %+v", n, it)
		}
		time.Sleep(time.Minute)
		if n, it := row(); n != 0 {
			t.Errorf("after its end %d people have %+v", n, it)
		}
	})
}
