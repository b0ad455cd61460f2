package session

import (
	"maps"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// What a session has of its owner's terminal is on record and in the stored
// state. A stranger's goes with neither a fork nor an import.
func TestEnvironmentIsOnRecord(t *testing.T) {
	terminal := map[string]string{"PATH": "/home/ann/go/bin:/usr/bin"}
	b := newBench()
	must(b.do(clew.Command{By: by("ann"), Data: &decide.CreateCommand{Owner: "ann", Environment: terminal}}))
	stored, err := b.s.state.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := core.DecodeState(b.s.state.ID, stored)
	if err != nil || !maps.Equal(again.Environment, terminal) || !maps.Equal(again.Project().Session.Environment, terminal) {
		t.Errorf("after a restart: %v, %v", again.Environment, err)
	}
	b.s.state.CreatedMS = 0
	must(b.do(clew.Command{By: by("bob"), Data: &decide.CreateCommand{Owner: "bob", Forked: &clew.ForkPoint{SessionID: "old"}}}))
	if env := b.s.state.Environment; env != nil {
		t.Errorf("bob's fork has %v", env)
	}
	b.s.state.Owner, b.s.state.Environment = "", terminal
	must(b.do(clew.Command{By: by("bob"), Data: &decide.CreateCommand{Owner: "bob", Imported: &clew.SessionImportedData{Owner: "bob", From: "old"}}}))
	if env := b.s.state.Environment; env != nil {
		t.Errorf("what bob brought in has %v", env)
	}
}
