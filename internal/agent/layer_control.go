package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/settings"
)

// layerInput is the input of all the layers' tools.
type layerInput struct {
	Domain      string        `json:"domain"`
	Category    string        `json:"category"`
	Confidence  float64       `json:"confidence"`
	Entities    []clew.Entity `json:"entities"`
	Ambiguity   string        `json:"ambiguity"`
	Question    string        `json:"question"`
	Suggestions []string      `json:"suggestions"`

	Message     string      `json:"message"`
	Todos       []clew.Todo `json:"todos"`
	Recoverable bool        `json:"recoverable"`

	Percentage     int    `json:"percentage"`
	Step           string `json:"step"`
	ItemsProcessed int    `json:"items_processed"`
	ItemsTotal     int    `json:"items_total"`

	Text        string              `json:"text"`
	Summary     string              `json:"summary"`
	Format      clew.ResponseFormat `json:"format"`
	NextActions []string            `json:"next_actions"`
	Attachments []attachmentInput   `json:"attachments"`

	Result string         `json:"result"`
	Data   map[string]any `json:"data"`
}

// schemas are the layers' tools' schemas, compiled on first use.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{}
	for name, spec := range layerTools {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Schema))
		if err != nil {
			panic(err) // written above, and tests read them all
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			panic(err)
		}
		all[name] = c.MustCompile(name)
	}
	return all
})

// layerControl carries out a call of a layer's own tools.
func (w *worker) layerControl(ctx context.Context, v session.View, c core.Call) error {
	in, mended, err := readLayer(c.Tool, c.Input)
	if err != nil {
		return w.wrong(c, err.Error())
	}
	switch c.Tool {
	case toolPlan:
		return w.propose(v, c, in, mended)
	case toolRespond:
		return w.respond(ctx, v, c, in)
	case toolCompletion:
		if ended, err := w.joinTodo(ctx, v, c); ended || err != nil {
			return err
		}
	case toolFailure:
		return ignoreTurnOver(w.desk.FailTodo("ended by its agent", clew.Failure{Code: clew.ExecutionFailed, Message: visible(in.Message), Recoverable: in.Recoverable}))
	}
	_, err = w.desk.Do(layerIntent(v, c, in))
	return ignoreTurnOver(err)
}

// layerIntent is what a call of a layer's own tools comes to.
func layerIntent(v session.View, c core.Call, in layerInput) decide.Intent {
	switch c.Tool {
	case toolUnderstood:
		return decide.EndUnderstanding{
			Call: c, Intent: clew.Intent{Domain: in.Domain, Category: in.Category, Confidence: in.Confidence}, Entities: in.Entities,
		}
	case toolClarify:
		return decide.Clarify{Question: clew.HitlClarificationData{
			Asking: clew.Asking{ToolCallID: c.ID}, OriginalInput: v.Run.Request, Ambiguity: visible(in.Ambiguity), Question: visible(in.Question),
			InputType: clew.InputText, Suggestions: visibles(in.Suggestions), Required: true,
		}}
	case toolProgress:
		return decide.TodoProgress{Call: c, Progress: clew.TodoProgressData{
			ProgressPercentage: in.Percentage, CurrentStep: visible(in.Step), ItemsProcessed: in.ItemsProcessed, ItemsTotal: in.ItemsTotal,
		}}
	case toolCompletion:
		return decide.CompleteTask{Call: c, Text: in.Result, Data: in.Data}
	}
	return nil
}

func visibles(texts []string) []string {
	for i := range texts {
		texts[i] = visible(texts[i])
	}
	return texts
}

// planBytes bounds a plan as JSON. It stands in several events that have to fit
// one record.
const planBytes = 512 << 10

// propose brings a plan before people, once it is one. The model hears of all
// that is wrong with it at once.
func (w *worker) propose(v session.View, c core.Call, in layerInput, mended []string) error {
	for i := range in.Todos { // people agree to what they see
		in.Todos[i].Task = visible(in.Todos[i].Task)
	}
	todos, repairs := plan.NormaliseOver(v.Run.Todos, in.Todos)
	bad := w.checkTodos(todos)
	var err error
	if v.Run.Version > 0 {
		todos, err = plan.Merge(v.Run.Todos, todos, w.values.RunMaxTodos)
	} else {
		err = plan.Check(todos, w.values.RunMaxTodos)
	}
	if err != nil {
		bad = append([]string{clew.AsError(err).Message}, bad...)
	} else if size := sizeOf(todos); size > planBytes {
		bad = append(bad, fmt.Sprintf("the plan has %d bytes, at most %d are allowed: shorten the texts of its steps", size, planBytes))
	}
	if len(bad) > 0 {
		return w.wrong(c, listed(bad))
	}
	message := visible(strings.TrimSpace(in.Message))
	if message == "" {
		message = "Please look at the plan."
	}
	if mended = append(mended, repairs...); len(mended) > 0 {
		slices.Sort(mended)
		w.cfg.Log.Debug("plan was mended", "session", v.Session, "what", slices.Compact(mended))
	}
	_, err = w.desk.Do(decide.ProposePlan{Call: c, Todos: todos, Message: message})
	return ignoreTurnOver(err)
}

func sizeOf(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return math.MaxInt
	}
	return len(b)
}

// checkTodos lists what is wrong with the todos beside their graph: tools, modes
// and profiles that are not there.
func (w *worker) checkTodos(todos []clew.Todo) (bad []string) {
	missing := func(t *clew.Todo, what, name string) {
		bad = append(bad, fmt.Sprintf("step %s names the %s %q, which is not there", clipLine(t.ID, 80), what, clipLine(name, 80)))
	}
	for i := range todos {
		t := &todos[i]
		if t.Tool == "" {
			t.Tool = decide.AnyTool
		}
		if t.Tool != decide.AnyTool && !w.known[t.Tool] {
			missing(t, "tool", t.Tool)
		}
		if _, ok := settings.FindMode(w.modes, t.Mode); t.Mode != "" && !ok {
			missing(t, "mode", t.Mode)
		}
		if _, ok := w.values.Profiles[t.Profile]; t.Profile != "" && !ok {
			missing(t, "profile", t.Profile)
		}
	}
	return bad
}
