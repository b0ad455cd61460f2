package feed

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tui/paint"
)

// A Kind is what a row shows.
type Kind uint8

// The kinds.
const (
	None     Kind = iota // nothing
	User                 // a person's words
	Text                 // an agent's words
	Brief                // what a subtask, or a step of a run, was told
	Thinking             // an agent's thoughts
	Tool                 // a tool call, with its output
	Question             // an ask that is no tool call
	Result               // how a task ended
	Output               // output whose call is not held
	Cell                 // the run of a notebook's cell, with what it put out
	Failure
	Marker // a slim note on the thread
	Inner  // a model call
)

// A Row is a message, or several that belong together.
type Row struct {
	Kind Kind
	ID   clew.MessageID // of the first message; it stays when more joins the row
	// Open says that it is unfolded.
	Open bool

	first *entry
	more  []*entry // outputs of a call, or of a cell
	head  bool     // somebody begins to speak
	place string   // the monitor, if it is another than that of the words before
	mark  mark     // of what a task was told: how it stands
	cell  cellState
	note  string
	drawn renderCache
}

// renderCache is a picture of a row, and what it was drawn from.
type renderCache struct {
	state state
	lines []paint.Line
}

type state struct {
	width, version int
	open, head     bool
	place          string
	mark           mark
	cell           cellState
}

var (
	calls   = []clew.Ask{clew.AskTool, clew.AskCommand, clew.AskUseMcpServer, clew.AskBrowserActionLaunch}
	outputs = []clew.Say{
		clew.SayCommandOutput, clew.SayCodebaseSearchResult, clew.SayMcpServerRequestStarted, clew.SayMcpServerResponse,
		clew.SayBrowserAction, clew.SayBrowserActionResult, clew.SayCellExecuted,
	}
	markers = []clew.Say{
		clew.SayCondenseContext, clew.SaySlidingWindowTruncation, clew.SayCheckpointSaved, clew.SayUserEditTodos,
		clew.SayAPIReqRetryDelayed, clew.SayModelFallback, clew.SayInstructionsRead, clew.SayFilesAttached, clew.SayGit, clew.SayBrowserSessionStatus, clew.SayKernelStatus, clew.SayShellIntegrationWarning,
	}
	failures = []clew.Say{clew.SayError, clew.SayCondenseContextError, clew.SayDiffError, clew.SayRooignoreError}
	inners   = []clew.Say{clew.SayAPIReqStarted, clew.SayAPIReqFinished, clew.SayAPIReqRetried, clew.SayAPIReqDeleted}
)

// kindOf says what a message is in the transcript.
func kindOf(m *clew.Message) Kind {
	if m.Cell != nil {
		return Cell
	}
	if m.Type == clew.TypeAsk {
		switch {
		case m.Ask == clew.AskCommandOutput:
			return Output
		case slices.Contains(calls, m.Ask):
			return Tool
		}
		return Question
	}
	switch {
	case m.Role == clew.SpeakerUser && m.AgentID != "": // no person wrote it
		return Brief
	case m.Say == clew.SayUserFeedback, m.Say == clew.SayUserFeedbackDiff:
		return User
	case m.Say == clew.SayReasoning:
		return Thinking
	case m.Say == clew.SayCompletionResult, m.Say == clew.SaySubtaskResult:
		return Result
	case stopped(m):
		return Marker
	case slices.Contains(inners, m.Say):
		return Inner
	case slices.Contains(outputs, m.Say):
		return Output
	case slices.Contains(markers, m.Say):
		return Marker
	case slices.Contains(failures, m.Say):
		return Failure
	case m.Role == clew.SpeakerUser:
		return User
	case m.Text == "" && m.Reasoning == "" && len(m.Images) == 0:
		return None
	}
	return Text
}

// stopped reports that a person ended a model call.
func stopped(m *clew.Message) bool {
	return m.Say == clew.SayAPIReqDeleted && m.WhyCode == clew.EndInterrupted
}

// Rows puts the messages into rows. Those in queued wait, and are shown
// elsewhere.
func (f *Feed) Rows(queued []clew.QueuedMessage) []*Row {
	if f.dirty {
		f.build(queued)
		f.dirty = false
	}
	return f.rows
}

