package core

import (
	"encoding/json"
	"fmt"
	"maps"
)

// Encode writes the state as a snapshot, with the fold's version before all else. What
// a forked history has in common with the one it came from is written once.
func (s *State) Encode() ([]byte, error) {
	out := *s
	for id, t := range s.Tasks {
		if n := s.sharedHistory(t); n > 0 {
			if len(out.Tasks) == 0 || out.Tasks[id] == t {
				out.Tasks = maps.Clone(out.Tasks)
			}
			short := *t
			short.History, short.Shared = t.History[n:], n
			out.Tasks[id] = &short
		}
	}
	return json.Marshal(struct {
		Fold int `json:"fold"`
		*State
	}{FoldVersion, &out})
}

// sharedHistory is how many messages a task's history has in common, in memory, with the
// one that it came from.
func (s *State) sharedHistory(t *Task) (n int) {
	from := s.Task(t.ForkedFrom)
	if from == nil {
		return 0
	}
	for n < min(len(t.History), len(from.History)) {
		a, b := t.History[n].Content, from.History[n].Content
		if len(a) == 0 || len(b) == 0 || &a[0] != &b[0] {
			break
		}
		n++
	}
	return n
}

// shareHistories puts together again what Encode wrote once.
func (s *State) shareHistories() error {
	for _, t := range s.SortedTasks() { // the one that a history came from is older
		if t.Shared == 0 {
			continue
		}
		from := s.Task(t.ForkedFrom)
		if from == nil || t.Shared < 0 || t.Shared > len(from.History) {
			return fmt.Errorf("task %s shares %d messages with %q, which has not so many", t.TaskID, t.Shared, t.ForkedFrom)
		}
		t.History = append(from.History[:t.Shared:t.Shared], t.History...)
		t.Shared = 0
	}
	return nil
}
