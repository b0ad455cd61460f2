package session

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// give lets users into the session.
func (b *bench) give(access map[clew.UserID]clew.Role) {
	for user, role := range access {
		must(b.ann(&clew.SetAccessData{UserID: user, Role: role}))
	}
}

var someAccess = map[clew.UserID]clew.Role{"bob": clew.RoleApprover, "cy": clew.RoleViewer, "dee": clew.RoleApprover, "eve": clew.RoleOwner}

func TestAssign(t *testing.T) {
	tests := []struct {
		by   clew.Principal
		to   clew.UserID
		code clew.Code
	}{
		{by("ann"), "bob", ""},
		{by("ann"), "ann", ""},
		{by("ann"), "eve", ""},
		{by("eve"), "bob", ""},
		{by("ann"), "cy", clew.SessionInvalidState},
		{by("ann"), "stranger", clew.SessionInvalidState},
		{by("bob"), "bob", clew.Forbidden},
		{by("cy"), "bob", clew.Forbidden},
		{by("stranger"), "bob", clew.Forbidden},
		{clew.Principal{User: "root", Role: clew.RoleAdmin}, "bob", clew.Forbidden},
		{clew.Principal{User: "ann", Role: clew.RoleApprover}, "bob", clew.Forbidden}, // her key may less
	}
	for i, tt := range tests {
		b := newBench()
		b.asked(1)
		b.give(someAccess)
		before := b.s.sessionState().HitlPending
		id := before.RequestID()
		_, types, err := b.do(clew.Command{By: tt.by, Data: &clew.AssignQuestionData{RequestID: id, UserID: tt.to}})
		if clew.CodeOf(err) != tt.code {
			t.Errorf("%d: %v", i, err)
		}
		if tt.code != "" {
			if len(types) != 0 || b.open().Assignee != "" {
				t.Errorf("%d: refused, and %v", i, types)
			}
			continue
		}
		d := last[clew.HitlAssignedData](b, 1)[0]
		if d.RequestID != id || d.Assignee != tt.to || d.AssignedBy != tt.by.User || d.TaskID == "" || b.open().Assignee != tt.to {
			t.Errorf("%d: assigned %+v", i, d)
		}
		if before.Asking().Assignee != "" {
			t.Errorf("%d: what a client holds was changed", i)
		}
		if _, types, err := b.ann(&clew.AssignQuestionData{RequestID: id, UserID: tt.to}); err != nil || len(types) != 0 {
			t.Errorf("%d: twice gives %v, %v", i, types, err)
		}
		must(b.ann(&clew.AssignQuestionData{RequestID: id}))
		if b.open().Assignee != "" {
			t.Errorf("%d: still %s's", i, b.open().Assignee)
		}
		b.verify(t)
		b.check(t)
	}
}

// Every kind of question keeps its data when it is assigned.
func TestAssignKeepsTheRest(t *testing.T) {
	for _, k := range kinds {
		b := newBench()
		k.to(b)
		b.give(someAccess)
		before, _ := clew.MarshalData(b.s.state.Questions[0].Data)
		must(b.ann(&clew.AssignQuestionData{RequestID: b.open().RequestID, UserID: "bob"}))
		after, _ := clew.MarshalData(b.s.state.Questions[0].Data)
		if want := strings.Replace(string(after), `"assignee":"bob",`, "", 1); want != string(before) || want == string(after) {
			t.Errorf("%s: %s became %s", k.name, before, after)
		}
		if _, _, err := b.do(clew.Command{By: by("dee"), Data: k.fitting}); clew.CodeOf(err) != clew.Forbidden {
			t.Errorf("%s: somebody else answers: %v", k.name, err)
		}
		must(b.do(clew.Command{By: by("bob"), Data: k.fitting}))
		b.check(t)
	}
}

func TestWhoMayAnswer(t *testing.T) {
	admin := clew.Principal{User: "root", Role: clew.RoleAdmin}
	annWatches := clew.Principal{User: "ann", Role: clew.RoleViewer}
	tests := []struct {
		by       clew.Principal
		assignee clew.UserID
		ok       bool
	}{
		{by("ann"), "", true},
		{by("bob"), "", true},
		{by("eve"), "", true},
		{by("cy"), "", false},
		{by("stranger"), "", false},
		{admin, "", false},
		{annWatches, "", false},
		{clew.Principal{User: "ann", Role: clew.RoleApprover}, "bob", true},
		{by("ann"), "bob", true},
		{by("bob"), "bob", true},
		{by("dee"), "bob", false},
		{by("eve"), "bob", false},
		{by("bob"), "ann", false},
		{clew.Principal{User: "bob", Role: clew.RoleViewer}, "bob", false},
	}
	for i, tt := range tests {
		for _, data := range []any{
			&clew.HitlApprovalResponseData{Action: clew.ChoiceApprove},
			&clew.AskResponseData{AskResponse: clew.NoButtonClicked},
			&clew.UserMessageData{Text: "well"},
		} {
			b := newBench()
			b.asked(1)
			b.give(someAccess)
			must(b.ann(&clew.AssignQuestionData{RequestID: b.open().RequestID, UserID: tt.assignee}))
			_, types, err := b.do(clew.Command{By: tt.by, Data: data})
			if tt.ok != (err == nil) || !tt.ok && (clew.CodeOf(err) != clew.Forbidden || len(types) != 0) {
				t.Errorf("%d: %T gives %v, %v", i, data, types, err)
			}
			b.verify(t)
		}
	}
}
