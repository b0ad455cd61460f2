package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// asks has a task ask a model, so many days after the first of January.
func asks(s *State, id clew.TaskID, days int, model string, u clew.Usage) {
	t := s.Task(id)
	if t == nil {
		t = &Task{TaskRef: clew.TaskRef{TaskID: id, RootTaskID: "main"}}
		if s.Tasks == nil {
			s.Tasks = map[clew.TaskID]*Task{}
		}
		s.Tasks[id] = t
	}
	r := clew.Record{Seq: s.Seq + 1, TS: time.Date(2026, 1, 1+days, 23, 59, 0, 0, time.UTC).UnixMilli()}
	Apply(s, r, &clew.MessageCreatedData{Message: clew.Message{
		MessageID: clew.MessageIDOf(r.Seq), Type: clew.TypeSay, Say: clew.SayAPIReqStarted, TaskID: id, Metadata: map[string]any{"provider": "echo", "model": model},
	}})
	r.Seq++
	Apply(s, r, &clew.TaskTokenUsageUpdatedData{TaskRef: t.TaskRef, TokenUsage: t.Usage.Add(u)})
}

// What was paid for is kept by day and model, with that of subtasks.
func TestSpent(t *testing.T) {
	s := &State{ID: "s"}
	asks(s, "main", 0, "big", clew.Usage{TokensIn: 10, TokensOut: 2, CostUSD: 0.1})
	asks(s, "main", 0, "big", clew.Usage{TokensIn: 5, CacheReads: 3, CostUSD: 0.2})
	shown := s.Summary().Spent
	asks(s, "sub", 0, "big", clew.Usage{TokensOut: 1, CostUSD: 0.4})
	asks(s, "main", 1, "small", clew.Usage{CacheWrites: 4})
	asks(s, "main", 1, "", clew.Usage{TokensIn: 1})
	want := []Spent{
		{Day: "2026-01-01", Model: "big", Calls: 3, TokensIn: 15, TokensOut: 3, CacheReads: 3, CostUSD: 0.7},
		{Day: "2026-01-02", Model: "small", Calls: 1, CacheWrites: 4},
		{Day: "2026-01-02", Model: "echo", Calls: 1, TokensIn: 1},
	}
	if !reflect.DeepEqual(s.Summary().Paid(), want) {
		t.Errorf("got  %+v\nwant %+v", s.Summary().Paid(), want)
	}
	if shown[0].Calls != 2 {
		t.Errorf("a line that is being written was changed: %+v", shown)
	}
}

// A rewind takes nothing of it back: it was paid for. A fork, and a session that was
// brought in, pay for what they do themselves.
func TestSpentOfAnotherPast(t *testing.T) {
	s := &State{ID: "s"}
	asks(s, "main", 0, "big", clew.Usage{CostUSD: 1})
	stored, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	asks(s, "main", 1, "big", clew.Usage{CostUSD: 2})
	if s.Pending, err = DecodeState("s", stored); err != nil {
		t.Fatal(err)
	}
	Apply(s, clew.Record{Seq: s.Seq + 1, TS: s.TS}, &clew.HistoryRewoundData{})
	asks(s, "main", 2, "big", clew.Usage{CostUSD: 4})
	sum := 0.0
	for _, p := range s.Summary().Paid() {
		sum += p.CostUSD
	}
	if s.Usage.CostUSD != 5 || sum != 7 {
		t.Errorf("the session counts %v, which is 5, and paid for %v, which is 7", s.Usage.CostUSD, sum)
	}
	for _, data := range []any{&clew.SessionCreatedData{Owner: "ada", ForkedFrom: &clew.ForkPoint{}}, &clew.SessionImportedData{Owner: "ada"}} {
		Apply(s, clew.Record{Seq: s.Seq + 1, TS: s.TS}, data)
		if paid := s.Summary().Paid(); len(paid) != 0 {
			t.Errorf("%T: what others paid for counts: %+v", data, paid)
		}
		asks(s, "main", 3, "big", clew.Usage{CostUSD: 8})
		if paid := s.Summary().Paid(); len(paid) != 1 || paid[0].CostUSD != 8 {
			t.Errorf("%T: own calls: %+v", data, paid)
		}
	}
}

// However many days and models there are, the list stays short and its sum right.
func TestSpentIsBounded(t *testing.T) {
	s := &State{ID: "s"}
	for n := range 500 {
		asks(s, "main", n, fmt.Sprint("model-", n%30), clew.Usage{TokensIn: 1})
	}
	calls, models := 0, map[string]bool{}
	for _, p := range s.Spent {
		calls += p.Calls
		if p.Day == "" {
			models[p.Model] = true
		}
	}
	newest := s.Spent
	for i := len(newest) - 1; newest[len(newest)-1].Day == ""; i-- {
		newest = newest[:i]
	}
	if len(s.Spent) != spentMax || calls != 500 || len(models) != earlierMax+1 || newest[len(newest)-1].Day != "2027-05-15" {
		t.Errorf("%d rows, %d calls, %d models of earlier days, the newest day %s", len(s.Spent), calls, len(models), newest[len(newest)-1].Day)
	}
}

// A line that an older version wrote has sums alone; one of a session that paid for
// nothing says so, through the store and back.
func TestPaidOfOlderLines(t *testing.T) {
	old := Summary{UpdatedMS: time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC).UnixMilli(), TokensIn: 3, TokensOut: 4, CostUSD: 0.5}
	if want := []Spent{{Day: "2026-03-04", TokensIn: 3, TokensOut: 4, CostUSD: 0.5}}; !reflect.DeepEqual(old.Paid(), want) {
		t.Errorf("%+v", old.Paid())
	}
	fork := (&State{ID: "s", Usage: clew.Usage{TokensIn: 9}}).Summary()
	stored, err := json.Marshal(fork)
	if err != nil {
		t.Fatal(err)
	}
	var again Summary
	if err := json.Unmarshal(stored, &again); err != nil || len(again.Paid()) != 0 {
		t.Errorf("%v: %+v from %s", err, again.Paid(), stored)
	}
}
