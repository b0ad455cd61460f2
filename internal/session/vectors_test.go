package session

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
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
}

func (v *vectorsOf) add(line any) {
	if m, ok := line.(map[string]any); ok && m["session_state"] != nil {
		if v.states++; v.states%6 != 0 {
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
	fixRapid(t, 7, 100)
	var plays []vectorsOf
	rapid.Check(t, func(t *rapid.T) {
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
