package e2e

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// passes records the samples of a type and reads them back from the start.
func passes(t *testing.T, srv *inside, agent *scripted, typ clew.EventType) {
	token := srv.Token("alice")
	api := client.NewAPI(srv.URL(), token)
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(t.Context(), client.Options{URL: srv.URL(), Token: token, Session: id, ResumeFrom: client.FromStart})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Send(t.Context(), clew.CommandUserMessage, clew.UserMessageData{Text: string(typ)}); err != nil {
		t.Fatal(err)
	}
	var live []wire.Envelope
	var made int
	var begun, ended uint64
	for env, err := range c.Follow(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		switch env.Type {
		case string(typ):
			if begun > 0 {
				live = append(live, env)
			}
		case string(clew.EventMessageCreated): // the second is the agent's: from then on it records
			if made++; made == 2 {
				begun = env.Seq()
			}
		}
		if env.Type == string(clew.EventMessageUpdated) {
			ended = env.Seq()
			break
		}
	}
	want := agent.samples[typ]
	if len(live) != len(want) {
		t.Fatalf("%d of %d came", len(live), len(want))
	}
	for i, env := range live {
		if !sameJSON(t, env.Data, want[i]) {
			t.Errorf("recorded\n%s\ncame as\n%s", want[i], env.Data)
		}
	}
	n := 0
	err = replay(t.Context(), srv.URL(), token, id, func(_ []byte, env wire.Envelope) error {
		if env.Type == string(typ) && env.Seq() > begun && env.Seq() < ended {
			if n >= len(live) || env.MessageID != live[n].MessageID || env.Timestamp != live[n].Timestamp || !bytes.Equal(env.Data, live[n].Data) {
				t.Errorf("replayed as %s", env.Data)
			}
			n++
		}
		return nil
	})
	if err != nil || n != len(live) {
		t.Errorf("%d of %d were replayed: %v", n, len(live), err)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	ja, _ := json.Marshal(x) // both came from JSON
	jb, _ := json.Marshal(y)
	return bytes.Equal(ja, jb)
}
