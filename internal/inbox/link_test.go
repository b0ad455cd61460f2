package inbox

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// linked gives links to one open question of a session.
func linked() (*world, *Links) {
	w, b := newWorld()
	w.put("ann", "s", 1, &clew.HitlApprovalRequestData{Asking: asking("q", 0), Reason: "may it?"})
	w.put("ann", "other", 1, &clew.HitlApprovalRequestData{Asking: asking("q2", 0), Reason: "and this?"})
	return w, NewLinks(b, []byte("a key of thirty-two bytes, almost"))
}

func tokenOf(t *testing.T, l *Links, c Claim) string {
	t.Helper()
	token, err := l.Token(c)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

var claim = Claim{RequestID: "q", SessionID: "s", User: "bob", ExpMS: start + 1000}

// Covers: RUN-22, RUN-23
func TestLinkAnswersOnce(t *testing.T) {
	w, l := linked()
	token := tokenOf(t, l, claim)
	look, err := l.Look(t.Context(), token)
	if err != nil || look.User != "bob" || look.Title != "Work" || look.Question.RequestID() != "q" {
		t.Fatalf("look %+v, %v", look, err)
	}
	more := Response{Action: "approve", Remember: &clew.Remember{Scope: clew.RememberTask, Pattern: "go test *"}}
	if _, err := l.Answer(t.Context(), token, more); clew.CodeOf(err) != clew.HitlInvalidResponse || len(w.done) != 0 {
		t.Errorf("for more than the one question: %v", err)
	}
	if _, err := l.Answer(t.Context(), token, Response{Action: "approve"}); err != nil {
		t.Fatal(err)
	}
	if cmd := w.done[0]; cmd.By.User != "bob" || cmd.By.Role != clew.RoleApprover {
		t.Errorf("answered as %+v", cmd.By)
	}
	if _, err := l.Answer(t.Context(), token, Response{Action: "approve"}); clew.CodeOf(err) != clew.HitlRequestExpired || len(w.done) != 1 {
		t.Errorf("the second use: %v", err)
	}
	if _, err := l.Look(t.Context(), token); clew.CodeOf(err) != clew.HitlRequestExpired {
		t.Errorf("a look after the answer: %v", err)
	}
}

// No byte of a token can be changed, added or left out, and all refusals look
// the same.
func TestLinkTampering(t *testing.T) {
	w, l := linked()
	token := tokenOf(t, l, claim)
	tries := []string{"", ".", "..", token + ".", "." + token, token + "=", token + "\n", strings.Replace(token, ".", "\n.", 1), token + token, strings.Repeat("A", 5000)}
	for i := range len(token) {
		for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128} {
			b := []byte(token)
			b[i] ^= flip
			tries = append(tries, string(b))
		}
		tries = append(tries, token[:i]+token[i+1:], token[:i]+"A"+token[i:], token[:i])
	}
	_, sum, _ := strings.Cut(token, ".")
	for _, c := range []Claim{
		{"q2", "s", "bob", claim.ExpMS}, {"q", "other", "bob", claim.ExpMS}, {"q", "s", "ann", claim.ExpMS}, {"q", "s", "bob", claim.ExpMS * 2},
	} {
		b, _ := json.Marshal(c)
		tries = append(tries, base64.RawURLEncoding.EncodeToString(b)+"."+sum)
	}
	_, foreign := linked()
	foreign.key = []byte("another server's")
	tries = append(tries, tokenOf(t, foreign, claim))
	for _, try := range tries {
		if try == token {
			continue
		}
		if _, err := l.Answer(t.Context(), try, Response{Action: "approve"}); !errors.Is(err, errLink) {
			t.Fatalf("%q: %v", try, err)
		}
		if _, err := l.Look(t.Context(), try); !errors.Is(err, errLink) {
			t.Fatalf("look with %q: %v", try, err)
		}
	}
	if len(w.done) != 0 {
		t.Error("something was answered")
	}
	if _, err := l.Look(t.Context(), token); err != nil {
		t.Errorf("the real one: %v", err)
	}
}

func TestLinkRefusals(t *testing.T) {
	tests := []struct {
		name   string
		claim  Claim
		change func(*world)
		want   clew.Code
	}{
		{"as it should be", claim, func(*world) {}, ""},
		{"a moment before its end", claim, func(w *world) { w.now = claim.ExpMS - 1 }, ""},
		{"at its end", claim, func(w *world) { w.now = claim.ExpMS }, clew.AuthFailed},
		{"now a viewer", claim, func(w *world) { w.role["bob"] = clew.RoleViewer }, clew.AuthFailed},
		{"no access any more", claim, func(w *world) { delete(w.role, "bob") }, clew.AuthFailed},
		{"the session is gone", Claim{"q", "gone", "bob", claim.ExpMS}, func(*world) {}, clew.AuthFailed},
		{"settled", claim, func(w *world) { w.rows = nil }, clew.HitlRequestExpired},
		{"the owner's", Claim{"q", "s", "ann", claim.ExpMS}, func(*world) {}, ""},
		{"assigned to somebody else", claim, func(w *world) { w.rows["ann"][0].Question.Asking().Assignee = "dan" }, clew.AuthFailed},
		{"assigned to the owner", Claim{"q", "s", "ann", claim.ExpMS}, func(w *world) { w.rows["ann"][0].Question.Asking().Assignee = "dan" }, ""},
		{"assigned", claim, func(w *world) { w.rows["ann"][0].Question.Asking().Assignee = "bob" }, ""},
		{"a question of another session", Claim{"q2", "s", "bob", claim.ExpMS}, func(*world) {}, clew.HitlRequestExpired},
		{"the engine is away", claim, func(w *world) { w.fail = clew.Errorf(clew.Unavailable, "away") }, clew.Unavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, l := linked()
			token := tokenOf(t, l, tt.claim)
			tt.change(w)
			if _, err := l.Answer(t.Context(), token, Response{Action: "approve"}); clew.CodeOf(err) != tt.want {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
