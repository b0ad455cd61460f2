package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// A server is backed up while it runs, goes on, and is restored from the backup.
// Who had seen what came after is told, and gets what is there; the same number
// then has another record, in another epoch (T2).
func TestRestoreTellsClients(t *testing.T) {
	data := t.TempDir()
	srv := startServer(t, options{dir: data})
	api := client.NewAPI(srv.URL(), srv.ownerToken())
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	rename := func(api *client.API, title string) {
		t.Helper()
		if _, err := api.Command(t.Context(), id, "", clew.CommandRenameSession, clew.RenameSessionData{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	rename(api, "kept")
	place, fresh := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), srv.Path(), args...).CombinedOutput()
		if err != nil {
			t.Fatalf("clew %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	t.Log(run("backup", place, "--data", data, "--check"))
	for i := range 5 {
		rename(api, fmt.Sprint("lost ", i))
	}
	before := followFrom(t, srv, id, url.Values{"resume_from": {"start"}})
	srv.kill()

	t.Log(run("restore", place, "--data", fresh))
	again := startServer(t, options{dir: fresh})
	api = client.NewAPI(again.URL(), again.ownerToken())
	if got, err := api.GetSession(t.Context(), id); err != nil || got.Title != "kept" {
		t.Fatalf("the session is %+v, %v", got, err)
	}
	for i := range 9 { // past where the client was
		rename(api, fmt.Sprint("new ", i))
	}
	after := followFrom(t, again, id, url.Values{"resume_from": {before.last}, "epoch": {before.epoch}})
	if !after.lost || after.epoch == before.epoch || after.title != "new 8" {
		t.Errorf("a client at %s of epoch %s was told: %+v", before.last, before.epoch, after)
	}
	once := followFrom(t, again, id, url.Values{"resume_from": {after.last}, "epoch": {after.epoch}})
	if once.lost {
		t.Errorf("a client of the new epoch was told: %+v", once)
	}
}

// followed is what a connection hears until it is up to date.
type followed struct {
	epoch, last, title string
	lost               bool
}

func followFrom(t *testing.T, srv *proc, id clew.SessionID, at url.Values) (f followed) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ws, err := dialBare(ctx, srv.URL(), srv.ownerToken(), id, at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var env wire.Envelope
		if err := json.Unmarshal(b, &env); err != nil {
			t.Fatal(err)
		}
		var d struct {
			Epoch string    `json:"epoch"`
			Title string    `json:"title"`
			Last  string    `json:"last_message_id"`
			Code  clew.Code `json:"code"`
		}
		if err := json.Unmarshal(env.Data, &d); err != nil {
			t.Fatal(err)
		}
		switch clew.EventType(env.Type) {
		case clew.EventSessionState:
			f.epoch, f.last, f.title = d.Epoch, d.Last, d.Title
		case clew.EventError:
			f.lost = d.Code == clew.CursorLost
		case clew.EventSyncComplete:
			return f
		}
	}
}
