package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// openQuestion is a question as the model knows it: by what it is, who has it in
// their inbox and when it is due.
type openQuestion struct {
	id       clew.RequestID
	shape    int // of shapes
	asked    int64
	deadline int64
	users    []clew.UserID
}

// shapes are the questions that there are, one kind each.
var shapes = []func(clew.Asking) any{
	func(a clew.Asking) any { return &clew.HitlApprovalRequestData{Asking: a, Ask: clew.AskCommand} },
	func(a clew.Asking) any { return &clew.HitlApprovalRequestData{Asking: a, Ask: clew.AskTool} },
	func(a clew.Asking) any {
		return &clew.HitlApprovalRequestData{Asking: a, Ask: clew.AskMistakeLimitReached, Limit: "budget"}
	},
	func(a clew.Asking) any {
		return &clew.HitlPlanReviewData{Asking: a, Options: clew.List[clew.Choice]{}}
	},
	func(a clew.Asking) any { return &clew.HitlInputRequestData{Asking: a, Field: "colour"} },
	func(a clew.Asking) any { return &clew.HitlClarificationData{Asking: a} },
}

const approvals = 3 // the first of them

// responses are answers, with the shapes that each fits.
var responses = []struct {
	r    Response
	fits []int
}{
	{Response{Action: clew.ChoiceApprove}, []int{0, 1, 2, 3}},
	{Response{Action: clew.ChoiceReject, Comment: "no"}, []int{0, 1, 2, 3, 4, 5}},
	{Response{Action: clew.ChoiceSkip}, []int{0, 1, 2}},
	{Response{Value: "teal"}, []int{4, 5}},
	{Response{Action: clew.ChoiceModify, Instruction: "less"}, []int{3}},
	{Response{Action: clew.ChoiceReject, Value: 1}, nil},
	{Response{Action: clew.ChoiceApprove, Instruction: "more"}, nil},
	{Response{}, nil}, // to an input it may mean nothing; see mayFit
}

// people are those who come, and what they may do here.
var people = []struct {
	by      clew.Principal
	answers bool
	reads   bool
}{
	{as("ann", clew.RoleOwner), true, true},
	{as("bob", clew.RoleApprover), true, true},
	{as("bob", clew.RoleViewer), false, false},
	{as("eve", clew.RoleOwner), false, true},
	{as("zoe", clew.RoleOwner), false, true},
}

// inboxModel is what the inboxes must be.
type inboxModel struct {
	w    *world
	b    *Inbox
	open []openQuestion
	n    int
}

// step does what three bytes say, and checks what it came to.
func (m *inboxModel) step(t *testing.T, op, x, y byte) {
	t.Helper()
	switch op % 8 {
	case 0, 1, 2:
		m.ask(x, y)
	case 3, 4:
		m.answer(t, x, y)
	case 5:
		m.batch(t, x, y)
	case 6: // it is settled in the session
		if q, ok := m.question(x); ok {
			m.settle(q.id)
		}
	case 7:
		m.w.now += int64(x) * 10_000
	}
	for _, p := range people {
		m.check(t, p.by, p.reads, 1+int(y%5))
	}
}

func (m *inboxModel) ask(x, y byte) {
	m.n++
	q := openQuestion{
		id: clew.RequestID(fmt.Sprintf("q%d", (m.n*7)%100)), shape: int(x) % len(shapes), asked: start + int64(y%3),
		deadline: []int64{0, start - 1, start + soonMS, start + soonMS + 1, start + 3*soonMS}[int(y/3)%5],
	}
	for i, user := range []clew.UserID{"ann", "bob", "eve", "zoe"} {
		if x/8&(1<<i) != 0 {
			q.users = append(q.users, user)
			m.w.put(user, clew.SessionID("s_"+string(q.id)), q.asked, shapes[q.shape](asking(string(q.id), q.deadline)))
		}
	}
	m.open = append(m.open, q)
}

