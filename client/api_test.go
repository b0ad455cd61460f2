package client_test

import (
	"testing"
	"testing/synctest"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func TestAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		api := client.NewAPI("http://clew.test", "token-alice").WithHTTPClient(b.HTTPClient())
		id, err := api.CreateSession(t.Context(), client.NewSession{Title: "first"})
		if err != nil || !id.Valid() {
			t.Fatalf("create: %q %v", id, err)
		}
		r, err := api.Command(t.Context(), id, "c1", clew.CommandUserMessage, hello())
		if err != nil || r.ClientMessageID != "c1" || len(r.Records) != 2 {
			t.Fatalf("command: %+v %v", r, err)
		}
		page, err := api.Messages(t.Context(), id, client.PageOf{Limit: 10})
		if err != nil || page.Total != 2 || page.Messages[1].Text != "hello" {
			t.Fatalf("messages: %+v %v", page, err)
		}
		s, err := api.GetSession(t.Context(), id)
		if err != nil || s.Owner != "alice" || s.LastSeq != 5 || len(s.Raw) == 0 {
			t.Fatalf("session: %+v %v", s, err)
		}
		list, err := api.ListSessions(t.Context(), "", "", 0)
		if err != nil || len(list.Sessions) != 2 {
			t.Fatalf("list: %+v %v", list, err)
		}
	})
}

func TestAPIErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, tc := range []struct {
			token string
			id    clew.SessionID
			want  clew.Code
		}{
			{"", b.id, clew.AuthRequired},
			{"token-bob", b.id, clew.SessionNotFound},
			{"token-alice", "sess_other", clew.SessionNotFound},
		} {
			api := client.NewAPI("http://clew.test/", tc.token).WithHTTPClient(b.HTTPClient())
			if _, err := api.GetSession(t.Context(), tc.id); clew.CodeOf(err) != tc.want {
				t.Errorf("%q at %s: %v, want %s", tc.token, tc.id, err, tc.want)
			}
		}
		b.SetDown(true)
		api := client.NewAPI("http://clew.test", "token-alice").WithHTTPClient(b.HTTPClient())
		if _, err := api.GetSession(t.Context(), b.id); clew.CodeOf(err) != clew.ConnectionFailed {
			t.Errorf("server down: %v", err)
		}
	})
}
