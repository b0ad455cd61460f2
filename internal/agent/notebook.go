package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// The tools for notebooks. A notebook is a part of the session, so what they change is
// recorded as a command of people is, and a cell that runs is waited for on record: the
// agent leaves meanwhile. Unlike the agent's own tools they go through the policy: what
// a cell does is done to the world.
const (
	toolNotebookRead = "notebook_read"
	toolNotebookEdit = "notebook_edit"
	toolRunCell      = "run_cell"
	toolKernel       = "kernel"
)

// A KernelPlan is how cells would run for a session: in which kernel, and held by what.
type KernelPlan struct {
	Name          string // "" if there is none
	Argv          []string
	FromWorkspace bool   // the program is the workspace's own
	Missing       string // what is missing, if it cannot be started
	Sandbox       string // as an effect names it
	Network       bool
	Guarded       bool   // see tool.Action
	Protected     bool   // it runs without the sandbox that the settings want
	Refused       string // why it may not run at all
	// Running says that it runs: Sandbox, Network and Guarded are those it was started
	// with, whatever the settings say by now.
	Running bool
}

// A KernelRequest says for which session a kernel is looked for.
type KernelRequest struct {
	Session     clew.SessionID
	Owner       clew.UserID
	Workspace   string
	Environment map[string]string
	Values      settings.Values
	Name        string // that the notebook wants, "" for any
	// Kernel is the id of the one that is there already and would be used, "" if one has
	// to be started.
	Kernel string
}

// Notebooks says how cells run.
type Notebooks interface {
	// Plan gives the kernel that runs or would be started, and Kernels all that there are.
	Plan(ctx context.Context, r KernelRequest) KernelPlan
	Kernels(ctx context.Context, r KernelRequest) []KernelPlan
}

const notebookPathDoc = `"path":{"type":"string","description":"the .ipynb file, from the workspace; may be left out while one notebook is open"}`

var notebookSpecs = []tool.Spec{
	notebookSpec(toolNotebookRead, clew.ClassReadOnly, "Read a notebook: its cells with their ids, sources, status and outputs. A notebook that is not open yet is opened by this: call it again to see the cells. Use this and the other notebook tools for .ipynb files, not the tools for files.",
		`{"type":"object","properties":{`+notebookPathDoc+`,"new":{"type":"boolean","description":"make the notebook if there is no such file"},"cells":{"type":"array","items":{"type":"string"},"description":"ids of the cells to show in full; all, cut, if left out"}},"additionalProperties":false}`),
	notebookSpec(toolNotebookEdit, clew.ClassCheckable, "Change the cells of an open notebook. All edits take effect or none. The file is written soon after.",
		`{"type":"object","properties":{`+notebookPathDoc+`,"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{"op":{"type":"string","enum":["insert","replace","move","delete","clear"]},`+
			`"cell_id":{"type":"string","description":"the cell; left out for insert"},"after":{"type":"string","description":"of insert and move: the cell before it, or start; the end if left out"},`+
			`"type":{"type":"string","enum":["code","markdown","raw"],"description":"code if left out"},"source":{"type":"string","description":"the whole source"}},"required":["op"],"additionalProperties":false}}},"required":["edits"],"additionalProperties":false}`),
	notebookSpec(toolRunCell, clew.ClassCheckable, "Run cells of an open notebook in its kernel and wait for what they put out. Give cell_ids, or code: that becomes a new cell at the end. Variables stay in the kernel between calls. Cells run one after the other; an error ends the call.",
		`{"type":"object","properties":{`+notebookPathDoc+`,"cell_ids":{"type":"array","items":{"type":"string"}},"code":{"type":"string"}},"additionalProperties":false}`),
	notebookSpec(toolKernel, clew.ClassRepeatable, "Look at the kernel of an open notebook, or change it: variables says what it knows, kernels which there are, interrupt stops the cell that runs, restart forgets all variables, shutdown ends it.",
		`{"type":"object","properties":{`+notebookPathDoc+`,"action":{"type":"string","enum":["variables","kernels","interrupt","restart","shutdown"]}},"required":["action"],"additionalProperties":false}`),
}

func notebookSpec(name string, class clew.ToolClass, doc, schema string) tool.Spec {
	return tool.Spec{Name: name, Description: doc, Schema: json.RawMessage(schema), Class: class, Group: tool.GroupNotebook}
}

