package travelcrash

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// A journey that cannot be made fails, wherever the server is killed in it:
// everything is as it was, the records say so, and whoever asks again is told the
// same.
func TestKillWhileItFails(t *testing.T) {
	t.Parallel()
	j := journey{name: "restore of nothing", command: func(*stage) (clew.CommandType, any) {
		return clew.CommandCheckpointRestore, clew.CheckpointRestoreData{CommitHash: strings.Repeat("0", 64), Mode: clew.RestoreFiles}
	}}
	s := prepared(t, proc.Program(t, "crashpoints"), j)
	s.again()
	log := filepath.Join(s.dir, "places")
	s.Start(crashLog + log)
	sc, err := s.look(sessionID)
	s.must(err)
	calm := trip{before: s.picture(sc, ""), records: len(sc.records)}
	before := 0
	if _, err := os.Stat(log); err == nil {
		before = len(placesIn(t, log))
	}
	typ, data := j.command(s)
	_, first := s.send(theName, typ, data)
	if first == nil {
		t.Fatal("there is no such checkpoint")
	}
	begun := 0
	for _, at := range placesIn(t, log)[before:] {
		t.Run(at, func(t *testing.T) {
			s := s.in(t)
			s.depart(j, nil, crashAt+at)
			s.Start()
			a := accountOf(s.settled(sessionID), calm, clew.EventCheckpointRestored)
			if a.done != 0 || a.started != a.failed {
				t.Errorf("the records tell of %+v", a)
			}
			begun += a.started
			_, again := s.send(theName, typ, data)
			if clew.AsError(again).Message != clew.AsError(first).Message {
				t.Errorf("asked for again: %v, the first time %v", again, first)
			}
			sc := s.settled(sessionID)
			if a := accountOf(sc, calm, clew.EventCheckpointRestored); a != (account{started: 1, failed: 1}) {
				t.Errorf("asked for again, the records tell of %+v", a)
			}
			same(t, "it failed", calm.before, s.picture(sc, ""), false)
			s.healthy(t)
		})
	}
	if begun == 0 {
		t.Error("it never began")
	}
}