// question chooses one of the open ones, or one that never was.
func (m *inboxModel) question(x byte) (openQuestion, bool) {
	if i := int(x) % (len(m.open) + 1); i < len(m.open) {
		return m.open[i], true
	}
	return openQuestion{id: "q_never"}, false
}

// settle takes a question out of the model and of the table.
func (m *inboxModel) settle(id clew.RequestID) {
	m.open = slices.DeleteFunc(m.open, func(q openQuestion) bool { return q.id == id })
	_, _ = m.w.Do(context.Background(), clew.SessionID("s_"+string(id)), clew.Command{})
	m.w.done = m.w.done[:len(m.w.done)-1]
}

func (m *inboxModel) answer(t *testing.T, x, y byte) {
	t.Helper()
	q, _ := m.question(x)
	p := people[int(y)%len(people)]
	r := responses[int(y/8)%len(responses)]
	before := len(m.w.done)
	_, err := m.b.Answer(t.Context(), p.by, q.id, r.r)
	has := slices.Contains(q.users, p.by.User)
	switch made := m.w.done[before:]; {
	case err == nil:
		if !has || !p.answers || !slices.Contains(r.fits, q.shape) && !mayFit(r.r, q.shape) {
			t.Fatalf("%+v answered %+v with %+v", p.by, q, r.r)
		}
		m.commands(t, made, p.by, q.id)
		m.settle(q.id)
	case len(made) > 0:
		t.Fatalf("refused and done: %v", err)
	case has && p.answers && slices.Contains(r.fits, q.shape):
		t.Fatalf("%+v may answer %+v with %+v: %v", p.by, q, r.r, err)
	case p.reads && !has && clew.CodeOf(err) != clew.HitlRequestExpired, !p.reads && clew.CodeOf(err) != clew.Forbidden:
		t.Fatalf("%+v, who has it: %v, was refused: %v", p.by, has, err)
	}
}

// mayFit reports whether an empty answer is one.
func mayFit(r Response, shape int) bool { return r.Action == "" && r.Value == nil && shape > approvals }

// commands checks that each of these questions led to one command of its caller.
func (m *inboxModel) commands(t *testing.T, made []clew.Command, by clew.Principal, ids ...clew.RequestID) {
	t.Helper()
	if len(made) != len(ids) {
		t.Fatalf("%d commands for %v", len(made), ids)
	}
	for i, cmd := range made {
		var id clew.RequestID
		switch d := cmd.Data.(type) {
		case *clew.HitlApprovalResponseData:
			id = d.RequestID
		case *clew.HitlPlanResponseData:
			id = d.RequestID
		case *clew.HitlInputResponseData:
			id = d.RequestID
		case *clew.HitlClarificationResponseData:
			id = d.RequestID
		case *clew.AskResponseData:
			id = d.RequestID
		}
		if id != ids[i] || cmd.By != by {
			t.Fatalf("%T of %q for %+v, want %s of %+v", cmd.Data, id, cmd.By, ids[i], by)
		}
	}
}

func (m *inboxModel) batch(t *testing.T, x, y byte) {
	t.Helper()
	p := people[int(y)%len(people)]
	var ids, want []clew.RequestID
	alike, shape := true, -1
	for i := range 1 + int(x%4) {
		q, _ := m.question(x/4 + byte(i)*(y/8))
		if slices.Contains(ids, q.id) {
			ids = append(ids, q.id) // twice counts once
			continue
		}
		ids = append(ids, q.id)
		if !slices.Contains(q.users, p.by.User) {
			continue
		}
		want = append(want, q.id)
		alike = alike && q.shape < approvals && (shape < 0 || shape == q.shape)
		shape = q.shape
	}
	before := len(m.w.done)
	results, err := m.b.Batch(t.Context(), p.by, ids, clew.ChoiceApprove, "")
	made := m.w.done[before:]
	if !p.reads || !alike || !p.answers {
		if len(made) > 0 || !p.reads && clew.CodeOf(err) != clew.Forbidden || p.reads && !alike && clew.CodeOf(err) != clew.HitlInvalidResponse {
			t.Fatalf("%+v: %d commands, %v", p.by, len(made), err)
		}
		return
	}
	m.commands(t, made, p.by, want...)
	for _, r := range results {
		if (r.Error == nil) != slices.Contains(want, r.RequestID) {
			t.Fatalf("%s came to %v", r.RequestID, r.Error)
		}
	}
	for _, id := range want {
		m.settle(id)
	}
}

