package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/sessiontest"
	"github.com/clew-run/clew/internal/session/view"
)

// parrot answers at once, and has the model hear and say it.
var parrot = agentFunc(func(_ context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		said := func(role clew.Speaker, id clew.MessageID, text string) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: clew.ModelMessage{
				Role: role, MessageID: id, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: text}},
			}})
		}
		answer := clew.Message{
			Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant,
			Text: "re: " + prompt.Text, TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: clew.MainMonitor,
		}
		usage := t.Usage.Add(clew.Usage{TokensIn: 1, TokensOut: 2, CostUSD: 0.5})
		said(clew.SpeakerUser, prompt.MessageID, prompt.Text)
		said(clew.SpeakerAssistant, tx.Say(answer), answer.Text)
		tx.Add(&clew.TaskTokenUsageUpdatedData{TaskRef: t.TaskRef, TokenUsage: usage})
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	})
	return err
})

// trip is a session to travel in.
type trip struct {
	t  testing.TB
	h  *session.Host
	j  *journaltest.MemoryNode
	id clew.SessionID
	n  int
}

func newTrip(t testing.TB, cfg session.Config) *trip {
	j := new(journaltest.Memory).Node("a")
	if cfg.Agent == nil {
		cfg.Agent = parrot
	}
	h := start(t, j, cfg)
	return &trip{t: t, h: h, j: j, id: create(t, h, "s1")}
}

func (x *trip) cmd(data any) clew.Command {
	x.n++
	return clew.Command{By: ann, ClientMessageID: clew.ClientMessageID(fmt.Sprint("c", x.n)), Data: data}
}

func (x *trip) try(data any) (session.Receipt, error) {
	return x.h.Do(x.t.Context(), x.id, x.cmd(data))
}

func (x *trip) do(data any) session.Receipt {
	x.t.Helper()
	r, err := x.try(data)
	if err != nil {
		x.t.Fatalf("%T: %v", data, err)
	}
	return r
}

// say says something and waits for the answer.
func (x *trip) say(text string) {
	x.t.Helper()
	x.do(&clew.UserMessageData{Text: text})
	x.idle()
}

// idle waits until nobody is at work.
func (x *trip) idle() {
	x.t.Helper()
	until(x.t, watch(x.t, x.h, x.id), func(st clew.SessionState) bool { return st.Status == clew.StatusIdle && st.Returning == nil })
}

func until(t testing.TB, w *session.Watch, ok func(clew.SessionState) bool) {
	t.Helper()
	for {
		pos, _ := w.Feed().End()
		st, err := w.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ok(st) {
			return
		}
		n, _, wait, err := w.Feed().Next(pos, make([]*feed.Item, 1))
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			<-wait
		}
	}
}

func (x *trip) state() clew.SessionState { x.t.Helper(); return stateOf(x.t, x.h, x.id) }

func (x *trip) texts() []string {
	x.t.Helper()
	var list []string
	for _, m := range x.state().Messages {
		list = append(list, m.Text)
	}
	return list
}

func (x *trip) wants(texts ...string) {
	x.t.Helper()
	if got := x.texts(); !slices.Equal(got, texts) {
		x.t.Errorf("transcript %q, want %q", got, texts)
	}
	x.same()
}

// same checks that the journal from its first record comes to what is live.
func (x *trip) same() {
	x.t.Helper()
	seq, _ := x.state().LastMessageID.Seq()
	f := fresh(x.t, x.j, x.id, seq)
	kept, err := view.StateAt(x.t.Context(), x.j, x.id, seq)
	if err != nil {
		x.t.Fatal(err)
	}
	if a, b := encoded(x.t, f), encoded(x.t, kept); a != b {
		x.t.Errorf("from the first record\n%s\nfrom a kept fold\n%s", a, b)
	}
	checkFold(x.t, x.j, x.h, x.id)
}

func encoded(t testing.TB, s *core.State) string {
	t.Helper()
	b, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fresh folds records 1 to seq without any help of what is kept.
func fresh(t testing.TB, j session.Journal, id clew.SessionID, seq uint64) *core.State {
	t.Helper()
	f := core.Folder{State: &core.State{ID: id}}
	f.Past = func(to uint64) ([]byte, error) { return fresh(t, j, id, to).Encode() }
	for r, err := range j.Read(t.Context(), id, 1, seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			t.Fatalf("fold: %v", err)
		}
	}
	return f.State
}

func (x *trip) message(i int) clew.Message { x.t.Helper(); return x.state().Messages[i] }

func at(id clew.MessageID) clew.Target { return clew.Target{MessageID: id} }

