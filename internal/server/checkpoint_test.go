package server_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/server"
)

// wait follows a session until a record of a kind comes, and gives its data.
func wait[T any](t *testing.T, c *client.Client, typ clew.EventType) *T {
	t.Helper()
	for env, err := range c.Follow(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if clew.EventType(env.Type) != typ {
			continue
		}
		e, err := clew.DecodeEvent(typ, env.Data)
		if err != nil {
			t.Fatal(err)
		}
		return e.Data.(*T)
	}
	t.Fatalf("no %s came", typ)
	return nil
}

// A session without a workspace has its own below the data directory, and is
// saved there like any other; what is on record survives a collection.
// Covers: CHK-10
func TestCheckpointOfAMessage(t *testing.T) {
	cfg := config(t)
	s, token := start(t, cfg)
	api := client.NewAPI(s.URL(), token)
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(cfg.Data, "workspaces", string(id))
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "a.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(t.Context(), client.Options{URL: s.URL(), Token: token, Session: id, ResumeFrom: client.FromStart})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := api.Command(t.Context(), id, "", clew.CommandUserMessage, clew.UserMessageData{Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	begun := wait[clew.CheckpointInitializedData](t, c, clew.EventCheckpointInitialized)
	saved := wait[clew.CheckpointSavedData](t, c, clew.EventCheckpointSaved)
	if begun.WorkspaceDir != own || begun.BaseHash != saved.ToHash || saved.Files != 1 || saved.MessageID == "" || !saved.SuppressMessage {
		t.Errorf("initialized %+v, saved %+v", begun, saved)
	}
	wait[clew.TaskIdleData](t, c, clew.EventTaskIdle)
	c.Close()
	s.Stop(context.Background())

	got, err := server.CollectCheckpoints(t.Context(), cfg)
	if err != nil || got.Workspaces != 1 || got.Checkpoints != 1 || got.Dropped != 0 {
		t.Errorf("collected %+v, %v", got, err)
	}
	list, err := server.Checkpoints(t.Context(), cfg, string(id))
	if err != nil || len(list) != 1 || len(list[0].Checkpoints) != 1 || list[0].Checkpoints[0].Hash != saved.ToHash || list[0].Bytes == 0 {
		t.Errorf("kept %+v, %v", list, err)
	}
	if others, err := server.Checkpoints(t.Context(), cfg, "another"); err != nil || len(others) != 0 {
		t.Errorf("of another session: %+v, %v", others, err)
	}
}