// check compares a person's inbox, page by page, with the model.
func (m *inboxModel) check(t *testing.T, by clew.Principal, reads bool, limit int) {
	t.Helper()
	var want []openQuestion
	kinds := map[string]int{}
	soon := 0
	for _, q := range m.open {
		if reads && slices.Contains(q.users, by.User) {
			want = append(want, q)
			kinds[KindOf(questionOf(q))]++
			if q.deadline > 0 && q.deadline-m.w.now <= soonMS {
				soon++
			}
		}
	}
	slices.SortFunc(want, func(a, b openQuestion) int {
		last := func(q openQuestion) int64 {
			if q.deadline == 0 {
				return 1 << 62
			}
			return q.deadline
		}
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a.asked, b.asked), cmp.Compare(a.id, b.id))
	})
	for cursor, i := "", 0; ; {
		page, err := m.b.List(t.Context(), by, cursor, limit)
		if err != nil || page.Counts.Total != len(want) || page.Counts.DueSoon != soon || fmt.Sprint(page.Counts.ByKind) != fmt.Sprint(kinds) {
			t.Fatalf("%+v: %+v, %v; want %d, %d soon, %v", by, page.Counts, err, len(want), soon, kinds)
		}
		for _, it := range page.Items {
			if i >= len(want) || it.Question.RequestID() != want[i].id {
				t.Fatalf("%+v: %s is at %d of %v", by, it.Question.RequestID(), i, want)
			}
			i++
		}
		if cursor = page.Next; cursor == "" {
			if i != len(want) {
				t.Fatalf("%+v: %d of %d are listed", by, i, len(want))
			}
			return
		}
	}
}

func questionOf(q openQuestion) clew.Question {
	w := &world{rows: map[clew.UserID][]core.InboxItem{}}
	w.put("x", "s", 0, shapes[q.shape](asking(string(q.id), q.deadline)))
	return w.rows["x"][0].Question
}

// Whatever is asked, answered, settled and listed in whatever order, an inbox is
// what a plain list of open questions says, each answer is one command of who gave
// it, and who may not answer leads to none.
//
// Covers: C-20
func FuzzInbox(f *testing.F) {
	f.Add([]byte("\x00\x08\x00\x00\x18\x01\x03\x00\x00\x03\x00\x01"), "")
	f.Add([]byte("\x00\xf8\x03\x01\xf9\x06\x02\xfb\x09\x00\xfc\x0c\x03\x00\x08\x04\x01\x18\x06\x00\x00\x07\x40\x02"), "x")
	f.Add([]byte("\x00\xf8\x00\x00\xf8\x01\x00\xf8\x05\x05\x03\x08\x05\x07\x09\x05\x0b\x03"), place{Asked: start, Request: "q7"}.cursor())
	f.Fuzz(func(t *testing.T, script []byte, cursor string) {
		w, b := newWorld()
		m := &inboxModel{w: w, b: b}
		for script = script[:min(len(script), 150)]; len(script) >= 3; script = script[3:] {
			m.step(t, script[0], script[1], script[2])
		}
		// A cursor that nobody gave is refused, or is a place like any other.
		page, err := b.List(t.Context(), as("ann", clew.RoleOwner), cursor, 1000)
		if err != nil && clew.CodeOf(err) != clew.InvalidMessage || len(page.Items) > page.Counts.Total {
			t.Fatalf("%d of %d, %v", len(page.Items), page.Counts.Total, err)
		}
	})
}
