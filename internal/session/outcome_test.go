package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// readAll reads the transcript of a bench from its records alone.
func readAll(t *testing.T, b *bench) []clew.Message {
	t.Helper()
	tr := view.NewPager(b.s.state, &tape{b: b})
	list, err := tr.ReadBack(context.Background(), tr.Last+1, 1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lastShown is the newest message that shows a call, in the fold and as the
// records give it, which must be the same.
func lastShown(t *testing.T, b *bench) clew.Message {
	t.Helper()
	shows := func(m clew.Message) bool { return m.ToolCallID != "" }
	folded, read := slices.Clone(b.s.state.Messages.Tail()), readAll(t, b)
	slices.Reverse(folded)
	slices.Reverse(read)
	i, j := slices.IndexFunc(folded, shows), slices.IndexFunc(read, shows)
	if i < 0 || j < 0 {
		t.Fatal("no message shows a call")
	}
	if x, y := decide.PlainJSON(folded[i]), decide.PlainJSON(read[j]); x != y {
		t.Fatalf("folded\n%s\nread\n%s", x, y)
	}
	return folded[i]
}

// Covers: MSG-02
func TestMessagesTellOfTheirCalls(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(b *bench)
		want string
	}{
		"asked": {func(b *bench) { b.asked(1) }, `{"name":"run","status":"waiting"} null`},
		"approved": {func(b *bench) {
			b.asked(1)
			must(b.ann(&clew.AskResponseData{AskResponse: clew.YesButtonClicked}))
		}, `{"name":"run","status":"waiting"} {"action":"approve","by":"ann","ts":0}`},
		"denied": {func(b *bench) {
			b.asked(1)
			must(b.ann(&clew.AskResponseData{AskResponse: clew.NoButtonClicked, Text: "not now"}))
		}, `{"name":"run","status":"error","error":"denied by a person","stopped_by":"ann","why_code":"denied"} {"action":"reject","by":"ann","ts":0,"comment":"not now"}`},
		"begun": {func(b *bench) { b.atWork(); must(b.answer(1)); b.startShown(b.pick(0), clew.ClassOnce) },
			`{"name":"run","status":"running","target":"a","input":"n c1","summary":"n c1","has_diff":true,"added":1,"paths":["a"]} null`},
		"done": {func(b *bench) {
			b.atWork()
			must(b.answer(2))
			b.startShown(b.pick(0), clew.ClassOnce)
			b.done(b.pick(0), "")
		}, `{"name":"run","status":"complete","target":"a","input":"n c1","summary":"n c1","has_diff":true,"added":1,"paths":["a"]} null`},
		"failed": {func(b *bench) {
			b.atWork()
			must(b.answer(2))
			b.startShown(b.pick(0), clew.ClassOnce)
			b.done(b.pick(0), strings.Repeat("x", 300))
		}, `{"name":"run","status":"error","target":"a","input":"n c1","summary":"n c1","error":"` + strings.Repeat("x", 200) + `…","has_diff":true,"added":1,"paths":["a"]} null`},
		"refused": {func(b *bench) { b.atWork(); must(b.answer(2)); b.refuse(b.pick(0)) },
			`{"name":"run","status":"error","error":"refused"} null`},
		"interrupted": {func(b *bench) {
			b.atWork()
			must(b.answer(1))
			b.startShown(b.pick(0), clew.ClassOnce)
			must(b.ann(&clew.InterruptData{}))
		}, `{"name":"run","status":"stopped","target":"a","input":"n c1","summary":"n c1","error":"interrupted by the user","stopped_by":"ann","why_code":"interrupted","in_doubt":true,"has_diff":true,"added":1,"paths":["a"]} null`},
		"turn over": {func(b *bench) { // as of an agent that leaves a call as it is
			b.atWork()
			must(b.answer(1))
			b.startShown(b.pick(0), clew.ClassOnce)
			must(b.report(idle))
		}, `{"name":"run","status":"error","target":"a","input":"n c1","summary":"n c1","error":"the turn was over","why_code":"turn_over","has_diff":true,"added":1,"paths":["a"]} null`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			c.do(b)
			m := lastShown(t, b)
			if m.Answer != nil {
				if m.Answer.TS <= m.TS || !m.IsAnswered {
					t.Errorf("answered at %d, asked at %d", m.Answer.TS, m.TS)
				}
				a := *m.Answer
				a.TS = 0
				m.Answer = &a
			}
			if got := decide.PlainJSON(m.Tool) + " " + decide.PlainJSON(m.Answer); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			b.check(t)
			for _, r := range b.records {
				if m := messageIn(r); m != nil && (m.Tool != nil && m.Tool.Status != clew.ToolWaiting || m.Answer != nil) {
					t.Errorf("record %d has what follows from others: %s", r.Seq, r.Data())
				}
			}
		})
	}
}

func messageIn(r clew.Record) *clew.Message {
	switch d := decoded(r).(type) {
	case *clew.MessageCreatedData:
		return &d.Message
	case *clew.MessageUpdatedData:
		return &d.Message
	}
	return nil
}

// A question that nobody answered in time was not denied by anyone.
func TestSilenceIsNoDenial(t *testing.T) {
	b := newBench()
	b.timed(clew.AskTool, true, yesNo)
	b.now = b.open().DeadlineMS
	b.settleAll()
	m := lastShown(t, b)
	if a := m.Answer; a == nil || !a.ByTimeout || a.By != "" || a.Action != clew.ResolvedReject || m.Tool == nil || m.Tool.Error != "not decided in time" {
		t.Errorf("%s %s", decide.PlainJSON(m.Answer), decide.PlainJSON(m.Tool))
	}
}

// In a fork an open question goes on under another name.
func TestAnswerInAFork(t *testing.T) {
	b := newBench()
	b.asked(1)
	was := lastShown(t, b).RequestID
	b.s.state.Owner, b.s.state.CreatedMS = "", 0 // as a fork begins
	must(b.do(clew.Command{By: by("ann"), Data: &decide.CreateCommand{Owner: "ann", Forked: &clew.ForkPoint{SessionID: "parent"}}}))
	if m := lastShown(t, b); m.RequestID == was || m.Answer != nil || m.IsAnswered {
		t.Errorf("%s", decide.PlainJSON(m))
	}
	must(b.ann(&clew.AskResponseData{AskResponse: clew.NoButtonClicked}))
	if m := lastShown(t, b); m.Answer == nil || m.Answer.Action != clew.ResolvedReject {
		t.Errorf("%s", decide.PlainJSON(m))
	}
}

// What came of a call long after its page is read, too, but not from where the
// journal is none of the page's any more.
func TestOutcomesComeLate(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.answer(2))
	b.startShown(b.pick(0), clew.ClassOnce)
	end := b.head.Seq + 1
	for range 3000 {
		must(b.ann(&clew.RenameSessionData{Title: string(clew.MessageIDOf(b.head.Seq))}))
	}
	b.done(b.pick(0), "")
	tr := view.NewPager(b.s.state, &tape{b: b})
	list, err := tr.Fold(context.Background(), 1, end)
	if err != nil {
		t.Fatal(err)
	}
	if m := list[len(list)-1]; m.Tool == nil || m.Tool.Status != clew.ToolComplete {
		t.Errorf("%s", decide.PlainJSON(m))
	}
	tr.Last = end + 100
	list, err = tr.Fold(context.Background(), 1, end)
	if m := list[len(list)-1]; err != nil || m.Tool == nil || m.Tool.Status != clew.ToolRunning {
		t.Errorf("%s, %v", decide.PlainJSON(m), err)
	}
}
