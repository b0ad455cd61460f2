package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
)

// traveller answers the questions of the form.
func traveller(q clew.HitlInputRequestData) clew.HitlResolvedData {
	switch q.Field {
	case "city":
		return value("Oslo")
	case "days":
		return value("3")
	case "size":
		return value("m")
	case "insured":
		return value("yes")
	}
	return clew.HitlResolvedData{Action: clew.ResolvedSkip}
}

// kinds are the ways to reach a server that asks: the newer style, and the older
// one over HTTP with a session.
func kinds(t *testing.T) map[string]settings.McpServer {
	return map[string]settings.McpServer{
		"stdio": stdio("plain"), "http": {URL: serve(t, false)}, "stateless": {URL: serve(t, true)},
	}
}

func TestQuestionsOfAServer(t *testing.T) {
	for kind, conf := range kinds(t) {
		t.Run(kind, func(t *testing.T) {
			f := newFixture(t, map[string]settings.McpServer{"peer": conf})
			out := &output{answer: traveller}
			res, err := f.call("form", `{}`, out)
			if err != nil || res.Text != `accept {"city":"Oslo","days":3,"insured":true,"size":"m"}` {
				t.Fatalf("%+v %v", res, err)
			}
			types := ""
			for _, q := range out.asked {
				types += q.Field + ":" + string(q.InputType) + " "
				if !strings.HasPrefix(q.Question, "peer asks: Where to?\n") {
					t.Errorf("question %q", q.Question)
				}
			}
			if types != "city:text days:number size:choice insured:boolean note:text " {
				t.Errorf("asked %s", types)
			}
			if o := out.asked[2].Options; len(o) != 2 || o[1].Label != "Medium" || o[1].Value != "m" {
				t.Errorf("options %+v", o)
			}
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	always := func(r clew.HitlResolvedData) func(clew.HitlInputRequestData) clew.HitlResolvedData {
		return func(clew.HitlInputRequestData) clew.HitlResolvedData { return r }
	}
	f := newFixture(t, one("plain"))
	for name, c := range map[string]struct {
		tool, want string
		answer     func(clew.HitlInputRequestData) clew.HitlResolvedData
		asked      int
	}{
		"rejected":        {"form", "decline null", always(clew.HitlResolvedData{Action: clew.ResolvedReject}), 1},
		"cancelled":       {"form", "cancel null", always(clew.HitlResolvedData{Action: clew.ResolvedCancelled}), 1},
		"skipped":         {"form", "decline null", always(clew.HitlResolvedData{Action: clew.ResolvedSkip}), 1},
		"too late":        {"form", "cancel null", always(clew.HitlResolvedData{Action: clew.ResolvedAnswer, ByTimeout: true}), 1},
		"never fits":      {"form", "cancel null", always(value("x")), maxTries},
		"nobody there":    {"form", "cancel null", nil, 1},
		"confirmed":       {"confirm", "accept null", always(value(true)), 1},
		"not confirmed":   {"confirm", "decline null", always(value("no")), 1},
		"link visited":    {"link", "accept null", always(value(true)), 1},
		"link not opened": {"link", "decline null", always(value(false)), 1},
		"bad form":        {"badform", "decline null", always(value("x")), 0},
		"bad link":        {"badlink", "decline null", always(value(true)), 0},
	} {
		t.Run(name, func(t *testing.T) {
			out := &output{answer: c.answer}
			res, err := f.call(c.tool, `{}`, out)
			if err != nil || res.Text != c.want || len(out.asked) != c.asked {
				t.Errorf("%q after %d questions, %v", res.Text, len(out.asked), err)
			}
			if c.tool == "link" && !strings.Contains(out.asked[0].Question, "https://example.org/login (host: example.org)") {
				t.Errorf("question %q", out.asked[0].Question)
			}
		})
	}
}

func TestSecondTry(t *testing.T) {
	f := newFixture(t, one("plain"))
	tries := 0
	out := &output{answer: func(q clew.HitlInputRequestData) clew.HitlResolvedData {
		if q.Field == "days" {
			if tries++; tries == 1 {
				return value(30)
			}
			if !strings.Contains(q.Question, "does not fit") {
				t.Errorf("question %q", q.Question)
			}
		}
		return traveller(q)
	}}
	if res, err := f.call("form", `{}`, out); err != nil || !strings.HasPrefix(res.Text, "accept") || tries != 2 {
		t.Errorf("%+v %v after %d tries", res, err, tries)
	}
}

// The time that a person takes is not the server's.
func TestClockStandsStillWhileAsking(t *testing.T) {
	f := newFixture(t, one("plain"))
	f.Tools(t.Context())
	f.time.call = time.Minute
	out := &output{}
	out.answer = func(q clew.HitlInputRequestData) clew.HitlResolvedData {
		s := f.server("peer")
		s.mu.Lock()
		defer s.mu.Unlock()
		for c := range s.calls {
			if c.clock.Stop() {
				t.Error("the clock runs while a person is asked")
			}
		}
		return traveller(q)
	}
	if res, err := f.call("form", `{}`, out); err != nil || !strings.HasPrefix(res.Text, "accept") {
		t.Errorf("%+v %v", res, err)
	}
}

// The SDK stumbles over this question; the program does not.
func TestQuestionThatIsMalformed(t *testing.T) {
	f := newFixture(t, map[string]settings.McpServer{"peer": {URL: serve(t, false)}})
	if res, err := f.call("badform", `{}`, &output{answer: traveller}); err == nil && strings.HasPrefix(res.Text, "accept") {
		t.Errorf("%+v %v", res, err)
	}
	if res, err := f.call("echo", `{"text":"hi"}`, nil); err != nil || res.Text != "hi" {
		t.Errorf("after it: %+v %v", res, err)
	}
}

// Two people call an older server at once, and it asks one of them: nobody can
// tell whom, so nobody is asked.
func TestQuestionOfNoSingleCall(t *testing.T) {
	f := newFixture(t, map[string]settings.McpServer{"peer": {URL: serve(t, false)}})
	hang := prepare(t, f.tool("mcp__peer__hang"), `{}`)
	ctx, cancel := context.WithCancel(t.Context())
	other, done := &output{}, make(chan struct{})
	go func() {
		defer close(done)
		_, _ = hang.Run(ctx, other)
	}()
	<-hangBegan
	out := &output{answer: traveller}
	res, err := f.call("form", `{}`, out)
	if err != nil || res.Text != "cancel null" || len(out.asked)+len(other.asked) != 0 {
		t.Errorf("%+v %v", res, err)
	}
	cancel()
	<-done
	<-hangEnded // the server has heard of it
}