func (f *Feed) build(queued []clew.QueuedMessage) {
	b := builder{feed: f, rows: f.rows[:0:0], owners: map[string]*Row{}, monitor: clew.MainMonitor, notes: f.notes}
	for _, e := range f.held {
		waits := func(q clew.QueuedMessage) bool { return q.MessageID == e.MessageID }
		elsewhere := f.Monitor != "" && e.MonitorID != "" && e.MonitorID != f.Monitor
		if !elsewhere && !slices.ContainsFunc(queued, waits) {
			b.take(e)
		}
	}
	b.passNotes(^uint64(0))
	f.rows = b.rows
}

type builder struct {
	feed    *Feed
	rows    []*Row
	owners  map[string]*Row // calls by their ids, and runs of cells
	speaker string
	monitor clew.MonitorID // of the words before
	notes   []note
}

func (b *builder) take(e *entry) {
	b.passNotes(e.seq)
	kind := kindOf(&e.Message)
	if kind == None || kind == Inner || b.repeats(e) {
		return
	}
	if kind == Cell && b.joinsRun(e) {
		return
	}
	if owner := b.owners[e.ToolCallID]; kind == Output && e.ToolCallID != "" && owner != nil {
		owner.more = append(owner.more, e)
		return
	}
	r := b.row(e.MessageID)
	r.Kind, r.first, r.more, r.head, r.place = kind, e, nil, b.begins(kind, e), b.moves(kind, e)
	if r.mark = markPast; kind == Brief && b.feed.marks[e.TaskID] != (mark{}) {
		r.mark = b.feed.marks[e.TaskID]
	}
	if kind == Tool && e.ToolCallID != "" {
		b.owners[e.ToolCallID] = r
	}
	if kind == Cell {
		r.cell, b.owners["run:"+e.Cell.RunID] = b.feed.runOf(e.Cell), r
	}
	b.rows = append(b.rows, r)
}

// repeats reports a subtask's result that says the same as the task itself did.
func (b *builder) repeats(e *entry) bool {
	if e.Say != clew.SaySubtaskResult || len(b.rows) == 0 {
		return false
	}
	last := b.rows[len(b.rows)-1]
	return last.Kind == Result && last.first != nil && last.first.Text == e.Text
}

// row takes the row that was there before, with its picture.
func (b *builder) row(id clew.MessageID) *Row {
	r := b.feed.kept[id]
	if r == nil {
		r = &Row{ID: id}
		b.feed.kept[id] = r
	}
	return r
}

// begins reports whether somebody else begins to speak.
func (b *builder) begins(kind Kind, e *entry) bool {
	who := "agent:" + string(e.TaskID)
	switch kind {
	case User:
		who = "user:" + string(e.UserID)
	case Marker, Failure:
		return false
	}
	begins := who != b.speaker || kind == User
	b.speaker = who
	return begins
}

// moves gives the monitor of words that are said on another one than those before, where
// all monitors are shown.
func (b *builder) moves(kind Kind, e *entry) string {
	if kind != User && kind != Text || b.feed.Monitor != "" || e.MonitorID == "" || e.MonitorID == b.monitor {
		return ""
	}
	b.monitor = e.MonitorID
	return e.MonitorID.Name()
}

// passNotes puts the notes from before a message in front of it.
func (b *builder) passNotes(seq uint64) {
	for len(b.notes) > 0 && b.notes[0].seq < seq {
		id := "note:" + clew.MessageIDOf(b.notes[0].seq)
		r := b.row(id)
		r.Kind, r.note = Marker, b.notes[0].text
		b.rows, b.notes = append(b.rows, r), b.notes[1:]
	}
}

// sub reports whether a row is an agent's of a subtask.
func (r *Row) sub() bool {
	return r.first != nil && (r.first.AgentKind == clew.AgentTask || r.first.AgentKind == clew.AgentStep)
}

// Folds reports whether the row has more to show.
func (r *Row) Folds() bool {
	switch r.Kind {
	case Tool, Thinking, Brief, Output, Cell:
		return true
	case Text:
		return r.first.Reasoning != ""
	}
	return false
}

// Call gives the call that the row shows, "" if it shows none.
func (r *Row) Call() string {
	if r.Kind != Tool {
		return ""
	}
	return r.first.ToolCallID
}

// Known reports whether the call's details are held and will not change.
func (r *Row) Known() bool { return r.first == nil || r.first.call != nil && r.first.call.whole }