// Covers: HIS-12, HIS-13, HIS-15, HIS-16, HIS-17, HIS-23, HIS-26, HIS-27, HIS-28, UIC-39, C-13, C-14, C-75, C-76
func TestRewind(t *testing.T) {
	ways := map[string]struct {
		cmd  func(m clew.Message) any
		want []string
	}{
		"by id":          {func(m clew.Message) any { return &clew.RewindData{Target: at(m.MessageID)} }, []string{"a", "re: a"}},
		"by message_ts":  {func(m clew.Message) any { return &clew.RewindData{Target: clew.Target{MessageTS: m.TS}} }, []string{"a", "re: a"}},
		"by ts":          {func(m clew.Message) any { return &clew.RewindData{Target: clew.Target{TS: m.TS}} }, []string{"a", "re: a"}},
		"by index":       {func(clew.Message) any { i := 2; return &clew.RewindData{Target: clew.Target{Index: &i}} }, []string{"a", "re: a"}},
		"target is kept": {func(m clew.Message) any { return &clew.RewindData{Target: at(m.MessageID), KeepTarget: true} }, []string{"a", "re: a", "b"}},
		"deleted":        {func(m clew.Message) any { return &clew.DeleteMessageConfirmData{Target: at(m.MessageID)} }, []string{"a", "re: a"}},
		"edited":         {func(m clew.Message) any { return &clew.EditMessageConfirmData{Target: at(m.MessageID), Text: "B"} }, []string{"a", "re: a", "B", "re: B"}},
		"all cleared":    {func(clew.Message) any { return &clew.ClearMessagesData{} }, nil},
		"after the end":  {func(clew.Message) any { i := 99; return &clew.RewindData{Target: clew.Target{Index: &i}} }, []string{"a", "re: a", "b", "re: b", "c", "re: c"}},
		"behind the last": {func(clew.Message) any {
			i := 5
			return &clew.RewindData{Target: clew.Target{Index: &i}, KeepTarget: true}
		}, []string{"a", "re: a", "b", "re: b", "c", "re: c"}},
		"nothing cleaned": {func(m clew.Message) any { return &clew.RewindData{Target: at(m.MessageID), SkipCleanup: true} }, []string{"a", "re: a"}},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			x := newTrip(t, session.Config{})
			for _, text := range []string{"a", "b", "c"} {
				x.say(text)
			}
			before := x.state()
			r := x.do(way.cmd(x.message(2)))
			x.idle()
			x.wants(way.want...)
			if len(way.want) == 6 && len(r.Records) != 0 {
				t.Errorf("records %v for nothing", r.Records)
			}
			if len(r.Records) > 0 {
				x.do(&clew.UndoRewindData{})
				x.wants("a", "re: a", "b", "re: b", "c", "re: c")
				if after := x.state(); *after.Usage != *before.Usage || !after.CanRedo {
					t.Errorf("usage %+v, was %+v", after.Usage, before.Usage)
				}
				x.do(&clew.RedoRewindData{})
				x.wants(way.want...)
			}
			if way.want != nil { // and the conversation goes on from there
				x.say("d")
				if got := x.texts(); got[len(got)-1] != "re: d" {
					t.Errorf("transcript %q", got)
				}
			}
		})
	}
}

// A rewind to before a summary takes the summary away, and the model hears again
// what it stood for.
//
// Covers: HIS-10, HIS-20, HIS-24
func TestRewindAcrossACondense(t *testing.T) {
	x := newTrip(t, session.Config{Agent: agentFunc(func(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error {
		if prompt.Text == "condense" {
			if err := condenseAll(desk); err != nil {
				return err
			}
		}
		return parrot(ctx, turn, prompt, desk)
	})})
	for _, text := range []string{"a", "condense", "b"} {
		x.say(text)
	}
	x.hears("[summary]", "condense", "re: condense", "b", "re: b")
	x.do(&clew.RewindData{Target: at(x.message(1).MessageID), KeepTarget: true})
	x.wants("a", "re: a")
	x.hears("a", "re: a")
	x.do(&clew.UndoRewindData{})
	x.hears("[summary]", "condense", "re: condense", "b", "re: b")
}

// condenseAll puts a summary in place of what the model has heard so far.
func condenseAll(desk *session.TurnContext) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		tx.Say(clew.Message{
			Type: clew.TypeSay, Say: clew.SayCondenseContext, Role: clew.SpeakerSystem,
			TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: clew.MainMonitor, ContextCondense: &clew.ContextCondense{CondenseID: "A"},
		})
		tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: history.Summary("A", "[summary]", tx.NextTS()), Hides: len(t.History)})
	})
	return err
}

