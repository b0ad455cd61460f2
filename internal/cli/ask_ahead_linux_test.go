package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
)

// A typist types at the terminal when the prompt is there.
type typist struct {
	bytes.Buffer
	person, tty *os.File
	keys        []string
}

func (p *typist) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "›") && len(p.keys) > 0 {
		if err := p.types(p.keys[0]); err != nil {
			return 0, err
		}
		p.keys = p.keys[1:]
	}
	return p.Buffer.Write(b)
}

// types returns when all has come to where the program reads.
func (p *typist) types(keys string) error {
	if _, err := io.WriteString(p.person, keys); err != nil {
		return err
	}
	for limit := time.Now().Add(time.Minute); ; runtime.Gosched() {
		n, err := unix.IoctlGetInt(int(p.tty.Fd()), unix.TIOCINQ)
		if err != nil || n == len(keys) {
			return err
		}
		if time.Now().After(limit) {
			return fmt.Errorf("%d of %q arrived", n, keys)
		}
	}
}

// clew answer takes nothing that was typed before the question was there, or
// before all that was asked for was shown.
func TestAnswerForgetsWhatWasTypedAhead(t *testing.T) {
	var got client.InboxAnswer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&got)
		_, _ = io.WriteString(w, `{"records":[]}`)
	}))
	defer server.Close()
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	person, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = person.Close(); _ = tty.Close() }()
	said := &typist{person: person, tty: tty, keys: []string{"?\ny\n", "no, not now\n"}}
	if err := said.types("y\n"); err != nil { // before anything was asked
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a := &env.App{IO: env.IO{In: tty, Out: io.Discard, Err: said}}
	c := &env.Rest{Base: base, HTTP: http.DefaultClient}
	it := client.InboxItem{SessionID: "s", Question: clew.Question{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: "req_1"}, Tool: "x", Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
	}}}
	if err := askFor(ctx, a, c, it); err != nil {
		t.Fatal(err)
	}
	if got.Action != clew.ChoiceReject || got.Comment != "not now" || len(said.keys) > 0 {
		t.Errorf("the answer was %+v\n%s", got, said.String())
	}
}
