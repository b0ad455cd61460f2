package session

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
)

var vectors = flag.Bool("vectors", false, "write the plays of the view `state` anew")

// vectorDir has plays for clients, which client's tests and the SDK's read: each
// line is a change, a piece of text, or the session_state that they have led to.
const vectorDir = "../../sdk/typescript/test/vectors"

// vectorsOf are the lines of one play. session_state is large: not every step
// has one.
type vectorsOf struct {
	lines  []byte
	states int
	every  int // so many states for one that is kept, 6 if it is 0
}

func (v *vectorsOf) add(line any) {
	if m, ok := line.(map[string]any); ok && m["session_state"] != nil {
		if v.states++; v.states%cmp.Or(v.every, 6) != 0 {
			return
		}
	}
	b, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	v.lines = append(append(v.lines, b...), '\n')
}

func (v *vectorsOf) write(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(vectorDir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(vectorDir, name), v.lines, 0o600); err != nil {
		t.Fatal(err)
	}
}

// With -vectors, plays are written for the tests of clients.
func TestStateVectors(t *testing.T) {
	if !*vectors {
		t.Skip("writes files; -vectors does it")
	}
	for seed := range uint64(6) {
		var v vectorsOf
		p := newPilgrims(t, seed)
		a := newAudience(p.bench, t)
		a.vector = v.add
		p.askRun("r1")
		for range 24 {
			p.step()
			p.listen(t)
			a.look()
		}
		v.write(t, fmt.Sprintf("run-%d.jsonl", seed))
	}
	for seed := range uint64(2) {
		desktopVectors(t, seed).write(t, fmt.Sprintf("desktop-%d.jsonl", seed))
	}
	var plays []vectorsOf
	nightly.CheckTimes(t, 6, 100, func(t *rapid.T) {
		var v vectorsOf
		p := newSpectacle(t)
		p.a.vector = v.add
		p.play(t)
		plays = append(plays, v)
	})
	n := 0
	for _, v := range plays {
		if len(v.lines) > 20_000 && n < 10 {
			v.write(t, fmt.Sprintf("talk-%d.jsonl", n))
			n++
		}
	}
}

// desktopVectors is a play with monitors, windows and their agents, notices and apps.
func desktopVectors(t *testing.T, seed uint64) *vectorsOf {
	t.Helper()
	v := &vectorsOf{every: 40}
	p := newThrong(seed)
	p.terse = true
	p.fill()
	a := newAudience(p.bench, t)
	a.vector = v.add
	a.look()
	for range 130 {
		p.step()
		a.look()
	}
	return v
}

// Plays for clients have agents of windows that begin and are released, monitors that
// are added and removed, notices, and apps that are asked.
func TestDesktopVectors(t *testing.T) {
	all := ""
	for seed := range uint64(2) {
		all += string(desktopVectors(t, seed).lines)
	}
	for _, part := range []string{
		`"agent_id":"window-w`, `"status":"assigned"`, `"status":"active"`, `"kind":"window"`, `"kind":"ephemeral"`, `"kind":"task"`, `"notice_id"`, `"app_requests":[{`,
		`"monitor_id":"monitor-3"`, `"del":{"window":`, `"queue":[{`,
	} {
		if !strings.Contains(all, part) {
			t.Errorf("no play has %s", part)
		}
	}
}
