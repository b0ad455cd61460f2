package session

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// An audience watches the session of a bench in view `state`: somebody who
// always stays, and somebody who leaves and comes back. After each step both
// have to hold what session_state shows.
type audience struct {
	*bench
	t       tester
	tracker *view.Tracker
	state   *core.State // that the tracker is about
	steady  client.Replica
	guest   client.Replica
	away    bool
	sent    map[view.EntityKey]string // each entity as it was sent last
	tally   map[string]int
	vector  func(line any) // nil keeps nothing
}

func newAudience(b *bench, t tester) *audience {
	b.s.open = map[clew.MessageID]*clew.OpenMessage{}
	return &audience{bench: b, t: t, tally: map[string]int{}}
}

// look has everybody hear what happened since, and compares.
func (a *audience) look() {
	a.t.Helper()
	if a.state != a.s.state { // loaded anew: nobody knows what was before
		a.state, a.tracker = a.s.state, view.NewTracker(a.s.state)
		a.comeBack(&a.steady)
		a.away = true
	} else {
		a.hear()
	}
	a.openTexts()
	want := a.want()
	a.same("who stayed", &a.steady, want)
	if !a.away {
		a.same("who came back", &a.guest, want)
	}
	a.compareAll()
	a.tally["steps"]++
}

// hear has the tracker tell what changed.
func (a *audience) hear() {
	a.closeTexts()
	c, err := a.tracker.Step(a.state, a.s.overlay)
	if err != nil {
		a.t.Fatalf("step: %v", err)
	}
	if c == nil {
		return
	}
	if len(c.Reset) > 0 {
		a.tally["resets"]++
	}
	d := a.decode(c)
	a.note(c)
	a.apply("live", &a.steady, d)
	if !a.away {
		a.apply("live", &a.guest, d)
	}
}

func (a *audience) decode(c *view.Change) *clew.StateChangedData {
	a.t.Helper()
	b, _ := c.Data(nil)
	var d clew.StateChangedData
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		a.t.Fatalf("%v in %s", err, b)
	}
	if a.vector != nil {
		a.vector(map[string]any{"change": json.RawMessage(b)})
	}
	return &d
}

func (a *audience) apply(how string, r *client.Replica, d *clew.StateChangedData) {
	a.t.Helper()
	if d.From != "" && d.From != r.Cursor {
		a.t.Fatalf("%s: a change from %s to %s for one at %s", how, d.From, d.To, r.Cursor)
	}
	if err := r.Apply(d); err != nil {
		a.t.Fatalf("%s: %v", how, err)
	}
}

// leave has the guest go, return has it come back with its cursor.
func (a *audience) leave() { a.away = true }

func (a *audience) comesBack() {
	if a.away && a.state == a.s.state {
		a.away = false
		a.comeBack(&a.guest)
	}
}

func (a *audience) comeBack(r *client.Replica) {
	a.t.Helper()
	cursor := uint64(0)
	if r.Cursor != "" {
		cursor = seqOfMessage(a.t, r.Cursor)
	}
	c, err := a.tracker.Since(a.state, cursor, a.s.overlay)
	if err != nil {
		a.t.Fatalf("since %d: %v", cursor, err)
	}
	if c.From == 0 {
		a.tally["whole"]++
	} else {
		a.tally["since"]++
	}
	if r == &a.steady {
		if c.From == 0 {
			a.sent = map[view.EntityKey]string{}
		}
		a.note(c)
		a.apply("whole", r, a.decode(c))
		return
	}
	b, _ := c.Data(nil)
	var d clew.StateChangedData
	if err := json.Unmarshal(b, &d); err != nil {
		a.t.Fatalf("%v in %s", err, b)
	}
	a.apply("since", r, &d)
}

// openTexts notes the texts that grow, as agents do when they begin one, and
// closeTexts streams what was recorded of them.
func (a *audience) openTexts() {
	was := maps.Clone(a.s.open)
	clear(a.s.open)
	for _, m := range a.s.state.Messages.Growing() {
		if o := was[m.MessageID]; o != nil && strings.HasPrefix(o.Text, m.Text) {
			a.s.open[m.MessageID] = o
			continue
		}
		a.s.open[m.MessageID] = &clew.OpenMessage{MessageID: m.MessageID, Text: m.Text, Reasoning: m.Reasoning}
	}
}

