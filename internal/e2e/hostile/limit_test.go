package hostile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/wire"
)

// What has no end by itself ends in a question, and what is without measure
// takes no more memory than what is not.
//
// Covers: C-56
func TestLimits(t *testing.T) {
	a := openArena(t, nil)
	for _, at := range []attack{
		loopAttack("loop of calls", in{"auto_approval_max_requests": 10}, clew.AskAutoApprovalMaxReqReached, call{tool: "read_file", input: in{"path": "plain.txt"}}),
		loopAttack("loop of mistakes", in{"mistake_limit": 3}, clew.AskMistakeLimitReached, call{tool: "no_such_tool", input: in{}}),
		loopAttack("loop of steps", in{"max_steps_per_turn": 12}, clew.AskAutoApprovalMaxReqReached, call{tool: "update_todos", input: in{"todos": []any{}}}),
		loopAttack("loop on a budget", in{"budget_tokens": 40_000}, clew.AskAutoApprovalMaxReqReached, call{tool: "read_file", input: in{"path": "plain.txt"}}),
		loopAttack("burst in one answer", in{"auto_approval_max_requests": 5}, clew.AskAutoApprovalMaxReqReached, many(60, call{tool: "read_file", input: in{"path": "plain.txt"}})...),
		subtaskAttack("subtasks for ever", in{"max_steps_per_turn": 8, "mistake_limit": 3}),
		subtaskAttack("subtasks on a budget", in{"budget_tokens": 60_000}),
		thousandsAttack("thousands of calls", 3000, 0), thousandsAttack("hundreds of calls", 900, 450), giantAttack(),
	} {
		t.Run(at.name, func(t *testing.T) { a.launch(t, at) })
	}
}

func many(n int, c call) []call {
	var calls []call
	for range n {
		calls = append(calls, c)
	}
	return calls
}

// loopAttack makes the same calls for ever, until a limit asks.
func loopAttack(name string, settings map[string]any, want clew.Ask, calls ...call) attack {
	return attack{
		name: name, settings: settings, harmless: true,
		prepare: func(a *arena, _ string) { a.models.loop(name, calls...) },
		drive: func(a *arena, r *run, _ string) {
			q := r.awaitQuestion()
			if q.Ask != want || q.Limit == "" {
				a.t.Errorf("the question is %s", q.raw)
			}
			began := 0
			for _, o := range r.outcomes() {
				if o.began {
					began++
				}
			}
			if limit, ok := settings["auto_approval_max_requests"].(int); ok && began > limit {
				a.t.Errorf("%d calls ran before the question", began)
			}
			r.answer(q, clew.ChoiceReject)
			r.finish()
		},
	}
}

// subtaskAttack has every task give its work to another one.
func subtaskAttack(name string, settings map[string]any) attack {
	return attack{
		name: name, settings: settings, harmless: true,
		prepare: func(a *arena, _ string) {
			a.models.loop(name, call{tool: "new_task", input: in{"message": "attack<" + name + "> again"}})
		},
		drive: func(_ *arena, r *run, _ string) {
			r.answer(r.awaitQuestion(), clew.ChoiceReject)
			r.await("end", func(seen []wire.Envelope) bool { // of the subtask that was stopped
				last := seen[len(seen)-1].Type
				return last == string(clew.EventTaskIdle) || last == string(clew.EventTaskAborted)
			})
		},
		check: func(a *arena, r *run, _ string) {
			made := 0
			for _, env := range r.all() {
				if env.Type == string(clew.EventTaskCreated) {
					made++
				}
			}
			if made < 2 || made > 21 {
				a.t.Errorf("%d tasks were made", made)
			}
		},
	}
}

// thousandsAttack calls very many tools in one answer. Above the limit for an
// answer none of them runs.
func thousandsAttack(name string, n, good int) attack {
	calls := many(n/2, call{tool: "read_file", input: in{"path": "plain.txt"}})
	calls = append(calls, many(n-n/2, call{tool: "read_file", input: in{"path": "../outside/secret.txt"}})...)
	return attack{
		name: name, turns: [][]call{calls}, harmless: true,
		check: func(a *arena, r *run, _ string) {
			ran := 0
			for _, o := range r.outcomes() {
				if o.ran {
					ran++
				}
			}
			if ran != good {
				a.t.Errorf("%d of %d calls ran, not %d", ran, n, good)
			}
		},
	}
}

// giantAttack puts 100 MB through commands, files and searches.
func giantAttack() attack {
	const size = 100 << 20
	return attack{
		name: "giant output", harmless: true,
		turns: [][]call{
			{{tool: "execute_command", input: in{"command": "cat lines.txt"}}}, {{tool: "execute_command", input: in{"command": "cat long.txt long.txt"}}},
			{{tool: "execute_command", input: in{"command": "cat /dev/zero", "timeout_sec": 1}}},
			{{tool: "read_file", input: in{"path": "lines.txt"}}, {tool: "read_file", input: in{"path": "long.txt"}}, {tool: "read_file", input: in{"path": "lines.txt", "offset": 2_000_000_000}}},
			{{tool: "search_files", input: in{"pattern": "x", "path": "."}}, {tool: "search_files", input: in{"pattern": "(x+x+)+y", "path": "."}}},
			{{tool: "edit", input: in{"path": "lines.txt", "old": "x", "new": "yy", "replace_all": true}}},
		},
		prepare: func(a *arena, dir string) {
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, "lines.txt"), []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", size/100)), 0o644))
			proc.Must(a.t, os.WriteFile(filepath.Join(dir, "long.txt"), []byte(strings.Repeat("\x1b[31mx", size/6)), 0o644))
			proc.Must(a.t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", a.srv.Pid()), []byte("5"), 0)) // the peak counts from here
		},
		check: func(a *arena, r *run, _ string) {
			peak := memory(a.t, a.srv.Pid(), "VmHWM")
			a.t.Logf("the server's memory: now %d MB, at most %d MB", memory(a.t, a.srv.Pid(), "VmRSS")>>20, peak>>20)
			if peak > 512<<20 {
				a.t.Errorf("the server took %d MB", peak>>20)
			}
			for _, env := range r.all() {
				if len(env.Data) > 2<<20 {
					a.t.Errorf("a %s has %d bytes", env.Type, len(env.Data))
				}
				var d clew.MessageCreatedData
				if json.Unmarshal(env.Data, &d) == nil && strings.ContainsRune(d.Message.Text, 0x1b) && d.Message.Say == clew.SayCommandOutput {
					a.t.Errorf("output with escape codes: %.200q", d.Message.Text)
				}
			}
		},
	}
}

// memory reads a value of /proc/PID/status, in bytes.
func memory(t testing.TB, pid int, key string) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	proc.Must(t, err)
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kb, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			proc.Must(t, err)
			return kb << 10
		}
	}
	t.Fatalf("no %s", key)
	return 0
}
