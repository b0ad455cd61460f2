package ask

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/term"
)

// A Kind says how a part is to be drawn.
type Kind int

const (
	// Prose is a text of the agent or the server.
	Prose Kind = iota
	// Summary says in a line what would be done. It is shown exactly, as are all
	// kinds below but Fact, Warning, Step and Option.
	Summary
	// Command is what would run.
	Command
	// Change is a unified diff.
	Change
	// Field is something that a tool is called with; Name may be "".
	Field
	// Lines is a field of several lines. A bar in front of each tells them from
	// other fields, whatever they say.
	Lines
	// Place is a fact that has to be shown exactly: a directory, an address.
	Place
	// Variable is one of the environment.
	Variable
	// Fact is a name and a text for people.
	Fact
	// Warning is a fact that nobody should overlook.
	Warning
	// Step is a todo of a plan; Name says what comes before it.
	Step
	// Option is something to choose; Name is its number.
	Option
)

// A Part is something that a person should know before they answer.
type Part struct {
	Kind       Kind
	Name, Text string
}

// Parts are all that a person should know beside the title, in order. What may be
// long comes first.
func Parts(q clew.Question) []Part {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		return approvalParts(d)
	case *clew.HitlPlanReviewData:
		return planParts(d)
	case *clew.HitlInputRequestData:
		parts := options(q)
		if d.DefaultValue != nil {
			parts = append(parts, Part{Fact, "otherwise", fmt.Sprintf("%v is taken", d.DefaultValue)})
		}
		return parts
	case *clew.HitlClarificationData:
		if d.Question == "" { // then the ambiguity is the title
			return options(q)
		}
		return append(texts(Part{Prose, "", d.Ambiguity}), options(q)...)
	}
	return nil
}

func approvalParts(d *clew.HitlApprovalRequestData) []Part {
	e := cmp.Or(d.Effect, &clew.Effect{})
	var parts []Part
	if d.Reason != e.Summary {
		parts = texts(Part{Prose, "", d.Reason})
	}
	kernel := d.Tool == "run_cell" || d.Tool == "kernel" // of which the command is not all
	if e.Command == "" && e.Server == "" || kernel {     // what a tool server is called with is shown whole
		parts = append(parts, texts(Part{Summary, "", e.Summary})...)
	}
	parts = append(parts, Effect(e)...)
	parts = append(parts, Input(d)...)
	if d.Todo != nil {
		parts = append(parts, Part{Fact, "step", d.Todo.Task})
	}
	parts = append(parts, Around(e)...)
	parts = append(parts, risk(e)...)
	parts = append(parts, texts(Part{Fact, "limits", Limits(e.Limits)})...)
	parts = append(parts, texts(Part{Fact, "because", d.Why})...)
	for _, name := range slices.Sorted(maps.Keys(e.Environment)) {
		parts = append(parts, Part{Variable, "env", name + "=" + e.Environment[name]})
	}
	return parts
}

// Effect is what a call does.
func Effect(e *clew.Effect) []Part {
	return texts(Part{Command, "", e.Command}, Part{Change, "", e.Diff})
}

// Around is where a call does it.
func Around(e *clew.Effect) []Part {
	files := strings.Join(e.Paths, ", ")
	if e.Diff != "" { // which names them
		files = ""
	}
	return texts(Part{Place, "in", e.Directory}, Part{Place, "address", e.URL}, Part{Place, "server", e.Server}, Part{Place, "files", files})
}

// Input is what a tool is called with, as far as its effect does not show it.
func Input(d *clew.HitlApprovalRequestData) []Part {
	var parts []Part
	for _, f := range client.AskedInput(d) {
		kind := Field
		if f.Lines {
			kind = Lines
		}
		parts = append(parts, Part{kind, term.ExactLine(f.Name), f.Text})
	}
	if len(parts) == 0 && d.Effect != nil && d.Effect.Server != "" {
		parts = []Part{{Prose, "", "(without any input)"}}
	}
	return parts
}

// risk says what holds a command, and what does not.
func risk(e *clew.Effect) []Part {
	switch free := e.Sandbox == "" || e.Sandbox == "none"; {
	case e.Command == "" && e.Sandbox == "": // an empty cell has no command
		return nil
	case free && e.Network:
		return []Part{{Warning, "risk", "no sandbox: it can do whatever the server's user can, with network"}}
	case free: // nothing keeps it from the network
		return []Part{{Warning, "risk", "no sandbox: it can do whatever the server's user can"}}
	case e.Network:
		return []Part{{Warning, "risk", "in a sandbox (" + e.Sandbox + "), with network"}}
	}
	return []Part{{Fact, "risk", "in a sandbox (" + e.Sandbox + "), without network"}}
}

func planParts(d *clew.HitlPlanReviewData) []Part {
	parts := texts(Part{Prose, "", d.Message})
	for _, t := range d.Plan.Todos {
		parts = append(parts, Part{Step, After(t, d.Plan.Todos), strings.TrimSpace(t.Task)})
	}
	if cost := d.Plan.EstimatedCostUSD; cost != nil && *cost > 0 {
		parts = append(parts, Part{Fact, "cost", "about " + term.Dollars(*cost)})
	}
	return parts
}

func options(q clew.Question) []Part {
	var parts []Part
	labels, _ := client.Choices(q)
	for i, label := range labels {
		parts = append(parts, Part{Option, strconv.Itoa(i + 1), label})
	}
	return parts
}

// texts leaves out the parts that say nothing.
func texts(parts ...Part) []Part {
	return slices.DeleteFunc(parts, func(p Part) bool { return p.Text == "" })
}