// hears checks what the model would be sent.
func (x *trip) hears(texts ...string) {
	x.t.Helper()
	seq, _ := x.state().LastMessageID.Seq()
	s := fresh(x.t, x.j, x.id, seq)
	var got []string
	for _, m := range history.Effective(s.Focused(clew.MainMonitor).History) {
		got = append(got, m.Content[0].Text)
	}
	if !slices.Equal(got, texts) {
		x.t.Errorf("the model hears %q, want %q", got, texts)
	}
}

// The record tells clients what went, and what they had asked to resume from
// stays a place to resume from.
//
// Covers: C-75
func TestRewindIsRecorded(t *testing.T) {
	x := newTrip(t, session.Config{})
	x.say("a")
	x.say("b")
	b := x.message(2)
	x.do(&clew.RewindData{Target: at(b.MessageID)})
	records := journaled(t, x.j, x.id)
	var d *clew.HistoryRewoundData
	for _, r := range records {
		if ev, _ := clew.DecodeEvent(r.Type, r.Data()); r.Type == clew.EventHistoryRewound {
			d = ev.Data.(*clew.HistoryRewoundData)
		}
	}
	if d == nil || d.FromMessageID != b.MessageID || d.KeepTarget || d.RemovedCount != 2 || len(d.RemovedMessageIDs) != 2 || d.RemovedMessageIDs[0] != b.MessageID {
		t.Fatalf("history_rewound %+v", d)
	}
	w := watch(t, x.h, x.id)
	n := 0
	seq, _ := b.MessageID.Seq()
	for r, err := range w.Read(t.Context(), seq+1, 1<<40) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		_ = r
	}
	if want := len(records) - int(seq); n != want {
		t.Errorf("%d records after one that was taken away, want %d", n, want)
	}
	page, err := w.Messages(t.Context(), 10, 0, "")
	if err != nil || page.Total != 2 || len(page.Messages) != 2 {
		t.Errorf("page %+v, %v", page, err)
	}
}

func TestRewindRefused(t *testing.T) {
	x := newTrip(t, session.Config{})
	x.say("a")
	x.say("b")
	b := x.message(2)
	minus := 7
	for name, data := range map[string]any{
		"unknown":         &clew.RewindData{Target: at("msg_000000999999")},
		"no message":      &clew.RewindData{Target: at(clew.MessageIDOf(1))},
		"unknown ts":      &clew.RewindData{Target: clew.Target{TS: 12345}},
		"nothing to undo": &clew.UndoRewindData{},
		"nothing to redo": &clew.RedoRewindData{},
		"no files kept":   &clew.RewindData{Target: at(b.MessageID), RestoreCheckpoint: true},
		"no checkpoints":  &clew.CheckpointRestoreData{CommitHash: "abc", Mode: clew.RestoreFiles},
		"fork of nothing": &clew.ForkSessionData{MessageID: clew.MessageIDOf(uint64(minus) + 100000)},
	} {
		before := x.state().LastMessageID
		if _, err := x.try(data); err == nil {
			t.Errorf("%s: taken", name)
		}
		if after := x.state().LastMessageID; after != before {
			t.Errorf("%s: refused, and on record", name)
		}
	}
	x.do(&clew.RewindData{Target: at(b.MessageID)})
	if _, err := x.try(&clew.RewindData{Target: at(b.MessageID)}); clew.CodeOf(err) != clew.MessageNotFound {
		t.Errorf("a message that was taken away: %v", err)
	}
}

// Undo and redo are a line of places, as in an editor.
func TestUndoOfUndo(t *testing.T) {
	x := newTrip(t, session.Config{})
	for _, text := range []string{"a", "b", "c"} {
		x.say(text)
	}
	x.do(&clew.RewindData{Target: at(x.message(4).MessageID)}) // c goes
	x.say("d")
	x.do(&clew.RewindData{Target: at(x.message(2).MessageID)}) // b and d go
	x.wants("a", "re: a")
	x.do(&clew.UndoRewindData{})
	x.wants("a", "re: a", "b", "re: b", "d", "re: d")
	x.do(&clew.UndoRewindData{}) // d was said since: it goes too
	x.wants("a", "re: a", "b", "re: b", "c", "re: c")
	x.do(&clew.RedoRewindData{})
	x.wants("a", "re: a", "b", "re: b", "d", "re: d")
	x.do(&clew.RedoRewindData{})
	x.wants("a", "re: a")
	x.do(&clew.UndoRewindData{})
	x.say("e")
	if _, err := x.try(&clew.RedoRewindData{}); err == nil {
		t.Error("done again after somebody went on")
	}
	stop(x.h)
	x.h = start(t, x.j, session.Config{Agent: parrot})
	x.wants("a", "re: a", "b", "re: b", "d", "re: d", "e", "re: e")
}

