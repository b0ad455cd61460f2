package session

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// foldBefore has what version 13 of the fold made of the records: the last one that
// had one task in focus and one queue for the whole session.
const (
	foldBefore = "testdata/fold/13.jsonl"
	// queueRecords are of a session where much waits.
	queueRecords = "testdata/fold/queue.jsonl"
)

// A foldPoint is a stored fold, and what people were shown of it.
type foldPoint struct {
	Chain int             `json:"chain"` // of the records
	Seq   uint64          `json:"seq"`
	State json.RawMessage `json:"state"`
	Shown json.RawMessage `json:"shown"`
}

// everythingShown is what lists and those who watch are shown of a state.
func everythingShown(t *testing.T, s *core.State) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{"entities": s.Project(), "summary": s.Summary(), "todos": s.FocusedTodos()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What was stored before there were monitors in the state is shown as it was, the
// task in focus and the queue are those of the main monitor, and the stored fold
// itself is not taken for one of today.
func TestFoldOfBefore(t *testing.T) {
	chains := chainsOfBefore(t)
	focused, waiting := 0, 0
	for _, p := range foldPoints(t) {
		var was struct {
			Current clew.TaskID  `json:"current"`
			Queue   []core.Input `json:"queue"`
		}
		if err := json.Unmarshal(p.State, &was); err != nil {
			t.Fatal(err)
		}
		s := foldTo(t, chains[p.Chain], p.Seq)
		m := s.Main()
		if m.Current != was.Current || len(m.Queue) != len(was.Queue) || len(was.Queue) > 0 && !reflect.DeepEqual(m.Queue, was.Queue) {
			t.Errorf("chain %d at %d: the monitor is %+v, in focus was %q, and waiting %+v", p.Chain, p.Seq, m, was.Current, was.Queue)
		}
		if now := everythingShown(t, s); !holds(decodedJSON(t, now), decodedJSON(t, p.Shown)) {
			t.Errorf("chain %d at %d was shown as\n%s\nand is\n%s", p.Chain, p.Seq, p.Shown, now)
		}
		if was.Current != "" {
			focused++
		}
		waiting += len(was.Queue)
	}
	if focused == 0 || waiting == 0 {
		t.Errorf("%d folds have a task in focus, %d messages wait in them", focused, waiting)
	}
}

// chainsOfBefore are the records of the folds. Those that are added to the corpus come
// last.
func chainsOfBefore(t *testing.T) [][]clew.Record {
	t.Helper()
	chains := [][]clew.Record{readRecords(t, queueRecords)}
	for _, c := range readCorpus(t) {
		chains = append(chains, c.chain)
	}
	return chains
}

func foldTo(t *testing.T, chain []clew.Record, seq uint64) *core.State {
	t.Helper()
	b := &bench{records: chain, folds: map[uint64][]byte{}}
	f := core.Folder{State: &core.State{ID: "s"}, Past: b.fresh}
	for _, r := range chain[:seq] {
		if err := f.Add(r); err != nil {
			t.Fatalf("record %d (%s): %v", r.Seq, r.Type, err)
		}
	}
	return f.State
}

func foldPoints(t *testing.T) []foldPoint {
	t.Helper()
	data, err := os.ReadFile(foldBefore)
	if err != nil {
		t.Fatal(err)
	}
	var points []foldPoint
	for line := range bytes.Lines(data) {
		var p foldPoint
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		points = append(points, p)
	}
	return points
}

func decodedJSON(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// holds reports whether a value has all that another one has. Programs after it may
// show more.
func holds(now, was any) bool {
	switch was := was.(type) {
	case map[string]any:
		now, ok := now.(map[string]any)
		return ok && !slices.ContainsFunc(slices.Collect(maps.Keys(was)), func(k string) bool { return !holds(now[k], was[k]) })
	case []any:
		now, ok := now.([]any)
		return ok && slices.EqualFunc(now, was, holds)
	}
	return reflect.DeepEqual(now, was)
}
