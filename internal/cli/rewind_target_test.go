package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
	"github.com/clew-run/clew/internal/term"
)

// The places to go back to fit the terminal; what was said and
// answered has a number that rewind takes.
func TestPrintTargets(t *testing.T) {
	now := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	places := []client.Place{
		{MessageID: "msg_000000000002", TS: now.UnixMilli(), Kind: client.PlaceSaid, Text: "repair it " + strings.Repeat("soon ", 30)},
		{MessageID: "msg_000000000008", TS: now.UnixMilli(), Kind: client.PlaceAnswer, Text: "yes · run: go test"},
		{MessageID: "msg_000000000009", TS: now.UnixMilli(), Kind: client.PlaceSaid}, // a picture
		{MessageID: "msg_000000000010", TS: now.UnixMilli(), Kind: client.PlaceSaid, Text: "go on"},
		{MessageID: "msg_000000000012", TS: now.UnixMilli(), Kind: client.PlaceQuestion, Text: "which one?"},
	}
	var b strings.Builder
	if err := history.PrintTargets(&b, places, 80, now, "clew rewind s1 -1"); err != nil {
		t.Fatal(err)
	}
	want := `  -4  msg_000000000002  12:00        said      repair it soon soon soon soon so…
  -3  msg_000000000008  12:00        answered  yes · run: go test
  -2  msg_000000000009  12:00        said      (a picture)
  -1  msg_000000000010  12:00        said      go on
      msg_000000000012  12:00        asked     which one?
Go back to before one of them, by number or id; what changes is shown first:
  clew rewind s1 -1
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	many := make([]client.Place, 50)
	for i := range many {
		many[i] = client.Place{MessageID: clew.MessageIDOf(uint64(i + 1)), TS: now.UnixMilli(), Kind: client.PlaceSaid, Text: strings.Repeat("가", 80)}
	}
	if err := history.PrintTargets(&b, many, 80, now, "clew rewind"); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.HasPrefix(text, "… 30 older\n -20  msg_000000000031") || !strings.Contains(text, "\n  -1  msg_000000000050") {
		t.Errorf("many:\n%s", text)
	}
	for line := range strings.Lines(b.String()) {
		if term.Width(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("too wide: %q", line)
		}
	}
}

// Numbers from the end count what was said and what was answered, by a button too;
// a question that is open still has none.
func TestNumbersCountAnswers(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/sessions/s1/timeline", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"marks":[
			{"message_id":"msg_000000000002","kind":"user","label":"repair it","target":true},
			{"message_id":"msg_000000000008","kind":"answer","what":"approve","request_id":"req_1","target":true},
			{"message_id":"msg_000000000012","kind":"question","label":"which one?","request_id":"req_2","target":true}]}`)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	c, err := (&env.App{IO: env.IO{Environ: []string{"CLEW_TOKEN=t"}}}).Connect(env.Remote{Server: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]clew.MessageID{"-1": "msg_000000000008", "#-2": "msg_000000000002", "-3": ""} {
		got, err := history.MessageID(t.Context(), c, "s1", name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