// A repeat of the command is recognised, whatever it took away.
func TestRewindOnce(t *testing.T) {
	x := newTrip(t, session.Config{})
	x.say("a")
	x.say("b")
	cmd := x.cmd(&clew.RewindData{Target: at(x.message(2).MessageID)})
	first := do(t, x.h, x.id, cmd)
	x.say("c")
	again := do(t, x.h, x.id, cmd)
	if !again.Repeat || !slices.Equal(first.Records, again.Records) {
		t.Errorf("first %+v, again %+v", first, again)
	}
	x.wants("a", "re: a", "c", "re: c")
}

// Rights, title and settings are not part of what happened.
func TestRewindLeavesTheSession(t *testing.T) {
	x := newTrip(t, session.Config{})
	x.say("a")
	m := x.message(0)
	x.do(&clew.RenameSessionData{Title: "new"})
	x.do(&clew.SetAccessData{UserID: "bob", Role: clew.RoleViewer})
	x.do(&clew.RewindData{Target: at(m.MessageID)})
	if st := x.state(); st.Title != "new" || st.Usage != nil {
		t.Errorf("title %q, usage %+v", st.Title, st.Usage)
	}
	if role, err := x.h.Access(t.Context(), x.id, bob); role != clew.RoleViewer {
		t.Errorf("bob is %q, %v", role, err)
	}
}

