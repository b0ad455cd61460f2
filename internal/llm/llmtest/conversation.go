package llmtest

import (
	"fmt"
	"strings"
)

// A conversation counts what one caller used of the script. The server's lock
// guards it.
type conversation struct {
	calls int
	used  []int // per step
	// turn is the highest turn seen. A request that is back at turn 1 after that
	// begins the conversation anew: somebody rewound it, or plays it again.
	turn int
	led  map[string]bool // calls, and whether a thought under seal came right before
}

func newConversation(steps int) *conversation {
	return &conversation{used: make([]int, steps), led: map[string]bool{}}
}

// enter counts a request in.
func (c *conversation) enter(r *Request) {
	turn := r.Turn()
	if turn == 1 && c.turn > 1 {
		*c = *newConversation(len(c.used))
	}
	c.turn = max(c.turn, turn)
	c.calls++
	r.Call = c.calls
}

// pick gives the first step that fits and is not used up, and uses it. If there
// is none, why says for each step what stood in the way.
func (c *conversation) pick(script *Script, r *Request) (step *Step, caught []string, why string) {
	var reasons []string
	for i := range script.Steps {
		s := &script.Steps[i]
		if s.Times != 0 && c.used[i] >= s.Times {
			reasons = append(reasons, fmt.Sprintf("step %s is used up", s))
			continue
		}
		caught, miss := s.When.match(r)
		if miss == "" {
			c.used[i]++
			r.Step = i + 1
			return s, caught, ""
		}
		reasons = append(reasons, fmt.Sprintf("step %s: %s", s, miss))
	}
	return nil, nil, fmt.Sprintf("no step of the script matches %s; %s", r.describe(), strings.Join(reasons, "; "))
}
