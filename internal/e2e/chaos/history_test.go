package chaos

import (
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/clew-run/clew"
)

// now is the clock of histories.
func now() int64 { return time.Now().UnixNano() }

// nobody is the value that a question takes at its deadline.
const nobody = "nobody"

// What is done to a question: somebody answers it, its deadline settles it, or
// the record of its outcome is read.
type act struct {
	id   clew.RequestID
	who  string // who answers; nobody for the deadline, "" for a look at the record
	read string // what the look found
}

// outcome is what came of an answer.
type outcome bool

const (
	settled outcome = true
	expired outcome = false
)

// questionModel is a question as promised: open, then settled once. Its state
// is who settled it.
var questionModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		by, a := state.(string), input.(act)
		switch {
		case a.who == "":
			return a.read == by, by
		case output.(outcome) == settled:
			return by == "", a.who
		}
		return by != "", by
	},
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		at := map[clew.RequestID]int{}
		var parts [][]porcupine.Operation
		for _, op := range history {
			id := op.Input.(act).id
			i, ok := at[id]
			if !ok {
				i = len(parts)
				at[id], parts = i, append(parts, nil)
			}
			parts[i] = append(parts[i], op)
		}
		return parts
	},
}

// log is what happened, as those saw it who did it. Safe for concurrent use.
type log struct {
	mu  sync.Mutex
	ops []porcupine.Operation
}

func (l *log) add(client int, a act, out outcome, call, back int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ops = append(l.ops, porcupine.Operation{ClientId: client, Input: a, Output: out, Call: call, Return: back})
}

// check holds the whole history against the model.
func (l *log) check(t testing.TB) {
	t.Helper()
	start := time.Now()
	result := porcupine.CheckOperationsTimeout(questionModel, l.ops, time.Minute)
	if result != porcupine.Ok {
		t.Errorf("the history of %d operations is not that of questions: %s", len(l.ops), result)
	}
	t.Logf("porcupine: %d operations, %s in %s", len(l.ops), result, time.Since(start).Round(time.Millisecond))
}

// The model refuses what must not happen; else its word would be worth nothing.
func TestModelRefuses(t *testing.T) {
	op := func(client int, who, read string, out outcome, call, back int64) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: act{id: "q", who: who, read: read}, Output: out, Call: call, Return: back}
	}
	for name, c := range map[string]struct {
		ops []porcupine.Operation
		ok  bool
	}{
		"one wins":            {[]porcupine.Operation{op(0, "a", "", settled, 0, 10), op(1, "b", "", expired, 0, 10), op(2, "", "a", settled, 20, 30)}, true},
		"both win":            {[]porcupine.Operation{op(0, "a", "", settled, 0, 10), op(1, "b", "", settled, 0, 10)}, false},
		"nobody wins":         {[]porcupine.Operation{op(0, "a", "", expired, 0, 10), op(1, "b", "", expired, 0, 10)}, false},
		"another on record":   {[]porcupine.Operation{op(0, "a", "", settled, 0, 10), op(2, "", "b", settled, 20, 30)}, false},
		"refused too early":   {[]porcupine.Operation{op(0, "a", "", expired, 0, 10), op(1, nobody, "", settled, 20, 30)}, false},
		"refused at the end":  {[]porcupine.Operation{op(0, "a", "", expired, 0, 25), op(1, nobody, "", settled, 20, 30)}, true},
		"won before deadline": {[]porcupine.Operation{op(0, "a", "", settled, 0, 10), op(1, nobody, "", settled, 20, 30)}, false},
	} {
		if got := porcupine.CheckOperations(questionModel, c.ops); got != c.ok {
			t.Errorf("%s: the model says %v", name, got)
		}
	}
}