// An agent at work is stopped first, and what it still reports is not heard.
func TestRewindStopsWork(t *testing.T) {
	begun, late := make(chan struct{}, 1), make(chan error, 1)
	slow := agentFunc(func(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error {
		if prompt.Text != "slow" {
			return parrot(ctx, turn, prompt, desk)
		}
		if err := desk.Begin(); err != nil {
			return err
		}
		if err := desk.Write("half of"); err != nil {
			return err
		}
		begun <- struct{}{}
		<-ctx.Done()
		late <- desk.End()
		return ctx.Err()
	})
	x := newTrip(t, session.Config{Agent: slow})
	x.say("a")
	x.do(&clew.UserMessageData{Text: "slow"})
	<-begun
	x.do(&clew.RewindData{Target: at(x.message(0).MessageID), KeepTarget: true})
	if err := <-late; err == nil {
		t.Error("an agent spoke on after the rewind")
	}
	x.wants("a")
	x.do(&clew.UndoRewindData{})
	if got := x.texts(); !slices.Equal(got, []string{"a", "re: a", "slow", "half of"}) || x.state().Status != clew.StatusIdle {
		t.Errorf("undone: %q, %s", got, x.state().Status)
	}
	x.say("b")
	x.same()
}

// Covers: HIS-27, C-76, UIC-39
func TestRewindPreview(t *testing.T) {
	x := newTrip(t, session.Config{})
	x.say("a")
	x.say("b")
	before := x.state()
	for name, data := range map[string]any{
		"preview": &clew.RewindPreviewData{Target: at(x.message(2).MessageID)},
		"delete":  &clew.DeleteMessageData{Target: at(x.message(2).MessageID)},
		"edit":    &clew.EditMessageData{Target: at(x.message(2).MessageID), Text: "B"},
	} {
		r := x.do(data)
		p, ok := r.Answer.Data.(*clew.RewindPreviewAnswer)
		if !ok || r.Answer.Type != clew.EventRewindPreview || p.Count != 2 || len(p.RemovedMessageIDs) != 2 || p.Usage == nil || p.Usage.CostUSD != 0.5 || len(r.Records) != 0 {
			t.Errorf("%s: %+v", name, r.Answer)
		}
	}
	if after := x.state(); after.LastMessageID != before.LastMessageID {
		t.Error("a preview is on record")
	}
}

// Covers: C-75
func TestFork(t *testing.T) {
	x := newTrip(t, session.Config{})
	for _, text := range []string{"a", "b", "c"} {
		x.say(text)
	}
	r := x.do(&clew.ForkSessionData{MessageID: x.message(4).MessageID, Title: "other way"})
	y := *x
	y.id = r.SessionID
	y.wants("a", "re: a", "b", "re: b")
	y.say("d")
	y.wants("a", "re: a", "b", "re: b", "d", "re: d")
	x.say("e")
	x.wants("a", "re: a", "b", "re: b", "c", "re: c", "e", "re: e")
	if st := y.state(); st.Title != "other way" || st.ForkedFrom == nil || st.ForkedFrom.SessionID != x.id {
		t.Errorf("fork %+v", st.ForkedFrom)
	}
	// It goes back into what it shares, and a fork of the fork works as well.
	y.do(&clew.RewindData{Target: at(y.message(2).MessageID)})
	y.wants("a", "re: a")
	z := y
	z.id = y.do(&clew.ForkSessionData{}).SessionID
	z.say("f")
	z.wants("a", "re: a", "f", "re: f")
	y.do(&clew.UndoRewindData{})
	y.wants("a", "re: a", "b", "re: b", "d", "re: d")
	list, _, err := x.h.List(t.Context(), session.ListQuery{Owner: "ann", Limit: 10})
	if err != nil || len(list) != 3 {
		t.Errorf("list %+v, %v", list, err)
	}
	// Each counts its own, and going back forgets none.
	for _, trip := range []*trip{x, &y, &z} {
		seq, _ := trip.state().LastMessageID.Seq()
		if got, want := fresh(t, x.j, trip.id, seq).Forks, map[clew.SessionID]int{x.id: 1, y.id: 1}[trip.id]; got != want {
			t.Errorf("%s was forked %d times, want %d", trip.id, got, want)
		}
	}
	// What clients of the fork get is about the fork.
	w := watch(t, y.h, y.id)
	for r, err := range w.Read(t.Context(), 1, 1<<40) {
		var env struct {
			Session clew.SessionID `json:"session_id"`
		}
		if err != nil || json.Unmarshal(r.Envelope(), &env) != nil || env.Session != y.id {
			t.Fatalf("record %d of %q, %v", r.Seq, env.Session, err)
		}
		if _, err := clew.DecodeEvent(r.Type, r.Data()); err != nil {
			t.Fatal(err)
		}
	}
	stop(x.h)
	x.h = start(t, x.j, session.Config{Agent: parrot})
	y.h = x.h
	y.wants("a", "re: a", "b", "re: b", "d", "re: d")
}

// A fork has the settings that its parent has now, wherever it begins: what was
// allowed at that point may have been allowed by strangers.
func TestForkTakesTheSettingsOfNow(t *testing.T) {
	x := newTrip(t, session.Config{Agent: steered{parrot}})
	x.do(&clew.UpdateSettingsData{Settings: map[string]any{"write": true, "limit": 1.0}})
	x.say("a")
	x.do(&clew.UpdateSettingsData{Settings: map[string]any{"write": nil, "limit": 2.0}})
	x.say("b")
	y := *x
	y.id = x.do(&clew.ForkSessionData{MessageID: x.message(2).MessageID}).SessionID
	y.wants("a", "re: a")
	seq, _ := y.state().LastMessageID.Seq()
	if got := fresh(t, x.j, y.id, seq).Settings; len(got) != 1 || got["limit"] != 2.0 {
		t.Errorf("the fork's settings are %v", got)
	}
}

// The same command makes the same fork.
func TestForkOnce(t *testing.T) {
	x := newTrip(t, session.Config{})
	x.say("a")
	cmd := x.cmd(&clew.ForkSessionData{})
	first := do(t, x.h, x.id, cmd)
	again := do(t, x.h, x.id, cmd)
	list, _, _ := x.h.List(t.Context(), session.ListQuery{Owner: "ann", Limit: 10})
	if !again.Repeat || again.SessionID != first.SessionID || len(list) != 2 {
		t.Errorf("%d sessions, repeat %v", len(list), again.Repeat)
	}
}

// An open question is open in the fork too, under a name of its own, and is
// answered there without a word in the original.
func TestForkWithQuestion(t *testing.T) {
	asker := agentFunc(func(_ context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
		v, err := desk.View()
		if err != nil {
			return err
		}
		_, err = sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
			if len(v.Task.History) > 0 { // it was answered
				tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
				return
			}
			asking(tx, s, t, prompt)
		})
		return err
	})
	x := newTrip(t, session.Config{Agent: asker})
	x.do(&clew.UserMessageData{Text: "a"})
	w := watch(t, x.h, x.id)
	until(t, w, func(st clew.SessionState) bool { return st.HitlPending != nil })
	y := *x
	y.id = x.do(&clew.ForkSessionData{}).SessionID
	first, second := x.state().HitlPending, y.state().HitlPending
	if first == nil || second == nil || first.RequestID() == second.RequestID() {
		t.Fatalf("asked %v and %v", first, second)
	}
	y.do(&clew.HitlApprovalResponseData{RequestID: second.RequestID(), Action: clew.ChoiceApprove})
	y.idle()
	y.same()
	if st := x.state(); st.HitlPending == nil || st.HitlPending.RequestID() != first.RequestID() {
		t.Errorf("the original's question: %v", st.HitlPending)
	}
}