// notebookInput is the input of all tools for notebooks.
type notebookInput struct {
	Path    string   `json:"path"`
	New     bool     `json:"new"`
	Cells   []string `json:"cells"`
	CellIDs []string `json:"cell_ids"`
	Code    string   `json:"code"`
	Action  string   `json:"action"`
	Edits   []struct {
		Op     clew.CellEditOp `json:"op"`
		CellID string          `json:"cell_id"`
		After  *string         `json:"after"`
		Type   clew.CellType   `json:"type"`
		Source *string         `json:"source"`
	} `json:"edits"`
}

// notebookTool finds one of the tools for notebooks, if the mode has them.
func (w *worker) notebookTool(v session.View, name string) (tool.Spec, bool) {
	i := slices.IndexFunc(notebookSpecs, func(s tool.Spec) bool { return s.Name == name })
	if i < 0 || w.cfg.Notebooks == nil || v.Task.Server != "" || !w.hasNotebooks() {
		return tool.Spec{}, false
	}
	return notebookSpecs[i], true
}

// hasNotebooks reports whether mode and layer have the tools for notebooks.
func (w *worker) hasNotebooks() bool {
	return w.cfg.Notebooks != nil && slices.Contains(groupsOf(w.layer, w.mode), string(tool.GroupNotebook))
}

// withNotebooks gives a mode the tools for notebooks, if it has edits and commands and there
// is a notebook to work with. A model pays for the description of a tool with every call,
// so most sessions do without these.
func withNotebooks(m settings.Mode, v session.View) settings.Mode {
	has := func(g tool.Group) bool { return slices.Contains(m.Groups, string(g)) }
	if has(tool.GroupEdit) && has(tool.GroupCommand) && !has(tool.GroupNotebook) && nearNotebook(v) {
		m.Groups = append(slices.Clip(m.Groups), string(tool.GroupNotebook))
	}
	return m
}

// namesMax bounds how many names of the workspace are looked at.
const namesMax = 1000

// nearNotebook reports whether a notebook is open, or lies in the workspace itself.
func nearNotebook(v session.View) bool {
	if slices.ContainsFunc(v.Notebooks, func(n core.Notebook) bool { return !n.Closed }) {
		return true
	}
	dir, err := os.Open(v.Workspace)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(namesMax)
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, ".ipynb") })
}

// A notebookCall is a call that was understood: what it does to which notebook.
type notebookCall struct {
	in   notebookInput
	book *core.Notebook // nil for one that is to be opened, and for kernels
	// opens, edits, runs and wish are what it asks for; a call that only reads has none.
	opens string
	edits []clew.CellEdit
	runs  []string
	wish  clew.KernelWish
	// loaded are the sources that are no part of the record, by their addresses.
	loaded map[string]string
}

// changes reports whether the call is an intent of the session, and not a tool that
// runs here.
func (n *notebookCall) changes() bool {
	return n.opens != "" || n.edits != nil || n.runs != nil || n.wish != ""
}

