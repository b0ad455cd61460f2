package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// change is a state_changed from one record to another.
func change(from, to int, put string) string {
	return fmt.Sprintf(`{"type":"state_changed","data":{"from":"msg_%012d","to":"msg_%012d","total":1,"put":{%s}}}`, from, to, put)
}

const (
	emptyFrame = `{"type":"state_changed","data":{"to":"msg_000000000002","total":0,"put":{"session":{"title":"A","owner":"ann"}}}}`
	mineFrame  = `"message":[{"message_id":"msg_000000000003","type":"say","say":"user_feedback","role":"user","client_message_id":"mine","task_id":"t"}],"task":[{"task_id":"t","root_task_id":"t","status":"active","state":"running"},{"task_id":"below","root_task_id":"t","parent_task_id":"t","status":"active","state":"running"}]`
)

func spoken(id int, task, say, text string, partial bool) string {
	return fmt.Sprintf(`{"message_id":"msg_%012d","type":"say","say":%q,"role":"assistant","task_id":%q,"text":%q,"partial":%v}`, id, say, task, text, partial)
}

// Whatever comes twice, late or anew over broken connections, Ask yields it once; what is
// not of its own task it does not yield as text.
func TestAskYieldsOnce(t *testing.T) {
	delta := `{"type":"text","data":{"message_id":"msg_000000000004","offset":2,"delta":" there"}}`
	s := &script{frames: [][]string{
		{connectedFrame, emptyFrame, syncFrame, change(2, 3, mineFrame), change(3, 4, `"message":[`+spoken(4, "t", "text", "Hi", true)+`]`), delta},
		{
			connectedFrame, change(4, 5, `"message":[`+spoken(4, "t", "text", "Hi", true)+`,`+spoken(5, "below", "text", "Mine!", false)+`]`), syncFrame, delta,
			change(5, 6, `"message":[`+spoken(4, "t", "text", "Hi there.", false)+`,`+spoken(6, "t", "command_output", "noise", false)+`]`),
			change(6, 7, `"message":[`+spoken(7, "t", "text", "one", true)+`]`),
			change(7, 8, `"message":[`+spoken(7, "t", "text", "two", false)+`]`),
			change(8, 9, `"task":[{"task_id":"below","root_task_id":"t","parent_task_id":"t","status":"completed","state":"idle","outcome":{"status":"done"}}]`),
			change(9, 10, `"task":[{"task_id":"t","root_task_id":"t","status":"active","state":"idle","usage":{"tokens_in":5},"outcome":{"status":"done"}}]`),
		},
	}}
	var got []string
	for ev, err := range client.Ask(t.Context(), asked(t, s), "Hello") {
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case *client.TextEvent:
			got = append(got, fmt.Sprintf("%q %v", ev.Text, ev.Again))
		case *client.ResultEvent:
			got = append(got, fmt.Sprintf("%s %q %d", ev.Outcome.Status, ev.Answer, ev.Usage.TokensIn))
		}
	}
	want := []string{`"Hi" false`, `" there" false`, `"." false`, `"one" false`, `"two" true`, `done "two" 5`}
	if !slices.Equal(got, want) {
		t.Errorf("it yielded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A deadline ends the loop with its own error.
func TestAskTimesOut(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	late := errors.New("late")
	var last error
	for ev, err := range client.Ask(ctx, asked(t, &script{frames: [][]string{{
		connectedFrame, emptyFrame, syncFrame, change(2, 3, mineFrame), change(3, 4, `"message":[`+spoken(4, "t", "text", "Hi", true)+`]`),
	}}}), "Hello") {
		if last = err; ev != nil {
			cancel(late)
		}
	}
	if !errors.Is(last, late) {
		t.Errorf("it ended with %v", last)
	}
}

func asked(t *testing.T, s *script) client.Options {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return client.Options{
		URL: srv.URL, Session: "sess_1", NewID: func() clew.ClientMessageID { return "mine" },
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
}
