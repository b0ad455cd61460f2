package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// player is a model that plays all layers of a run at once, in the node's own
// process. All it does follows from what it is told, so it does not matter on
// which node it is asked.
type player struct{}

// Stream implements llm.Provider.
func (player) Stream(_ context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Answer, error) {
	var parts []clew.Part
	switch {
	case offers(req, "report_understanding"):
		parts = []clew.Part{use("report_understanding", map[string]any{"domain": "chaos", "category": "random", "confidence": 1})}
	case offers(req, "propose_plan"):
		parts = []clew.Part{use("propose_plan", map[string]any{"todos": proposal(req)})}
	case offers(req, "respond"):
		parts = []clew.Part{use("respond", map[string]any{"text": "All done.", "summary": "done"})}
	default:
		parts = step(req)
	}
	return llm.Answer{Parts: parts, Stop: llm.StopToolUse, Model: "player"}, nil
}

func offers(req llm.Request, name string) bool {
	return slices.ContainsFunc(req.Tools, func(t llm.Tool) bool { return t.Name == name })
}

func use(name string, input any) clew.Part {
	b, err := json.Marshal(input)
	if err != nil {
		panic(err) // it is made of maps and numbers
	}
	return clew.Part{Type: clew.PartToolUse, ToolCallID: "call_" + name, Tool: name, Input: b}
}

// requestText asks for a run with a plan of so many todos.
func requestText(seed uint64, todos int) string { return fmt.Sprintf("chaos %d %d", seed, todos) }

var requestForm = regexp.MustCompile(`chaos (\d+) (\d+)`)

// The kinds of todos, by what their agents do.
const (
	kindPlain    = "plain"    // writes its line and is done, in one answer
	kindTwo      = "two"      // the same in two
	kindFlaky    = "flaky"    // fails once, and can be tried again
	kindBroken   = "broken"   // fails once for good
	kindStubborn = "stubborn" // always fails
	kindAsks     = "asks"     // asks a person first
	kindCostly   = "costly"   // as plain; the plan says that it costs something
	kindProgress = "progress" // says how far it is
)

// proposal makes the plan that the request asks for: a random graph, in which
// every todo depends on a few of those before it.
func proposal(req llm.Request) []map[string]any {
	m := requestForm.FindStringSubmatch(textOf(req.Messages[0]))
	if m == nil {
		return nil
	}
	seed, _ := strconv.ParseUint(m[1], 10, 64) // the form says that they are numbers
	size, _ := strconv.Atoi(m[2])
	random := rand.New(rand.NewPCG(seed, 2))
	window := 5 + random.IntN(100) // how far back dependencies reach
	var todos []map[string]any
	for i := range size {
		kind := kindOf(random)
		todo := map[string]any{"id": name(i), "task": kind + " " + name(i), "priority": random.IntN(10)}
		if kind == kindCostly {
			todo["estimated_cost_usd"] = 0.5
		}
		deps := map[string]bool{}
		for range min(i, random.IntN(4)) {
			deps[name(i-1-random.IntN(min(i, window)))] = true
		}
		list := []string{}
		for id := range deps {
			list = append(list, id)
		}
		slices.Sort(list)
		todo["depends_on"] = list
		todos = append(todos, todo)
	}
	if len(req.Messages) > 4 { // it was asked to change the plan
		todos[0]["priority"] = 99
	}
	return todos
}

func name(i int) string { return fmt.Sprintf("t%03d", i) }

func kindOf(random *rand.Rand) string {
	switch n := random.IntN(100); {
	case n < 4:
		return kindFlaky
	case n < 5:
		return kindBroken
	case n < 6:
		return kindStubborn
	case n < 7:
		return kindAsks
	case n < 8:
		return kindCostly
	case n < 12:
		return kindProgress
	case n < 32:
		return kindTwo
	}
	return kindPlain
}

var stepForm = regexp.MustCompile(`Step (\S+): (\w+)`)

// step plays the agent of a todo.
func step(req llm.Request) []clew.Part {
	brief := textOf(req.Messages[0])
	m := stepForm.FindStringSubmatch(brief)
	if m == nil {
		return []clew.Part{use("attempt_completion", map[string]any{"result": "nothing to do"})}
	}
	done := use("attempt_completion", map[string]any{"result": "done " + m[1]})
	write := func(n int) clew.Part { return use(toolLedger, map[string]any{"step": n}) }
	again := strings.Contains(brief, "The last attempt at this step failed")
	last := textOf(req.Messages[len(req.Messages)-1])
	switch first := len(req.Messages) == 1; {
	case strings.Contains(last, "may not have completed"): // to do it again would be another step
		return []clew.Part{write(2), done}
	case m[2] == kindStubborn, m[2] == kindFlaky && !again, m[2] == kindBroken && !again:
		if first {
			return []clew.Part{write(1)}
		}
		return []clew.Part{use("report_failure", map[string]any{"message": "it is " + m[2], "recoverable": m[2] != kindBroken})}
	case m[2] == kindAsks && first:
		return []clew.Part{use("ask_followup", map[string]any{"question": "May " + m[1] + " go on?"})}
	case m[2] == kindTwo && first:
		return []clew.Part{write(1)}
	case m[2] == kindTwo:
		return []clew.Part{done}
	case m[2] == kindProgress && first:
		return []clew.Part{use("report_progress", map[string]any{"percentage": 50, "step": "half"}), write(1)}
	case m[2] == kindProgress:
		return []clew.Part{done}
	case strings.Contains(last, "written"): // completion was put off
		return []clew.Part{done}
	}
	return []clew.Part{write(1), done}
}

func textOf(m clew.ModelMessage) string {
	var b strings.Builder
	for _, p := range m.Content {
		b.WriteString(p.Text + "\n")
	}
	return b.String()
}