// understand reads a call of one of the tools against the notebooks that are open. The
// text says what is wrong with it, "" if nothing is.
func (w *worker) understand(v session.View, c core.Call) (*notebookCall, string) {
	n := &notebookCall{}
	d := json.NewDecoder(bytes.NewReader(c.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(&n.in); err != nil {
		return n, "the input does not fit: " + strings.TrimPrefix(err.Error(), "json: ")
	}
	if c.Tool == toolKernel && n.in.Action == "kernels" {
		return n, ""
	}
	why := n.find(v, c.Tool == toolNotebookRead)
	if why != "" || n.opens != "" {
		return n, why
	}
	switch {
	case c.Tool == toolNotebookRead:
		return n, n.checkRead()
	case n.book.Status != clew.NotebookReady:
		return n, fmt.Sprintf("%s cannot be used: %s", n.name(), cmp.Or(n.book.Problem, "it is being opened; try again"))
	case c.Tool == toolNotebookEdit:
		return n, n.takeEdits()
	case c.Tool == toolRunCell:
		return n, n.takeRuns()
	}
	return n, n.takeAction()
}

// find finds the notebook that a call is about.
func (n *notebookCall) find(v session.View, reads bool) string {
	var open []*core.Notebook
	for i := range v.Notebooks {
		if !v.Notebooks[i].Closed {
			open = append(open, &v.Notebooks[i])
		}
	}
	for _, b := range open {
		if n.in.Path == b.Path && b.Path != "" || n.in.Path == b.ID || n.in.Path == "" && len(open) == 1 {
			n.book = b
			return ""
		}
	}
	switch {
	case n.in.Path == "" && len(open) == 0 && !reads:
		return "no notebook is open: notebook_read with a path opens one"
	case n.in.Path == "" && (len(open) > 0 || !reads):
		return "several notebooks are open: give the path"
	case !reads:
		return fmt.Sprintf("%s is not open: notebook_read opens it", visible(n.in.Path))
	case n.in.Path == "":
		return "give the path of the notebook"
	}
	n.opens = n.in.Path
	return ""
}

// name is what people call the notebook.
func (n *notebookCall) name() string {
	if n.book == nil {
		return visible(n.in.Path)
	}
	return visible(cmp.Or(n.book.Path, n.book.ID))
}

func (n *notebookCall) checkRead() string {
	for _, id := range n.in.Cells {
		if n.book.Cell(id) == nil {
			return n.noCell(id)
		}
	}
	return ""
}

func (n *notebookCall) noCell(id string) string {
	return fmt.Sprintf("%s has no cell %s: notebook_read says which there are", n.name(), visible(id))
}

// takeEdits makes edits of the input. One that says nothing of its place is at the end,
// and those after it are behind it.
func (n *notebookCall) takeEdits() string {
	if len(n.in.Edits) == 0 {
		return "give at least one edit"
	}
	last := n.lastCell()
	for i, e := range n.in.Edits {
		edit := clew.CellEdit{Op: e.Op, CellID: e.CellID, Type: e.Type, Source: e.Source}
		switch {
		case !slices.Contains(e.Op.Values(), string(e.Op)):
			return fmt.Sprintf("op %q is not one of %s", e.Op, strings.Join(e.Op.Values(), ", "))
		case e.Op == clew.EditInsert && e.Source == nil || e.Op == clew.EditReplace && e.Source == nil && e.Type == "":
			return "give the source"
		case e.Op != clew.EditInsert && e.Op != clew.EditClear && n.book.Cell(e.CellID) == nil:
			return n.noCell(e.CellID)
		}
		if e.Op == clew.EditInsert {
			edit.Type = cmp.Or(e.Type, clew.CellCode)
			if edit.CellID == "" { // so that those after it can be behind it
				edit.CellID = fmt.Sprintf("c%x-%d", n.book.Version, i)
			}
		}
		if e.Op == clew.EditInsert || e.Op == clew.EditMove {
			if edit.After = last; e.After != nil {
				edit.After = strings.TrimPrefix(*e.After, "start")
			} else if e.Op == clew.EditInsert {
				last = edit.CellID
			}
		}
		n.edits = append(n.edits, edit)
	}
	return ""
}

// lastCell is the id of the last cell, "" if there is none.
func (n *notebookCall) lastCell() string {
	if cells := n.book.Cells; len(cells) > 0 {
		return cells[len(cells)-1].CellID
	}
	return ""
}

// takeRuns finds the cells to run, or makes one of the code.
func (n *notebookCall) takeRuns() string {
	switch {
	case (n.in.Code == "") == (len(n.in.CellIDs) == 0):
		return "give cell_ids or code"
	case n.in.Code != "":
		id := fmt.Sprintf("c%x-0", n.book.Version)
		n.edits = []clew.CellEdit{{Op: clew.EditInsert, CellID: id, After: n.lastCell(), Type: clew.CellCode, Source: &n.in.Code}}
		n.runs = []string{id}
		return ""
	}
	for _, id := range n.in.CellIDs {
		switch c := n.book.Cell(id); {
		case c == nil:
			return n.noCell(id)
		case c.Type != clew.CellCode:
			return fmt.Sprintf("cell %s holds no code", visible(id))
		}
	}
	n.runs = n.in.CellIDs
	return ""
}

var kernelWishes = map[string]clew.KernelWish{"interrupt": clew.WishInterrupt, "restart": clew.WishRestart, "shutdown": clew.WishStop}

func (n *notebookCall) takeAction() string {
	if n.wish = kernelWishes[n.in.Action]; n.wish == "" && n.in.Action != "variables" {
		return "action is variables, kernels, interrupt, restart or shutdown"
	}
	return ""
}
