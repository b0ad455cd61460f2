package client_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// A vector is one line of a play: what the server sends, or what session_state
// shows after it.
type vector struct {
	Change *clew.StateChangedData `json:"change"`
	Text   *clew.TextData         `json:"text"`
	State  *clew.SessionState     `json:"session_state"`
}

// Plays that the server's own test has written: a replica that puts entities in
// their places holds what session_state shows.
//
// Covers: WS-026, WS-136, RUN-09
func TestReplicaByVectors(t *testing.T) {
	paths, err := filepath.Glob("../sdk/typescript/test/vectors/*.jsonl")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d plays, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { replay(t, path) })
	}
}

func replay(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var r client.Replica
	compared := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		switch {
		case v.Change != nil:
			if err := r.Apply(v.Change); err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
		case v.Text != nil:
			if !r.Text(v.Text) {
				t.Fatalf("line %d: %+v does not fit", n, v.Text)
			}
		case v.State != nil:
			compared++
			got := r.SessionState(v.State.LastMessageID)
			got.Viewers = v.State.Viewers
			if a, b := asJSON(t, got), asJSON(t, *v.State); a != b {
				t.Fatalf("line %d: the replica has\n%s\nwant\n%s", n, a, b)
			}
		}
	}
	if err := lines.Err(); err != nil || compared == 0 {
		t.Fatalf("%d states compared, %v", compared, err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What does not go on from what is held is not taken in.
func TestReplicaGap(t *testing.T) {
	var r client.Replica
	if r.Apply(&clew.StateChangedData{From: "msg_000000000001", To: "msg_000000000002"}) == nil {
		t.Error("a difference to nothing was taken")
	}
	whole := &clew.StateChangedData{To: "msg_000000000005", Total: 3, Put: clew.StatePut{
		Message: []clew.Message{{MessageID: "msg_000000000004", Text: "héllo"}}, Task: []clew.TaskInfo{{TaskRef: clew.TaskRef{TaskID: "t"}}},
	}}
	if err := r.Apply(whole); err != nil || r.Cursor != "msg_000000000005" || r.Total != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r.Apply(&clew.StateChangedData{From: "msg_000000000004", To: "msg_000000000006"}) == nil {
		t.Error("a difference to the past was taken")
	}
	old := &clew.StateChangedData{From: "msg_000000000005", To: "msg_000000000006", Put: clew.StatePut{Message: []clew.Message{{MessageID: "msg_000000000002"}}}}
	if err := r.Apply(old); err != nil || len(r.Messages) != 1 {
		t.Errorf("a message of a page that nobody asked for: %+v, %v", r.Messages, err)
	}
	if !r.Text(&clew.TextData{MessageID: "msg_000000000004", Offset: 3, Delta: "LLo!"}) || r.Messages[0].Text != "héLLo!" {
		t.Errorf("the text is %q", r.Messages[0].Text)
	}
	if r.Text(&clew.TextData{MessageID: "msg_000000000004", Offset: 30, Delta: "x"}) {
		t.Error("a piece after a gap was taken")
	}
	if !r.Older(&clew.MessagesPage{Messages: clew.List[clew.Message]{{MessageID: "msg_000000000002"}}}) || len(r.Messages) != 2 {
		t.Errorf("with a page: %+v", r.Messages)
	}
}

// Covers: WS-137
func TestReplicaLeavesUnknownTypes(t *testing.T) {
	r := client.Replica{Total: 3}
	ev, err := r.Take(wire.Envelope{Type: "from_the_future"})
	if err != nil || ev.Data != nil || r.Total != 3 {
		t.Errorf("%+v, %v", ev, err)
	}
}
