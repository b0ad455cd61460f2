package travelcrash

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A journey is one way to take a session elsewhere.
type journey struct {
	name string
	// ready takes the session to where the journey begins, once; begin does what
	// cannot be kept on disk, each time.
	ready, begin func(*stage)
	command      func(*stage) (clew.CommandType, any)
	// end is the record that says that it is done.
	end clew.EventType
	// back is the command that takes it back; nil if there is none.
	back func(*stage, trip) (clew.CommandType, any)
	// loose says that where it begins looks otherwise after a crash: a turn that
	// was under way goes on in its own way.
	loose bool
	fork  bool
}

func undo(*stage, trip) (clew.CommandType, any) {
	return clew.CommandUndoRewind, clew.UndoRewindData{}
}

func redo(*stage, trip) (clew.CommandType, any) {
	return clew.CommandRedoRewind, clew.RedoRewindData{}
}

// rewindTo takes the session back to before something that was said.
func rewindTo(text string) func(*stage) (clew.CommandType, any) {
	return func(s *stage) (clew.CommandType, any) {
		return clew.CommandRewind, clew.RewindData{Target: clew.Target{MessageID: s.said[text]}, RestoreCheckpoint: true}
	}
}

// byHand changes files that no checkpoint has yet.
func byHand(s *stage) { s.files(map[string]string{"by hand": "not yet saved", "change": "by hand"}) }

func aside(s *stage) string { return filepath.Join(s.dir, "live", "aside") }

var journeys = []journey{
	{name: "rewind", ready: byHand, command: rewindTo("Add pears"), end: clew.EventHistoryRewound, back: undo},
	// One rename is all it takes, which has a shorter way.
	{name: "rewind of one file", command: rewindTo("Add plums"), end: clew.EventHistoryRewound, back: undo},
	{
		name: "undo", end: clew.EventRewindUndone, back: redo,
		ready: func(s *stage) {
			s.do(rewindTo("Add pears")(s))
			byHand(s)
		},
		command: func(s *stage) (clew.CommandType, any) { return undo(s, trip{}) },
	},
	{
		name: "redo", end: clew.EventHistoryRewound, back: undo,
		ready: func(s *stage) {
			s.do(rewindTo("Add pears")(s))
			s.do(undo(s, trip{}))
		},
		command: func(s *stage) (clew.CommandType, any) { return redo(s, trip{}) },
	},
	{
		name: "restore", end: clew.EventCheckpointRestored,
		command: func(s *stage) (clew.CommandType, any) {
			return clew.CommandCheckpointRestore, clew.CheckpointRestoreData{CommitHash: s.firstCheckpoint(), Mode: clew.RestoreFiles}
		},
		back: func(s *stage, t trip) (clew.CommandType, any) {
			return clew.CommandCheckpointRestore, clew.CheckpointRestoreData{CommitHash: t.before.checkpoint, Mode: clew.RestoreFiles}
		},
		ready: func(s *stage) { s.do(clew.CommandCheckpointSave, clew.CheckpointSaveData{Message: "before"}) },
	},
	{
		name: "fork", end: clew.EventSessionForked, fork: true,
		ready: func(s *stage) { s.must(os.Mkdir(aside(s), 0o700)) },
		command: func(s *stage) (clew.CommandType, any) {
			return clew.CommandForkSession, clew.ForkSessionData{MessageID: s.said["Add pears"], Workspace: aside(s), Title: "Aside"}
		},
	},
	{
		name: "rewind of a running turn", command: rewindTo("Add pears"), end: clew.EventHistoryRewound, back: undo, loose: true,
		begin: func(s *stage) {
			r, err := s.send("", clew.CommandUserMessage, clew.UserMessageData{Text: "Think it over"})
			s.must(err)
			s.said["Think it over"] = r.Records[0]
			s.await(sessionID, func(sc scene) bool { return len(sc.state.OpenMessages) > 0 })
		},
	},
	{
		name: "edit", end: clew.EventHistoryRewound, back: undo,
		command: func(s *stage) (clew.CommandType, any) {
			return clew.CommandEditMessageConfirm, clew.EditMessageConfirmData{
				Target: clew.Target{MessageID: s.said["Add pears"]}, Text: "Add plums", RestoreCheckpoint: true,
			}
		},
	},
}

// do sends a command that has to succeed.
func (s *stage) do(typ clew.CommandType, data any) {
	s.T.Helper()
	if _, err := s.send("", typ, data); err != nil {
		s.T.Fatalf("%s: %v", typ, err)
	}
	s.settled(sessionID)
}

func (s *stage) firstCheckpoint() string {
	s.T.Helper()
	sc, err := s.look(sessionID)
	s.must(err)
	for _, e := range sc.records {
		if d, ok := e.Data.(*clew.CheckpointSavedData); ok {
			return d.ToHash
		}
	}
	s.T.Fatal("there is no checkpoint")
	return ""
}

// prepared is a stage where a journey can begin: three turns, between which
// files of all kinds changed in all ways.
func prepared(t testing.TB, bin string, j journey) *stage {
	t.Helper()
	s := newStage(t, bin, nil)
	s.files(map[string]string{
		"keep": "same", "change": "one", "gone/deep/x": "one", "gone/y": "one", "kind": "a file", "kind2/in": "one", "link": "->one", "ro/file": "one",
		"empty/": "", "node_modules/m": "left alone", "gone/node_modules/m": "left alone", ".git/config": "theirs", "b\xff\r\nc": "any bytes\x00\r\n",
	})
	s.chmod("ro", 0o555)
	s.Start()
	_, err := s.API().CreateSession(t.Context(), client.NewSession{SessionID: sessionID, Title: "Shopping", Workspace: s.Work})
	s.must(err)
	s.say("Start a list")
	s.files(map[string]string{"change": "two", "link": "->two", "new/a/b": "two", "x": "two"})
	s.say("Add pears")
	s.chmod("ro", 0o755)
	s.files(map[string]string{
		"gone/deep": "-", "gone/y": "-", "kind": "-", "kind2": "-", "ro/file": "-", "empty/": "-", "x": "-", "b\xff\r\nc": "-",
	})
	s.files(map[string]string{
		"change": "three", "kind/in": "three", "kind2": "a file", "link": "->three", "new/c": "three", "ro/other": "three", ".git/config": "theirs, later",
	})
	s.chmod("ro", 0o500)
	s.chmod("keep", 0o755)
	s.say("Add plums")
	if j.ready != nil {
		j.ready(s)
	}
	s.keep()
	return s
}