func (a *audience) closeTexts() {
	for _, m := range a.s.state.Messages.Growing() {
		o := a.s.open[m.MessageID]
		switch {
		case o == nil, strings.HasPrefix(o.Text, m.Text): // or streamed, and not recorded yet
		case strings.HasPrefix(m.Text, o.Text):
			a.stream(m.MessageID, m.Text[len(o.Text):])
		default:
			o.Text = m.Text
		}
	}
}

// stream sends a piece of a growing text.
func (a *audience) stream(id clew.MessageID, delta string) {
	o := a.s.open[id]
	if o == nil || delta == "" {
		return
	}
	d := &clew.TextData{MessageID: id, Offset: len(o.Text), Delta: delta}
	o.Text += delta
	if a.vector != nil {
		a.vector(map[string]any{"text": d})
	}
	a.tally["texts"]++
	for _, r := range []*client.Replica{&a.steady, &a.guest} {
		if r == &a.guest && a.away {
			continue
		}
		if !r.Text(d) {
			a.t.Fatalf("%+v does not fit", d)
		}
	}
}

// want is session_state, with the texts that grow as they are.
func (a *audience) want() clew.SessionState {
	st := a.s.sessionState()
	for i := range st.Messages {
		if st.Messages[i].Partial {
			a.s.overlay(&st.Messages[i])
		}
	}
	st.OpenMessages, st.Epoch, st.Viewers = nil, "", nil
	return st
}

func (a *audience) same(who string, r *client.Replica, want clew.SessionState) {
	a.t.Helper()
	st := r.SessionState(want.LastMessageID)
	st.Viewers = nil
	got, wanted := decide.PlainJSON(st), decide.PlainJSON(want)
	if got != wanted {
		a.t.Fatalf("%s has\n%s\nwant\n%s", who, got, wanted)
	}
	if a.vector != nil && r == &a.steady {
		a.vector(map[string]any{"session_state": json.RawMessage(wanted)})
	}
	if r.Total != a.s.state.Total {
		a.t.Fatalf("%s counts %d messages, there are %d", who, r.Total, a.s.state.Total)
	}
}

// note keeps entities as they were sent.
func (a *audience) note(c *view.Change) {
	for _, e := range c.Put {
		a.sent[view.EntityKey{Kind: e.Kind, Key: keyOf(a.t, e)}] = string(e.Body)
	}
}

// keyOf reads the key of a written entity.
func keyOf(t tester, e view.Entity) string {
	fields := map[clew.EntityKind]string{
		clew.EntityMessage: "message_id", clew.EntityTask: "task_id", clew.EntityRun: "run_id", clew.EntityQuestion: "request_id",
		clew.EntityWindow: "window_id", clew.EntityNotice: "notice_id", clew.EntityProblem: "message_id", clew.EntitySettled: "request_id",
		clew.EntityNotebook: "notebook_id",
	}
	if view.Single[e.Kind] {
		return ""
	}
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatalf("%v in %s", err, e.Body)
	}
	if e.Kind == clew.EntityTodo {
		return body["of"].(string) + "/" + body["id"].(string) //nolint:forcetypeassert // as todos are
	}
	if e.Kind == clew.EntityCell {
		return body["notebook_id"].(string) + "/" + body["cell_id"].(string) //nolint:forcetypeassert // as cells are
	}
	return body[fields[e.Kind]].(string) //nolint:forcetypeassert // as entities are
}

// compareAll writes the whole state and holds each entity against what was sent
// of it last: a comparison that finds too little shows here.
func (a *audience) compareAll() {
	a.t.Helper()
	a.tracker.Whole = nil
	c, err := a.tracker.All(a.state, func(*clew.Message) {})
	if err != nil {
		a.t.Fatalf("whole: %v", err)
	}
	for _, e := range c.Put {
		key := view.EntityKey{Kind: e.Kind, Key: keyOf(a.t, e)}
		if e.Kind == clew.EntityMessage && bytes.Contains(e.Body, []byte(`"partial":true`)) {
			continue // its text goes by another way
		}
		if a.sent[key] != string(e.Body) {
			a.t.Fatalf("%s %s is\n%s\nsent was\n%s", key.Kind, key.Key, e.Body, a.sent[key])
		}
	}
}
